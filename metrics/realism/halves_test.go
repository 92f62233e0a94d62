package realism

import (
	"fmt"
	"slices"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/profile"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// recorded is a session of main requests with prompts of these sizes, ten seconds
// apart, each of which adds what it grew by; every fifth one has a message of the user.
func recorded(id string, prompts ...int64) *recording.Session {
	s := &recording.Session{Format: "claude-code", ID: id, Origin: "o/r", Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1}}}
	before := int64(0)
	for i, size := range prompts {
		at := vtime.Instant(1_790_000_000+10*i) * vtime.Instant(vtime.Second)
		s.Requests = append(s.Requests, recording.Request{ID: fmt.Sprint(i), Pred: int32(i) - 1, Model: "claude-opus-4-5-20251101", Start: at, First: at, Last: at,
			Usage: llm.Usage{Read: min(before, size), Write1h: size - min(before, size)}, Billed: true, WritesKnown: true, UserTurn: i%5 == 0})
		before = size
	}
	return s
}

// grown is a session whose prompts grow by steps drawn for it.
func grown(n int, scale int64) *recording.Session {
	key := rng.Root(9).At(uint64(n))
	var prompts []int64
	p := key.Sub("first").Between(20_000, 30_000)
	for i := range key.Sub("calls").Between(3, 60) {
		prompts = append(prompts, p)
		d := rng.Dist{Shape: rng.Lognormal, A: 600 * scale, B: 900, Hi: 1 << 30}
		p += d.Draw(key.Sub("growth").At(uint64(i)))
	}
	return recorded(fmt.Sprint("s", n), prompts...)
}

func againstHalves(t *testing.T) {
	m := profile.New(profile.Options{Joined: true})
	for n := range 60 {
		m.Add("", grown(n, 1))
	}
	seen := 0
	h, err := Against(m, func(p *profile.Profile) (*profile.Profile, error) {
		seen++
		if n := p.Sources[0].Sessions; n != 30 {
			t.Errorf("a half of %d sessions", n)
		}
		return p, nil
	})
	if err != nil || seen != 2*Splits || !slices.Equal(h.Simulated, h.Copied) || len(h.Simulated) != 2*Splits {
		t.Fatalf("%v, %d, %+v", err, seen, h)
	}
	if Median(h.Copied) != 0 {
		t.Errorf("halves miss %v", h.Copied)
	}
	other := profile.New(profile.Options{Joined: true})
	for n := range 60 {
		other.Add("", grown(n, 5))
	}
	if h, _ = Against(m, func(*profile.Profile) (*profile.Profile, error) { return other.Profile(), nil }); Median(h.Simulated) < 2 {
		t.Errorf("sessions that grow five times as fast miss %v", h.Simulated)
	}
	if _, err := Against(m, func(*profile.Profile) (*profile.Profile, error) { return nil, fmt.Errorf("no") }); err == nil {
		t.Error("an error is lost")
	}
}
