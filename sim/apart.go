package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/tool"
)

// typed is the definition of a type, "" the default one; nil for none.
func typed(defs []*agent.Definition, typ string) *agent.Definition {
	typ = cmp.Or(typ, agent.TypeGeneralPurpose)
	if i := slices.IndexFunc(defs, func(d *agent.Definition) bool { return d.Type == typ }); i >= 0 {
		return defs[i]
	}
	return nil
}

// apart reports whether agents of a type work in a worktree by their definition.
func apart(r *run) func(typ string) bool {
	return func(typ string) bool {
		if r.alike.defined == nil {
			return false
		}
		d := typed(r.alike.defined.Definitions, typ)
		return d != nil && d.Isolation == scenarios.Isolated
	}
}

// comesBack refuses work whose changes would stay in worktrees, since nobody could merge
// their branches, or in remote environments, from which nothing comes back.
func comesBack(r *run, defs []*agent.Definition) error {
	sc := r.spec.Scenario
	stays := scenarios.Unmergeable(sc, r.leadLacks)
	if len(sc.Work) > 0 && sc.Isolation == scenarios.Isolated && stays != "" {
		return &ScenarioError{"isolation", errors.New(stays)}
	}
	for _, x := range sc.Starts() {
		d := typed(defs, x.Type)
		if !x.Edits || d == nil {
			continue
		}
		why := ""
		switch {
		case sc.Isolation == scenarios.Isolated: // the call's beats the definition's
		case d.Isolation == scenarios.Isolated:
			why = stays
		case d.Isolation != "":
			why = "what is changed in a remote environment does not come back"
		}
		if why != "" {
			return &ScenarioError{x.Path, fmt.Errorf("agents of type %q edit with isolation %s (%s): %s", d.Type, d.Isolation, cmp.Or(d.Fields["isolation"], d.Place), why)}
		}
	}
	return nil
}

// leadLacks reports whether whoever leads the work has no such tool.
func (r *run) leadLacks(name string) bool {
	for _, root := range Roots(r.spec.Scenario) {
		if root.Tools != nil {
			return !slices.Contains(*root.Tools, name)
		}
	}
	return tool.Find(r.offered, name) == nil
}
