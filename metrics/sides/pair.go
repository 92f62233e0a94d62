package sides

import (
	"slices"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/stat"
)

// Figure is one figure of a pair: A before, B after; medians over several seeds.
type Figure struct {
	baseline.Change
	Exact  bool   // both are of one run
	Better string // the side that is better, A or B; "" where neither is, where it may be chance, and where a run did not finish
}

// Figures compares all figures that one of the two has.
func (p *Pair) Figures() (out []Figure) {
	for _, m := range baseline.Metrics() {
		x, y := p.A.values(m.Name), p.B.values(m.Name)
		f := Figure{Change: baseline.Change{Metric: m}, Exact: len(p.A.Runs) == 1 && len(p.B.Runs) == 1}
		if v, ok := baseline.Median(x); ok {
			f.Before = &v
		}
		if v, ok := baseline.Median(y); ok {
			f.After = &v
		}
		if f.Before == nil && f.After == nil {
			continue
		}
		if !f.Exact && f.Before != nil && f.After != nil && m.Unit != metrics.Ratio {
			i := p.interval(m, x, y)
			f.Interval = &i
		}
		if p.A.Open() == 0 && p.B.Open() == 0 {
			f.Better = f.better()
		}
		out = append(out, f)
	}
	return out
}

// interval is that of the difference: seed by seed where both sides have data of
// the same seeds.
func (p *Pair) interval(m baseline.Metric, x, y []metrics.Value) stat.Interval {
	whole := func(list []metrics.Value) (out []int64) {
		for _, v := range list {
			out = append(out, v.Num)
		}
		return out
	}
	key := baseline.Key(p.A.key(), p.B.key(), m.Name)
	if len(x) == len(y) && len(x) == len(p.A.Runs) && slices.EqualFunc(p.A.Runs, p.B.Runs, func(a, b Run) bool { return a.Seed == b.Seed }) {
		return stat.Paired(whole(x), whole(y), key)
	}
	return stat.Difference(whole(x), whole(y), key)
}

// Differs reports whether there is something to say of the figure.
func (f *Figure) Differs() bool {
	switch {
	case f.Before == nil || f.After == nil:
		return true
	case f.Interval != nil && (f.Interval.Low != 0 || f.Interval.High != 0):
		return true
	}
	return f.Before.Cmp(*f.After) != 0
}

func (f *Figure) better() string {
	if f.Before == nil || f.After == nil || f.Metric.Better == "" || f.Interval != nil && !f.Interval.Decides() {
		return ""
	}
	switch d := f.After.Cmp(*f.Before); {
	case d == 0:
		return ""
	case d < 0 == (f.Metric.Better == "lower"):
		return "B"
	}
	return "A"
}

// Cause is why a pair differs where that is not what was compared.
type Cause struct {
	Tool   bool // the runs are of other semantics
	Edited bool // scenario or project are others, of one name
	Prices bool // the same events were billed otherwise
}

// Cause finds it.
func (p *Pair) Cause() (c Cause) {
	c.Tool = p.A.Semantics > 0 && p.B.Semantics > 0 && p.A.Semantics != p.B.Semantics
	c.Edited = p.A.Bare != p.B.Bare && (c.Tool || p.A.key() == p.B.key())
	c.Prices = !c.Tool && p.A.Bare == p.B.Bare && p.billed()
	return c
}

// billed reports whether runs of equal events cost otherwise.
func (p *Pair) billed() bool {
	same := func(a, b Run) bool { return a.Seed == b.Seed && a.Digest == b.Digest }
	if !slices.EqualFunc(p.A.Runs, p.B.Runs, same) {
		return false
	}
	return slices.ContainsFunc(p.Figures(), func(f Figure) bool { return f.Name == "cost" && f.Differs() })
}
