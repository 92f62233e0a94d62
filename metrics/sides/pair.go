package sides

import (
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
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

// compared is a figure of a pair.
type compared struct {
	*Pair
	Figure
}

// mark is whether B is better than A, or worse.
func (f compared) mark() report.Mark {
	return map[string]report.Mark{"A": report.Worse, "B": report.Better}[f.Better]
}

// Figures are all of them for machines; people see those of one pair, and of
// several those that differ.
func (c *Comparison) Figures() (all, shown *report.Sheet) {
	single, sampled := len(c.Pairs) == 1, false
	var rows, some []compared
	for i := range c.Pairs {
		p := &c.Pairs[i]
		sampled = sampled || len(p.A.Runs) > 1 || len(p.B.Runs) > 1
		for _, f := range p.Figures() {
			rows = append(rows, compared{p, f})
			if single || f.Differs() {
				some = append(some, compared{p, f})
			}
		}
	}
	type col = report.Column[compared]
	var people []col
	if !single {
		people = []col{{Head: "SCENARIO", Drop: report.DropAlike(some, 3, func(f compared) string { return f.A.Scenario }), Of: func(f compared) report.Value { return report.Text(f.A.Scenario) }},
			{Head: "VARIANT", Of: func(f compared) report.Value { return report.Text(called(f.Pair)) }}}
	}
	people = append(people,
		col{Head: "METRIC", Of: func(f compared) report.Value { return report.Text(f.Name) }},
		col{Head: " A", Of: func(f compared) report.Value {
			before, _ := report.Sides(f.Before, f.After)
			return report.Text(before)
		}},
		col{Head: " B", Of: func(f compared) report.Value { _, after := report.Sides(f.Before, f.After); return report.Text(after) }},
		col{Head: " CHANGE", Drop: 2, Of: func(f compared) report.Value { return report.Text(report.Difference(f.Before, f.After)) }})
	if sampled {
		people = append(people, col{Head: " B - A, 95 %", Drop: 1, Of: func(f compared) report.Value { return report.Text(report.Between(f.Ends())) }})
	}
	people = append(people, col{Head: "BETTER", Of: func(f compared) report.Value { return report.Text(f.Better).Marked(f.mark()) }})
	return report.TableOf("figures", rows, machineColumns...), report.TableOf("", some, people...).From("figures")
}

// called is the variant's name, with its spec where a side has several.
func called(p *Pair) string {
	if p.A.Only && p.B.Only {
		return p.A.Variant
	}
	return strings.TrimSpace(p.A.Variant + " (spec " + p.A.Short() + ")")
}

// machineColumns are exact.
var machineColumns = []report.Column[compared]{
	{Name: "scenario_a", Of: func(f compared) report.Value { return report.Text(f.A.Scenario) }},
	{Name: "variant_a", Of: func(f compared) report.Value { return report.Text(f.A.Variant) }},
	{Name: "scenario_b", Of: func(f compared) report.Value { return report.Text(f.B.Scenario) }},
	{Name: "variant_b", Of: func(f compared) report.Value { return report.Text(f.B.Variant) }},
	{Name: "metric", Of: func(f compared) report.Value { return report.Text(f.Name) }},
	{Name: "a", Of: func(f compared) report.Value { return report.Exact(f.Before) }},
	{Name: "b", Of: func(f compared) report.Value { return report.Exact(f.After) }},
	{Name: "unit", Of: func(f compared) report.Value { return report.Text(string(f.Unit)) }},
	{Name: "exact", Of: func(f compared) report.Value { return report.Bool(f.Exact) }},
	{Name: "paired", Of: func(f compared) report.Value { return report.Bool(f.Interval != nil && f.Interval.Paired) }},
	{Name: "difference_low", Of: func(f compared) report.Value { low, _ := f.Ends(); return report.Exact(low) }},
	{Name: "difference_high", Of: func(f compared) report.Value { _, high := f.Ends(); return report.Exact(high) }},
	{Name: "better", Of: func(f compared) report.Value { return report.Text(f.Better).If(f.Better != "") }},
	{Name: "spec_a", Of: func(f compared) report.Value { return report.Text(f.A.Short()) }},
	{Name: "spec_b", Of: func(f compared) report.Value { return report.Text(f.B.Short()) }},
	{Name: "runs_a", Of: func(f compared) report.Value { return report.Count(len(f.A.Runs)) }},
	{Name: "runs_b", Of: func(f compared) report.Value { return report.Count(len(f.B.Runs)) }},
	{Name: "unfinished_a", Of: func(f compared) report.Value { return report.Count(f.A.Open()) }},
	{Name: "unfinished_b", Of: func(f compared) report.Value { return report.Count(f.B.Open()) }},
}
