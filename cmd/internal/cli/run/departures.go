package run

import (
	"slices"
	"strings"

	"agentsim/sim/transcript"
)

// departures is a transcript.Sink that keeps the ids of the statements that a
// minimal stack leaves, as its findings of rule minimal name them: each once,
// sorted.
type departures struct{ ids []string }

// Emit takes one event in.
func (d *departures) Emit(e *transcript.Event) {
	f, ok := e.Body.(*transcript.Finding)
	if !ok || f.Rule != "minimal" {
		return
	}
	id, _, _ := strings.Cut(f.Detail, ":")
	if at, found := slices.BinarySearch(d.ids, id); !found {
		d.ids = slices.Insert(d.ids, at, id)
	}
}

// leaves says in a line for each group of variants that leave the same
// statements which those are.
func leaves(done []executed) (out []string) {
	var sets []string
	of := map[string][]string{}
	for _, x := range done {
		if set := strings.Join(x.leaves, ", "); set != "" {
			if of[set] == nil {
				sets = append(sets, set)
			}
			of[set] = append(of[set], variantOf(x))
		}
	}
	for _, set := range sets {
		verb := " leaves "
		if len(of[set]) > 1 {
			verb = " leave "
		}
		out = append(out, strings.Join(of[set], ", ")+verb+set)
	}
	return out
}

// variantOf names a variant; a scenario without variants goes by its own name.
func variantOf(x executed) string {
	if x.Spec.Variant == "" {
		return x.Spec.Scenario.Name
	}
	return x.Spec.Variant
}
