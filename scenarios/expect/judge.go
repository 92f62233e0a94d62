package expect

import (
	"cmp"

	"agentsim/metrics"
)

// Verdict is what became of an expectation.
type Verdict uint8

// The verdicts. No data is neither: the metric does not exist in this run, such
// as the hit ratio of an agent type that never ran.
const (
	Pass Verdict = iota
	Fail
	NoData
)

func (v Verdict) String() string { return [...]string{"pass", "fail", "no data"}[v] }

// Result is an expectation held against figures.
type Result struct {
	Expect      *Line
	Variant     string // in which it was checked; "" when its sides name theirs
	Verdict     Verdict
	Left, Right metrics.Value // zero without data
}

// Lookup finds a metric of a variant: of the whole run when subject is "", else
// of an agent type, of a root by its name, or of a root's call (auto#2). It
// reports false when there is no data.
type Lookup func(variant, subject, metric string) (metrics.Value, bool)

// Evaluate checks the line once, or in each of its variants. In a file with a
// matrix it is called once for each cell, with a lookup that adds the cell's
// suffix to the variant.
func (x *Line) Evaluate(lookup Lookup) []Result {
	if x.Variants == nil {
		return []Result{x.in("", lookup)}
	}
	out := make([]Result, len(x.Variants))
	for i, v := range x.Variants {
		out[i] = x.in(v, lookup)
	}
	return out
}

func (x *Line) in(variant string, lookup Lookup) Result {
	r := Result{Expect: x, Variant: variant, Verdict: NoData}
	l, okL := x.Left.value(variant, lookup)
	right, okR := x.Right.value(variant, lookup)
	r.Left, r.Right = l, right
	if !okL || !okR || !l.Comparable(right) {
		return r
	}
	r.Verdict = Fail
	if x.Op.Holds(l.Cmp(right)) {
		r.Verdict = Pass
	}
	return r
}

func (s *Side) value(variant string, lookup Lookup) (metrics.Value, bool) {
	if s.Constant {
		return s.Value, true
	}
	if s.Variant != "" {
		variant = s.Variant
	}
	return lookup(variant, s.Subject, s.Metric)
}

// Judge holds lines against the variants that ran. Each is checked once per cell of
// the matrix; lines that speak of a variant that did not run are left out.
func Judge(lines []*Line, cells []string, runs map[string]*metrics.Run) (out []Result) {
	for _, x := range lines {
		for _, cell := range cells {
			for _, r := range x.Evaluate(lookupIn(runs, cell)) {
				if ran(runs, r, cell) {
					r.Variant += cell
					out = append(out, r)
				}
			}
		}
	}
	return out
}

func lookupIn(runs map[string]*metrics.Run, cell string) Lookup {
	return func(variant, subject, metric string) (metrics.Value, bool) {
		r, ok := runs[variant+cell]
		if !ok {
			return metrics.Value{}, false
		}
		return metrics.Lookup(r, subject, metric)
	}
}

// ran reports whether every variant that a result speaks of was run.
func ran(runs map[string]*metrics.Run, r Result, cell string) bool {
	for _, side := range [...]Side{r.Expect.Left, r.Expect.Right} {
		if _, ok := runs[cmp.Or(side.Variant, r.Variant)+cell]; !ok && !side.Constant {
			return false
		}
	}
	return true
}
