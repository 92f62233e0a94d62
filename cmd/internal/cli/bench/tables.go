package bench

import (
	"cmp"
	"fmt"
	"math"

	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
)

// fields are what machines get beside tables.
func (b *bench) fields(d *report.Document) {
	counts := map[string]int{}
	for _, v := range tally {
		counts[strings.ReplaceAll(v.String(), " ", "_")] = b.report.Count(v)
	}
	d.Field("baseline", report.Text(b.o.baseline))
	d.Field("counts", report.Nested(counts))
	d.Field("semantics_changed", report.Text(b.otherSemantics()).If(b.report.Other != 0))
	d.Field("expectations_missed", report.List(b.misses()))
	if b.broken != nil {
		d.Field("invariant_broken", report.Text(b.broken.Error()))
	}
	d.Table(b.variants())
}

// variants are the verdicts, with what is known beside figures.
func (b *bench) variants() *report.Sheet {
	type col = report.Column[baseline.Variant]
	columns := []col{
		{Name: "scenario", Of: func(v baseline.Variant) report.Value { return report.Text(v.Scenario) }},
		{Name: "variant", Of: func(v baseline.Variant) report.Value { return report.Text(v.Variant) }},
		{Name: "seeds", Of: func(v baseline.Variant) report.Value { return report.Nested(v.Seeds) }},
		{Name: "verdict", Of: func(v baseline.Variant) report.Value { return report.Text(v.Verdict.String()) }},
		{Name: "note", Of: func(v baseline.Variant) report.Value { return report.Text(v.Note).If(v.Note != "") }},
		{Name: "cause", Of: func(v baseline.Variant) report.Value { return report.Text(b.cause(&v)).If(v.Cause != nil) }},
		{Name: "first_difference", Of: func(v baseline.Variant) report.Value { return report.Text(v.Where).If(v.First != nil) }},
		{Name: "first_difference_seed", Of: func(v baseline.Variant) report.Value { return report.Unsigned(v.Seed).If(v.First != nil) }},
	}
	for _, f := range []struct {
		name string
		of   func(*baseline.Variant) report.Value
	}{
		{"event", func(v *baseline.Variant) report.Value { return report.Unsigned(v.First.Index) }},
		{"field", func(v *baseline.Variant) report.Value { return report.Text(v.First.Field) }},
		{"before", func(v *baseline.Variant) report.Value { return report.Text(v.First.Want) }},
		{"after", func(v *baseline.Variant) report.Value { return report.Text(v.First.Got) }},
	} {
		columns = append(columns, col{Name: "first_difference_" + f.name, Of: func(v baseline.Variant) report.Value {
			if v.First == nil {
				return report.None()
			}
			return f.of(&v)
		}})
	}
	return report.TableOf("variants", b.report.Variants, append(columns,
		col{Name: "shorter_prefixes", Of: func(v baseline.Variant) report.Value { return report.List(v.Shorter).If(v.Shorter != nil) }},
		col{Name: "guard", Of: func(v baseline.Variant) report.Value {
			return report.Nested(b.guardFindings[v.Name()]).If(b.guardFindings[v.Name()] != nil)
		}})...)
}

// uncompared are the figures of a variant's first seed where there is no baseline.
func (b *bench) uncompared(v *baseline.Variant) (out []baseline.Change) {
	i := slices.IndexFunc(b.now.Runs, func(r *baseline.Run) bool { return r.Name() == v.Name() })
	if b.base != nil || i < 0 {
		return nil
	}
	for _, m := range baseline.Metrics() {
		if f, ok := b.now.Runs[i].Figures[m.Name]; ok {
			out = append(out, baseline.Change{Metric: m, After: &f})
		}
	}
	return out
}

// benched is a figure of a variant: one that differs, or one that has nothing to
// be compared with. A variant without such figures has one row without a name.
type benched struct {
	*baseline.Variant
	baseline.Change
	names []string // the variants that people see it of
}

// judged reports whether the figure has something to be compared with.
func (r benched) judged() bool { return r.Change.Seeds > 0 || r.Change.Verdict != baseline.Pass }

// figures has a row for each variant and each figure of it that differs, exact for
// machines. People see the loudest variant first, and a figure that several variants
// of a scenario have in common once.
func (b *bench) figures() (all, shown *report.Sheet) {
	var rows, some []benched
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		changes := append(b.uncompared(v), v.Changes...)
		for _, c := range changes {
			rows = append(rows, benched{Variant: v, Change: c})
		}
		if len(changes) == 0 {
			rows = append(rows, benched{Variant: v})
		}
	}
	for _, v := range b.loudest() {
		for _, c := range v.Changes {
			some = together(some, benched{v, c, []string{v.Variant}})
		}
		if len(v.Changes) == 0 && v.Verdict != baseline.Pass && b.base != nil {
			events := benched{v, baseline.Change{Verdict: v.Verdict}, []string{v.Variant}}
			if v.Verdict != baseline.NoBaseline {
				events.Metric.Name = "events"
			}
			some = together(some, events)
		}
	}
	return report.TableOf("figures", rows, benchColumns...), report.TableOf("", some, b.peopleColumns(some)...).From("figures")
}

// loudest are the variants in order of their verdicts and of how much they changed.
func (b *bench) loudest() []*baseline.Variant {
	var out []*baseline.Variant
	for i := range b.report.Variants {
		out = append(out, &b.report.Variants[i])
	}
	slices.SortStableFunc(out, func(x, y *baseline.Variant) int {
		return cmp.Or(cmp.Compare(y.Verdict, x.Verdict), cmp.Compare(loudness(y), loudness(x)))
	})
	return out
}

