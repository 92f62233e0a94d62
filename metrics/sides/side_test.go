package sides

import (
	"slices"
	"testing"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/stat"
)

func TestSides(t *testing.T) {
	t.Run("MET-05 no side is better where the interval of the difference holds 0", func(t *testing.T) {
		lower := baseline.Metric{Name: "cost", Unit: metrics.Picodollars, Better: "lower"}
		a, b := metrics.Whole(10, metrics.Picodollars), metrics.Whole(8, metrics.Picodollars)
		for _, c := range []struct {
			interval *stat.Interval
			want     string
		}{{nil, "B"}, {&stat.Interval{Low: -3, High: -1}, "B"}, {&stat.Interval{Low: -3, High: 1}, ""}} {
			f := Figure{Change: baseline.Change{Metric: lower, Before: &a, After: &b, Interval: c.interval}}
			if got := f.better(); got != c.want {
				t.Errorf("%+v: %q, want %q", c.interval, got, c.want)
			}
		}
	})
	t.Run("MET-05 no side is better where a run did not finish", func(t *testing.T) {
		p := Pair{group(1, 10), group(1, 8)}
		if f := p.Figures(); len(f) != 1 || f[0].Better != "B" || !f[0].Exact {
			t.Errorf("%+v", f)
		}
		p.B.Runs[0].Open = "limit"
		if f := p.Figures(); f[0].Better != "" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("MET-05 runs are paired by seed only where both sides have the same seeds", func(t *testing.T) {
		for from, want := range map[uint64]bool{1: true, 2: false} { // order: each is a case of its own
			p := Pair{group(1, 0, 1, 4), group(from, 0, 1, 4)}
			if x := p.Figures()[0].Interval; x == nil || x.Paired != want {
				t.Errorf("seeds from 1 and from %d: %+v", from, x)
			}
		}
	})
	t.Run("MET-05 runs are in order of their seeds, which have 64 bits", func(t *testing.T) {
		s := &Side{Groups: []*Group{{}}}
		for _, seed := range []uint64{1<<64 - 1, 0, 1<<63 + 1, 1 << 63, 5, 1} {
			s.Groups[0].Runs = append(s.Groups[0].Runs, Run{Seed: seed})
		}
		s.Sort()
		var got []uint64
		for _, r := range s.Groups[0].Runs {
			got = append(got, r.Seed)
		}
		if !slices.Equal(got, []uint64{0, 1, 5, 1 << 63, 1<<63 + 1, 1<<64 - 1}) {
			t.Error(got)
		}
	})
}

// group has runs of these costs, of seeds one after the other.
func group(from uint64, costs ...int64) *Group {
	g := &Group{}
	for i, c := range costs {
		g.Runs = append(g.Runs, Run{Seed: from + uint64(i), Figures: map[string]metrics.Value{"cost": metrics.Whole(c, metrics.Picodollars)}})
	}
	return g
}
