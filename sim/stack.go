package sim

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/minimal"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// chooseMinimal makes the world one of the minimal stack: what user and project
// define before the built-in types, and of the eight tools those that act, in the
// scenario's times.
func (r *run) chooseMinimal(cfg *agent.Config) error {
	sc := r.spec.Scenario
	o := minimal.Options{ReadOnlyShell: *sc.Minimal.ReadOnlyShell, SideBySide: sc.Minimal.SideBySide}
	cfg.Stack, cfg.Coordinator = minimal.New(o, cfg.UserContext, cfg.SystemContext), nil
	set := definition.Load(DefinitionSources(sc, r.spec.Project), nil, &cfg.Gates)
	r.problems = set.Errors()
	var custom []*agent.Definition
	for _, row := range set.Rows {
		if row.Outcome != definition.Refused {
			custom = append(custom, row.Definition)
		}
	}
	cfg.Definitions = minimal.Definitions(o, custom)
	if err := defines(cfg.Definitions, sc); err != nil {
		return err
	}
	cfg.Offered = slices.DeleteFunc(tool.Minimal(cfg.Catalogue, minimal.Types(cfg.Definitions)), func(t *tool.Tool) bool { return !t.Implemented() })
	r.offered, cfg.Catalogue = cfg.Offered, cfg.Offered
	return nil
}

// defines refuses a type that the scenario has agents started of and nobody
// defines, and one of which none can be started. What exact turns call may be a
// mistake of the model's: only a definition that is there and of no use is refused.
func defines(defs []*agent.Definition, sc *scenarios.Scenario) error {
	for _, x := range sc.Starts() {
		i := slices.IndexFunc(defs, func(d *agent.Definition) bool { return d.Type == x.Type })
		switch {
		case i < 0 && !x.Scripted:
			return &ScenarioError{x.Path, fmt.Errorf("no agent of type %q is defined; there are %s", x.Type, typeNames(defs))}
		case i >= 0:
			if why := unserved(defs[i], x.Model, sc.Isolation, sc); why != "" {
				return &ScenarioError{x.Path, fmt.Errorf("agent type %q cannot be started: %s", x.Type, why)}
			}
		}
	}
	return nil
}

// unserved is why no agent of a definition can be started, with its place, "" where
// one can. A call that names a model does not ask for the definition's.
func unserved(d *agent.Definition, model, isolation string, sc *scenarios.Scenario) string {
	if why := d.Unserved(isolation, sc.Remote != nil); len(why) > 0 {
		return strings.Join(why, "; ") + "; leave it out there, or name another type"
	}
	if why := unresolved(d, sc); model == "" && why != "" {
		return d.Place + ": " + why
	}
	return ""
}

// tellProblems records the definitions that could not be read.
func (r *run) tellProblems() {
	for _, p := range r.problems {
		r.world.Record(&transcript.Finding{Rule: "definition", Detail: p.String()})
	}
}