// loudness is how far the first figure that decides a variant's verdict is from what
// it was, in parts of that.
func loudness(v *baseline.Variant) float64 {
	for _, c := range v.Changes {
		if c.Verdict == v.Verdict && c.Before != nil && c.After != nil && c.Before.Num != 0 {
			return math.Abs(c.After.Float()/c.Before.Float() - 1)
		}
	}
	return 0
}

// together adds a row, or its variant to one that is the same otherwise.
func together(rows []benched, r benched) []benched {
	same := func(a, b *metrics.Value) bool { return a == b || a != nil && b != nil && a.Cmp(*b) == 0 }
	i := slices.IndexFunc(rows, func(o benched) bool {
		return o.Scenario == r.Scenario && o.Metric == r.Metric && o.Change.Verdict == r.Change.Verdict && o.Change.Seeds == r.Change.Seeds &&
			same(o.Before, r.Before) && same(o.After, r.After) && o.Interval == nil && r.Interval == nil
	})
	if i < 0 {
		return append(rows, r)
	}
	rows[i].names = append(rows[i].names, r.names...)
	return rows
}

// mark is whether the figure is a regression, or better than it was.
func (r benched) mark() report.Mark {
	switch {
	case r.Change.Verdict == baseline.Regression:
		return report.Worse
	case r.Improved():
		return report.Better
	}
	return report.Unmarked
}

// benchColumns are exact.
var benchColumns = []report.Column[benched]{
	{Name: "scenario", Of: func(r benched) report.Value { return report.Text(r.Scenario) }},
	{Name: "variant", Of: func(r benched) report.Value { return report.Text(r.Variant.Variant) }},
	{Name: "verdict", Of: func(r benched) report.Value { return report.Text(r.Variant.Verdict.String()) }},
	{Name: "metric", Of: func(r benched) report.Value { return report.Text(r.Metric.Name).If(r.Metric.Name != "") }},
	{Name: "before", Of: func(r benched) report.Value { return report.Exact(r.Before) }},
	{Name: "after", Of: func(r benched) report.Value { return report.Exact(r.After) }},
	{Name: "unit", Of: func(r benched) report.Value { return report.Text(string(r.Unit)).If(r.Metric.Name != "") }},
	{Name: "figure_verdict", Of: func(r benched) report.Value { return report.Text(r.Change.Verdict.String()).If(r.judged()) }},
	{Name: "better", Of: func(r benched) report.Value { return report.Text(r.Better).If(r.Better != "") }},
	{Name: "seeds_that_differ", Of: func(r benched) report.Value { return report.Count(r.Change.Seeds).If(r.judged()) }},
	{Name: "difference_low", Of: func(r benched) report.Value { low, _ := r.Ends(); return report.Exact(low) }},
	{Name: "difference_high", Of: func(r benched) report.Value { _, high := r.Ends(); return report.Exact(high) }},
	{Name: "thresholds_missed", Of: func(r benched) report.Value { return texts(r.Missed) }},
	{Name: "thresholds_met", Of: func(r benched) report.Value { return texts(r.Allowed) }},
	{Name: "thresholds_without_data", Of: func(r benched) report.Value { return texts(r.Unheld) }},
}

func texts(list []*baseline.Threshold) report.Value {
	var out []string
	for _, t := range list {
		out = append(out, t.Text)
	}
	return report.List(out).If(out != nil)
}

// peopleColumns are those of figures that differ. A narrow terminal does without the
// scenario first where all are of one.
func (b *bench) peopleColumns(rows []benched) []report.Column[benched] {
	type col = report.Column[benched]
	columns := []col{
		{Head: "SCENARIO", Drop: report.DropAlike(rows, 5, func(r benched) string { return r.Scenario }), Of: func(r benched) report.Value { return report.Text(r.Scenario) }},
		{Head: "VARIANT", Of: func(r benched) report.Value { return report.Text(report.Some(r.names)) }},
		{Head: "METRIC", Of: func(r benched) report.Value { return report.Text(r.Metric.Name) }},
		{Head: " BEFORE", Drop: 1, Of: func(r benched) report.Value {
			before, _ := report.Sides(r.Before, r.After)
			return report.Text(before).OrBlank(r.Unit != "")
		}},
		{Head: " AFTER", Of: func(r benched) report.Value {
			_, after := report.Sides(r.Before, r.After)
			return report.Text(after).OrBlank(r.Unit != "")
		}},
		{Head: " CHANGE", Drop: 2, Of: func(r benched) report.Value { return report.Text(report.Difference(r.Before, r.After)) }},
	}
	if b.o.seeds > 1 {
		columns = append(columns,
			col{Head: " SEEDS", Drop: 4, Of: func(r benched) report.Value {
				return report.Text(fmt.Sprintf("%d of %d", r.Change.Seeds, len(r.Variant.Seeds))).OrBlank(r.Unit != "")
			}},
			col{Head: "95 % OF THE DIFFERENCE", Drop: 3, Of: func(r benched) report.Value { return report.Text(report.Between(r.Ends())) }})
	}
	return append(columns, col{Head: "VERDICT", Of: func(r benched) report.Value { return report.Text(r.Change.Verdict.String()).Marked(r.mark()) }})
}
