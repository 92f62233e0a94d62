package harness

import (
	"slices"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/kernel"
)

// met is what there was in the runs of one file.
type met struct {
	maker   *Maker
	runs    []scenarios.Ran
	altered bool // something beside the file decides them
	known   bool // the database had one: what agents there were in it is not known
}

// meet keeps what there was in a run of a file.
func (h *Harness) meet(j *Job, r *Run) {
	mk := j.maker
	if mk == nil {
		return
	}
	i := slices.IndexFunc(h.met, func(m *met) bool { return m.maker.File == mk.File })
	if i < 0 {
		i = len(h.met)
		h.met = append(h.met, &met{maker: mk})
	}
	m := h.met[i]
	m.altered = m.altered || len(mk.Sets)+len(j.more) > 0 || mk.Seed != nil || mk.Elsewhere || j.Spec.Policy != kernel.FIFO().Name()
	if r.Metrics == nil {
		m.known = m.known || j.known
		return
	}
	ran := scenarios.Ran{Variant: j.Spec.Variant, Sets: scenarios.Striking(j.more), Whole: r.Result.Outcome == sim.Completed,
		Tools: r.Metrics.Tools, Idled: r.Metrics.Idled}
	for i := range r.Metrics.Agents {
		ran.Lineages = append(ran.Lineages, r.Metrics.Agents[i].Lineage)
	}
	m.runs = scenarios.Join(m.runs, ran)
}

// Unstruck lists what the files of the runs that are over say for agents and tools
// that there were not. The error is a mistake in a file.
func (h *Harness) Unstruck() (told []scenarios.Idle, mistake error) {
	for _, m := range h.met {
		if m.known {
			continue
		}
		more, err := m.maker.File.Unstruck(m.maker.Sets, m.runs, !m.altered)
		told = append(told, more...)
		if mistake == nil {
			mistake = err
		}
	}
	return told, mistake
}
