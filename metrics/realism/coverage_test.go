package realism

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"agentsim/sim/recording"
	"agentsim/sim/rng"

	"pgregory.net/rapid"
)

func TestCoverage(t *testing.T) {
	t.Run("TRI-03 bands drawn from one half hold about four times in five on the other, and tell more than plain bills", bandsHold)
	t.Run("TRI-03 the same sessions in any order give the same answer; sources are not mixed, and few sessions are no source", sameCoverage)
	t.Run("TRI-03 the score is the mean distance of the draws less half of their own", scoresByHand)
	t.Run("TRI-03 what is asked depends on how many sessions there are, and a bound that is missed is named", asked)
	t.Run("TRI-03 a session's bill is the input units of all its threads", bills)
}

// alike are sessions of one process.
func alike(origin string, n int, scale int64) (out []*recording.Session) {
	for i := range n {
		s := grown(i, scale)
		s.Origin = origin
		out = append(out, s)
	}
	return out
}

func bandsHold(t *testing.T) {
	found := Cover(map[string][]*recording.Session{"a": alike("a", 40, 1)})
	if len(found) != 1 || found[0].Sessions != 40 {
		t.Fatalf("%+v", found)
	}
	c := &found[0]
	for f := range Forms {
		s := &c.Forms[f]
		if s.Mean() < 0.7 || s.Mean() > 0.9 || s.Skill(&c.Plain) < 0.25 || s.Band <= 1 || s.Band >= c.Plain.Band {
			t.Errorf("%s: covered %.2f, band %.1f, skill %.2f; plain %.2f, %.1f", f, s.Mean(), s.Band, s.Skill(&c.Plain), c.Plain.Mean(), c.Plain.Band)
		}
		all := 0
		for _, n := range s.PIT {
			all += n
		}
		if all != 40*Splits {
			t.Errorf("%s: %d bills in the histogram", f, all)
		}
	}
	if c.Forms[AsItRan].CRPS >= c.Forms[Before].CRPS {
		t.Error("to know the requests is no help")
	}
}

func sameCoverage(t *testing.T) {
	list := alike("a", 24, 1)
	other := alike("b", 24, 20)
	want := Cover(map[string][]*recording.Session{"a": list, "b": other, "c": alike("c", 19, 1)})
	if len(want) != 2 || want[0].Source != "a" || want[1].Source != "b" {
		t.Fatalf("%d sources", len(want))
	}
	list = slices.Clone(list)
	slices.Reverse(list)
	alone := Cover(map[string][]*recording.Session{"a": list})
	for f := range Forms {
		got, want := fmt.Sprint(alone[0].Forms[f].Covered, alone[0].Forms[f].PIT), fmt.Sprint(want[0].Forms[f].Covered, want[0].Forms[f].PIT)
		if got != want {
			t.Errorf("%s: reversed and alone %s, want %s", f, got, want)
		}
	}
}

func scoresByHand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draws := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 40).Draw(t, "draws")
		y := rapid.Float64Range(-12, 12).Draw(t, "y")
		slices.Sort(draws)
		far, apart, n := 0.0, 0.0, float64(len(draws))
		for _, a := range draws {
			far += math.Abs(a-y) / n
			for _, b := range draws {
				apart += math.Abs(a-b) / n / n
			}
		}
		if got, want := crps(draws, y), far-apart/2; math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func asked(t *testing.T) {
	if low, high := likely(21); math.Abs(low-13./21) > 1e-9 || math.Abs(high-20./21) > 1e-9 {
		t.Errorf("of 21 sessions %.3f to %.3f", low, high)
	}
	c := Coverage{Sessions: 60, Plain: Score{CRPS: 1}}
	for i := range Splits {
		c.Forms[Before].Covered[i], c.Forms[AsItRan].Covered[i] = 0.8, 0.74
	}
	c.Forms[Before].CRPS, c.Forms[Before].Band = 0.76, 8.1
	c.Forms[AsItRan].CRPS, c.Forms[AsItRan].Band = 0.40, 3
	if got := fmt.Sprint(c.Missed(Before), c.Missed(WithAgents), c.Missed(AsItRan)); got != "[skill band] [] [covered]" {
		t.Error(got)
	}
	c.Sessions = 59
	if got := fmt.Sprint(c.Missed(Before), c.Missed(AsItRan)); got != "[skill] []" {
		t.Error(got)
	}
}

func bills(t *testing.T) {
	s := recorded("s", 1000, 1600)
	s.Threads = append(s.Threads, recording.Thread{Name: "x", Kind: recording.SubAgent, SpawnedBy: 1})
	child := s.Requests[0]
	child.Thread, child.Usage.Input = 1, 7
	s.Requests = append(s.Requests, child)
	x, ok := sessionOf(s)
	if want := 1.25*1000 + 0.1*1000 + 1.25*600 + 1.25*1000 + 7; !ok || math.Abs(x.bill-want) > 1e-9 || x.children != 1 || x.requests != 2 || x.turns != 1 {
		t.Errorf("%+v, want %v", x, want)
	}
	s.Requests[2].WritesKnown = false
	if _, ok := sessionOf(s); ok {
		t.Error("an API that bills no writes is forecast")
	}
	g := generator{seen: []session{{requests: 1}, {requests: 90, children: 3}}}
	if a, b := g.children(1, rng.Root(1)), g.children(100, rng.Root(1)); a != 0 || b != 3 {
		t.Errorf("a short session has %d agents, a long one %d", a, b)
	}
}
