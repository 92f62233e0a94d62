package loading

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
)

// NamesOf are the names of variants.
func NamesOf(specs []*sim.Spec) (names []string) {
	for _, spec := range specs {
		names = append(names, spec.Variant)
	}
	return names
}

// WarnIdle warns of what a file, or one of these variants, sets and nothing reads.
func WarnIdle(s *ui.Env, file *scenarios.File, names []string) {
	for _, x := range file.Idle(names...) {
		mine := func(name string) bool { return name == x.Variant || strings.HasPrefix(name, x.Variant+"[") }
		if x.Variant == "" || slices.ContainsFunc(names, mine) {
			fmt.Fprintln(s.Stderr, x)
		}
	}
}

// WarnUnstruck warns of what the files of these runs say for agents and tools that
// there were not; a fault of a file as it is written is a mistake in it.
func WarnUnstruck(s *ui.Env, h *harness.Harness) error {
	h.Progress.Finish()
	told, err := h.Unstruck()
	for _, x := range told {
		fmt.Fprintln(s.Stderr, x)
	}
	return err
}

// CheckSets refuses overrides that none of these variants reads, and warns of what
// is given twice.
func CheckSets(s *ui.Env, file *scenarios.File, names, sets []string) error {
	twice, err := file.CheckSets(names, sets)
	for _, line := range twice {
		fmt.Fprintln(s.Stderr, line)
	}
	return err
}
