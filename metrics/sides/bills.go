package sides

import (
	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/metrics/plot"
	"agentsim/metrics/report"
)

// perDollar is how many picodollars a dollar has.
const perDollar = 1e12

// Bills is the picture of what runs were billed, and for what, with their times; nil
// where nothing was, or nobody knows.
func Bills(title string, rows []report.Row) *plot.Bars {
	b := &plot.Bars{Title: title, Subtitle: "what calls were billed, and the time of the whole run", X: "cost, US dollars",
		Parts: []string{"cache read", "cache write", "uncached input", "output"}}
	var costs, times []report.Value
	billed := false
	for _, r := range rows {
		if len(r.Run.Unpriced()) > 0 {
			return nil
		}
		p, name := r.Run.Parts(), r.Variant
		if name == "" {
			name = "(only)"
		}
		bar := plot.Bar{Name: report.Plain(name)}
		for _, part := range []cachemodel.Picodollars{p.Read, p.Written, p.Input, p.Output} {
			bar.Parts = append(bar.Parts, float64(part)/perDollar)
		}
		b.Rows, billed = append(b.Rows, bar), billed || p.Total() > 0
		costs, times = append(costs, report.Dollars(p.Total())), append(times, report.Metric(metrics.Whole(int64(r.Run.Makespan), metrics.Nanoseconds)))
	}
	if !billed {
		return nil
	}
	costsShown, timesShown := report.Aligned(costs), report.Aligned(times)
	for i := range b.Rows {
		b.Rows[i].Label = costsShown[i] + " · " + timesShown[i]
	}
	return b
}
