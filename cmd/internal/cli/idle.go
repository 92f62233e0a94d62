package cli

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
)

func namesOf(specs []*sim.Spec) (names []string) {
	for _, spec := range specs {
		names = append(names, spec.Variant)
	}
	return names
}

// tellIdle warns of what a file, or one of these variants, sets and nothing reads.
func tellIdle(s *ui.Env, file *scenarios.File, names []string) {
	for _, x := range file.Idle(names...) {
		mine := func(name string) bool { return name == x.Variant || strings.HasPrefix(name, x.Variant+"[") }
		if x.Variant == "" || slices.ContainsFunc(names, mine) {
			fmt.Fprintln(s.Stderr, x)
		}
	}
}

// checkSets refuses overrides that none of these variants reads, and warns of what
// is given twice.
func checkSets(s *ui.Env, file *scenarios.File, names, sets []string) error {
	twice, err := file.CheckSets(names, sets)
	for _, line := range twice {
		fmt.Fprintln(s.Stderr, line)
	}
	return err
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
