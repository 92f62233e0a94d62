package sim

import (
	"slices"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// chooseStack makes the minimal stack's world of the full one's where the
// scenario asks for it: the project's own definitions before the built-in ones,
// and of the eight tools those that act, in the scenario's times.
func (r *run) chooseStack(cfg *agent.Config) {
	sc := r.spec.Scenario
	if sc.Stack != scenarios.MinimalStack {
		return
	}
	cfg.Minimal = &agent.Minimal{ReadOnlyShell: *sc.Minimal.ReadOnlyShell}
	set := definition.Load([]definition.Source{definition.Project(r.spec.Project)}, nil, &cfg.Gates)
	r.problems = set.Errors()
	cfg.Definitions = agent.MinimalDefinitions(*cfg.Minimal, set.Definitions)
	all := tool.Catalogue()
	for i, t := range all {
		if timed := tool.Find(cfg.Offered, t.Name); timed != nil {
			all[i] = timed
		}
	}
	cfg.Offered = slices.DeleteFunc(tool.Minimal(all, agent.MinimalTypes(cfg.Definitions)), func(t *tool.Tool) bool { return !t.Acts() })
	r.offered = cfg.Offered
}

// tellProblems records the definitions that could not be read.
func (r *run) tellProblems() {
	for _, p := range r.problems {
		r.world.Record(&transcript.Finding{Rule: "definition", Detail: p.String()})
	}
}
