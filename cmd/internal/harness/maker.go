package harness

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/workspace"
)

// Maker makes the specs of a file's variants. Its zero fields leave what the
// scenario says.
type Maker struct {
	File    *scenarios.File
	Sets    []string                                           // overrides of the form path=value
	Seed    *uint64                                            // in place of the scenario's
	Policy  string                                             // in place of first come, first served
	Project *workspace.Snapshot                                // in place of the scenario's own files
	Adapt   func(sc *scenarios.Scenario, variant string) error // what else is given

	Elsewhere bool // the command line gives another project than the file does
	Sessions  bool // its file is of one session, and what runs is shards of a population
}

// Scenario is a variant with the overrides and some more of them.
func (m *Maker) Scenario(variant string, more ...string) (*scenarios.Scenario, error) {
	sc, err := m.File.Effective(variant, slices.Concat(m.Sets, more))
	if err != nil {
		return nil, err
	}
	if m.Seed != nil {
		sc.Seed = *m.Seed
	}
	if m.Adapt != nil {
		err = m.Adapt(sc, variant)
	}
	return sc, err
}

// Spec is the run of a variant's scenario. It may share files with others of the Maker's.
func (m *Maker) Spec(sc *scenarios.Scenario, variant string, others ...*sim.Spec) (*sim.Spec, error) {
	policy := cmp.Or(m.Policy, kernel.FIFO().Name())
	if m.Project != nil {
		return sim.NewSpecOn(m.Project, sc, variant, policy), nil
	}
	spec, err := sim.NewSpec(sc, variant, others...)
	if err != nil {
		return nil, err
	}
	spec.Policy = policy
	return spec, nil
}

// Specs makes one for each of the variants.
func (m *Maker) Specs(variants []string) (out []*sim.Spec, err error) {
	for _, v := range variants {
		sc, err := m.Scenario(v)
		if err != nil {
			return nil, err
		}
		spec, err := m.Spec(sc, v, out...)
		if err != nil {
			return nil, err
		}
		out = append(out, spec)
	}
	return out, nil
}

// Variants keeps those of a file that are wanted, nil for all, in the file's order.
// A plain name means all its cells.
func Variants(file *scenarios.File, wanted []string) ([]string, error) {
	all := file.VariantNames()
	if len(wanted) == 0 {
		return all, nil
	}
	means := func(want, name string) bool { return name == want || strings.HasPrefix(name, want+"[") }
	for _, w := range wanted {
		if !slices.ContainsFunc(all, func(n string) bool { return means(w, n) }) {
			return nil, ui.Failf(ui.Usage, "%s has no variant %q; it has: %s", file.Name, w, listed(all))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(n string) bool {
		return !slices.ContainsFunc(wanted, func(w string) bool { return means(w, n) })
	}), nil
}

func listed(names []string) string {
	if len(names) == 1 && names[0] == "" {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Job is the job of one of its specs, which more overrides went into.
func (m *Maker) Job(spec *sim.Spec, more ...string) *Job {
	return &Job{Spec: spec, Watch: expect.Watched(m.File.Expect), maker: m, more: more}
}

// located gives an error about a part of a variant's scenario its place in the
// file.
func (m *Maker) located(variant string, err error, more []string) error {
	var part *sim.ScenarioError
	if m != nil && errors.As(err, &part) {
		path := part.Path
		if root, below, is := strings.Cut(path, "]"); m.Sessions && is && strings.HasPrefix(root, "roots[") {
			path = "main" + below
		}
		return m.File.Locate(variant, slices.Concat(m.Sets, more), path, part.Err.Error())
	}
	return err
}
