package cli

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/scenarios"
)

// remarks are the lines below a comparison: whether the variants did equal work,
// why bills differ, what wake-ups cost, what was lost on the way and how agents
// were steered, and what it comes to at a scale that the scenario names.
func remarks(done []executed) []string {
	sc, rows := done[0].spec.Scenario, rowsOf(done)
	out := slices.Concat(unequal(done), report.Why(rows), report.WakeUps(rows), report.Losses(rows), report.Steered(rows))
	if s := sc.Scale; s != nil {
		out = append(out, report.Extrapolate(rows, report.Scale{Type: s.Type, Spawns: s.Spawns, Period: s.Period, Low: s.Low, High: s.High})...)
	}
	return out
}

// tellUnstruck warns of what none of these runs found anybody for.
func tellUnstruck(s *ui.Env, file *scenarios.File, done []executed, sets []string) {
	runs := make([]scenarios.Ran, len(done))
	for i, x := range done {
		runs[i].Variant, runs[i].Tools = x.spec.Variant, x.metrics.Tools
		for a := range x.metrics.Agents {
			runs[i].Lineages = append(runs[i].Lineages, x.metrics.Agents[a].Lineage)
		}
	}
	for _, x := range file.Unstruck(sets, runs) {
		fmt.Fprintln(s.Stderr, x)
	}
}
