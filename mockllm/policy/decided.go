package policy

import (
	"reflect"
	"slices"

	"agentsim/scenarios"
)

// otherwise is a key that a scenario gives another value than it has without one, and
// whether anything came out otherwise for it.
type otherwise struct {
	key  string
	with scenarios.CoordinatorSpec // as it would be without it
	met  bool
}

// otherwises are the coordinator's keys that are given so.
func otherwises(c *scenarios.CoordinatorSpec) (out []*otherwise) {
	usual := scenarios.Defaults().Coordinator
	for _, key := range []string{"workers", "synthesis", "broad", "corrections", "approaches", "overlap"} {
		x := &otherwise{key: key, with: *c}
		switch w := &x.with; key {
		case "workers":
			w.Workers = usual.Workers
		case "synthesis":
			w.Synthesis = usual.Synthesis
		case "broad":
			w.Broad = usual.Broad
		case "corrections":
			w.Corrections = usual.Corrections
		case "approaches":
			w.Approaches = usual.Approaches
		case "overlap":
			w.Overlap = usual.Overlap
		}
		if !reflect.DeepEqual(x.with, *c) {
			out = append(out, x)
		}
	}
	return out
}

// decided is what comes of a decision, which is noted of each key without which it would
// be another.
func decided[T comparable](t *Table, of func(c *scenarios.CoordinatorSpec) T) T {
	got := of(&t.coordinator)
	for _, x := range t.otherwise {
		x.met = x.met || of(&x.with) != got
	}
	return got
}

// Decided reports whether anything in a run came out otherwise for the setting at a path.
func (t *Table) Decided(path string) bool {
	if path == "model.gist_tokens" {
		return t.relayed
	}
	return slices.ContainsFunc(t.otherwise, func(x *otherwise) bool { return x.met && "coordinator."+x.key == path })
}
