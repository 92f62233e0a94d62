package sim

import (
	"fmt"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/mark"
)

// plantInjections writes the scenario's injected instructions, each with its mark,
// behind the lines that it names.
func (r *run) plantInjections() error {
	for i, x := range r.scenario.Injections {
		if err := r.fs.Plant(x.File, x.Line, x.Text+" "+r.marks.Text(mark.Inject, x.Name)); err != nil {
			return &ScenarioError{fmt.Sprintf("injections[%d]", i), fmt.Errorf("injection %q: %w", x.Name, err)}
		}
	}
	return nil
}

// handoffs is the script of the classifier of hand-offs (TSK-06).
func handoffs(sc *scenarios.Scenario) []agent.HandoffRule {
	var out []agent.HandoffRule
	for _, v := range sc.Classifier {
		out = append(out, agent.HandoffRule{Taint: v.Taint, Verdict: v.Verdict, Why: v.Why})
	}
	return out
}
