package sim

import (
	"fmt"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim/audit"
	"agentsim/sim/handoff"
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
func handoffs(sc *scenarios.Scenario) []handoff.Rule {
	var out []handoff.Rule
	for _, v := range sc.Classifier {
		out = append(out, handoff.Rule{Taint: v.Taint, Verdict: v.Verdict, Why: v.Why})
	}
	return out
}

// auditedHandoffs is what an auditor has to know of the classifier; nil where it
// is never on.
func auditedHandoffs(spec *Spec) *audit.Handoffs {
	sc := spec.Scenario
	const gate = "TRANSCRIPT_CLASSIFIER"
	on := sc.Gate(gate) == "true"
	flips := slices.ContainsFunc(sc.GateFlips, func(f scenarios.GateFlip) bool { return f.Gate == gate })
	if !on && !flips {
		return nil
	}
	h := &audit.Handoffs{Marks: mark.NewKey(spec.Seed()), On: on}
	for _, v := range sc.Classifier {
		h.Rules = append(h.Rules, audit.Handoff{Taint: v.Taint, Verdict: v.Verdict})
	}
	return h
}
