package latency

import (
	"testing"

	"agentsim/sim/rng"
	"agentsim/sim/vtime"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("LLM-07 first and last byte follow the formula", func(t *testing.T) {
		l := Latency{Queue: 7, Prefill: 5, Read: 3, Decode: 11}
		if got := l.FirstByte(100, 1000, rng.Root(1)); got != 7+500+3000 {
			t.Errorf("first byte after %d ns", got)
		}
		if got := l.Stream(9); got != 99 {
			t.Errorf("stream of nine tokens takes %d ns", got)
		}
		if got := l.Stream(0); got != 11 {
			t.Errorf("an empty stream takes %d ns, want one token's time", got)
		}
	})
	t.Run("LLM-07 a token read from the cache shortens prefill", func(t *testing.T) {
		for _, p := range All() {
			cold, warm := p.Latency.FirstByte(10_000, 0, rng.Root(1)), p.Latency.FirstByte(0, 10_000, rng.Root(1))
			if p.Name != "instant" && warm >= cold {
				t.Errorf("%s: warm %s, cold %s", p.Name, warm, cold)
			}
		}
	})
	t.Run("LLM-07 every named profile is sound and says its source", func(t *testing.T) {
		for _, p := range All() {
			if err := p.Latency.Check(); err != nil || p.Source == "" {
				t.Errorf("%s: %v, source %q", p.Name, err, p.Source)
			}
			if got, err := Named(p.Name); err != nil || got != p {
				t.Errorf("Named(%q) = %v, %v", p.Name, got, err)
			}
		}
		if _, err := Named("nope"); err == nil {
			t.Error("an unknown name was accepted")
		}
	})
	t.Run("LLM-07 jitter belongs to the call's key and keeps its bound", rapid.MakeCheck(func(t *rapid.T) {
		l := Latency{Queue: 1, Prefill: 1, Read: 1, Decode: 1, Jitter: vtime.Duration(rapid.Int64Range(0, 1e6).Draw(t, "us")) * vtime.Microsecond}
		key := rng.Root(rapid.Uint64().Draw(t, "seed"))
		d := l.FirstByte(0, 0, key) - 1
		if d < 0 || d > l.Jitter || d != l.FirstByte(0, 0, key)-1 {
			t.Fatalf("jitter %d of at most %d", d, l.Jitter)
		}
	}))
	t.Run("LLM-06 CON-16 a drawn queue and a drawn jitter belong to the call's key, each with a stream of its own", func(t *testing.T) {
		l := figures(1, 1, 1, 1, 0)
		l.Queued, l.Jittered = lognormal(1, 2e5, 1, 1e7), lognormal(1, 2e5, 1, 1e7)
		equal := 0
		for i := range uint64(100) {
			key := rng.Root(7).At(i)
			queue := l.Wait(key)
			if again := l.Wait(key); again != queue {
				t.Fatalf("one key waits %s and %s", queue, again)
			}
			if l.FirstByte(0, 0, key) == 2*queue {
				equal++
			}
			if next := l.Wait(rng.Root(7).At(i + 1)); next == queue {
				t.Fatalf("calls %d and %d both wait %s", i, i+1, queue)
			}
		}
		if equal > 2 {
			t.Errorf("jitter and queue are one draw in %d of 100 calls", equal)
		}
	})
	t.Run("KRN-09 scaled durations scale every wait exactly", rapid.MakeCheck(func(t *rapid.T) {
		unit := func(name string) vtime.Duration { return vtime.Duration(rapid.Int64Range(1, 1e9).Draw(t, name)) }
		l := figures(unit("queue"), unit("prefill"), unit("read"), unit("decode"), vtime.Duration(rapid.Int64Range(0, 1e6).Draw(t, "jitter"))*vtime.Microsecond)
		k := vtime.Duration(rapid.Int64Range(1, 1000).Draw(t, "k"))
		s := figures(l.Queue*k, l.Prefill*k, l.Read*k, l.Decode*k, l.Jitter*k)
		if rapid.Bool().Draw(t, "drawn") {
			l.Queued, l.Jittered = lognormal(1, 2e5, 1, 1e7), lognormal(1, 1e5, 0, 1e7)
			s.Queued, s.Jittered = lognormal(int64(k), 2e5, 1, 1e7), lognormal(int64(k), 1e5, 0, 1e7)
		}
		u, r, o := rapid.Int64Range(0, 1000).Draw(t, "u"), rapid.Int64Range(0, 1000).Draw(t, "r"), rapid.Int64Range(0, 1000).Draw(t, "o")
		key := rng.Root(rapid.Uint64().Draw(t, "seed"))
		if s.FirstByte(u, r, key) != k*l.FirstByte(u, r, key) || s.Stream(o) != k*l.Stream(o) {
			t.Fatalf("scaling %+v by %d", l, k)
		}
	}))
	t.Run("LLM-07 a profile without a wait is refused", func(t *testing.T) {
		for _, l := range []Latency{{}, figures(1, 1, 1, 0, 0), figures(1, 1, 1, 1, 1), figures(1, -1, 1, 1, 0),
			{Queue: 1, Prefill: 1, Read: 1, Decode: 1, Queued: lognormal(1, 1, 0, 1)}} {
			if l.Check() == nil {
				t.Errorf("%+v was accepted", l)
			}
		}
	})
}

// lognormal is a span whose durations, in microseconds, are k times what is given.
func lognormal(k, median, lo, hi int64) *rng.Span {
	return &rng.Span{Lo: k * lo * rng.Micro, Hi: k * hi * rng.Micro, Dist: &rng.Dist{Shape: rng.Lognormal, A: k * median, B: 900, Lo: k * lo, Hi: k * hi}}
}
