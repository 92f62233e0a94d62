package sides

import (
	"strings"

	"agentsim/metrics/report"
)

// compared is a figure of a pair.
type compared struct {
	*Pair
	Figure
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
		people = []col{{Head: "SCENARIO", Of: func(f compared) report.Value { return report.Text(f.A.Scenario) }},
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
	people = append(people, col{Head: "BETTER", Of: func(f compared) report.Value { return report.Text(f.Better) }})
	return report.TableOf("figures", rows, machineColumns...), report.TableOf("", some, people...)
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
