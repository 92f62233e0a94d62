package sim

import (
	"fmt"
	"slices"

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

// defines refuses a type that the lead names and nobody defines.
func defines(defs []*agent.Definition, sc *scenarios.Scenario) error {
	err := defined(defs, "type", sc.Type)
	for i := range sc.Work {
		if err == nil && sc.Strategy() == "subagent" {
			err = defined(defs, fmt.Sprintf("work[%d].agent.type", i), sc.Work[i].Agent.Type)
		}
	}
	return err
}

func defined(defs []*agent.Definition, path, typ string) error {
	if typ == "" || slices.ContainsFunc(defs, func(d *agent.Definition) bool { return d.Type == typ }) {
		return nil
	}
	return &ScenarioError{path, fmt.Errorf("no agent of type %q is defined; there are %s", typ, typeNames(defs))}
}

// tellProblems records the definitions that could not be read.
func (r *run) tellProblems() {
	for _, p := range r.problems {
		r.world.Record(&transcript.Finding{Rule: "definition", Detail: p.String()})
	}
}
