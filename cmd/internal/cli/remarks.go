package cli

import (
	"slices"

	"agentsim/metrics/report"
	"agentsim/scenarios"
)

// remarks are the lines below a comparison: why bills differ, what wake-ups cost,
// what was lost on the way and how agents were steered, and what it comes to at a
// scale that the scenario names.
func remarks(sc *scenarios.Scenario, rows []report.Row) []string {
	out := slices.Concat(report.Why(rows), report.WakeUps(rows), report.Losses(rows), report.Steered(rows))
	if s := sc.Scale; s != nil {
		out = append(out, report.Extrapolate(rows, report.Scale{Type: s.Type, Spawns: s.Spawns, Period: s.Period, Low: s.Low, High: s.High})...)
	}
	return out
}
