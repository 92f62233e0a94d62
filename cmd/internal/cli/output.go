package cli

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
)

// emitRun prints what variants came to. Its table has the columns that people
// see: as CSV the exact metrics behind them, as Markdown what the terminal shows.
// All metrics are in the JSON alone.
func emitRun(s *ui.Env, o *runOptions, doc runJSON, done []executed) error {
	columns := o.shown
	switch o.output {
	case "csv":
		return exactRuns(doc, done, report.Metrics(columns)).CSV(s.Stdout)
	case "markdown":
		if !slices.Contains(columns, "outcome") {
			columns = append(slices.Clone(columns), "outcome")
		}
		return report.Comparison(rowsOf(done), columns).Markdown(s.Stdout)
	}
	return s.Emit(o.output, doc)
}

// exactRuns has a row for each variant: which run it is, how it ended, and some
// metrics. One without data is empty.
func exactRuns(doc runJSON, done []executed, names []string) *report.Table {
	t := report.NewTable(append([]string{"variant", "run", "seed", "policy", "outcome"}, names...)...)
	for i := range doc.Variants {
		v := &doc.Variants[i]
		cells := []string{v.Variant, v.Run, fmt.Sprint(v.Seed), v.Policy, v.Outcome}
		for _, name := range names {
			cell := ""
			if f, ok := report.FigureAt(done[i].metrics, name); ok {
				cell = figureOf(f).Text()
			}
			cells = append(cells, cell)
		}
		t.Row(cells...)
	}
	return t
}
