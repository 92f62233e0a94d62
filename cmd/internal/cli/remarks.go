package cli

import (
	"slices"

	"agentsim/metrics/report"
)

// remarks are the lines below a comparison: why bills differ, what wake-ups cost,
// and what was lost on the way.
func remarks(rows []report.Row) []string {
	return slices.Concat(report.Why(rows), report.WakeUps(rows), report.Losses(rows))
}
