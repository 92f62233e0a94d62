package run

import (
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim"
)

// elsewhere runs the variants once more on the scenario's own project, unrecorded, where
// the command line gave another: what they come to there, and what makes each differ here. There is nothing to say of a scenario without files of its own, or
// whose overrides only the given project can take.
func (o *options) elsewhere(s *ui.Env, a *answer) (lines []string, err error) {
	if o.project.Dir == "" {
		return nil, nil
	}
	project := o.project
	project.Dir = ""
	on, err := project.Scenario(s, o.name, o.sets)
	if err != nil {
		return nil, nil
	}
	if on.File, err = on.Fix(o.sets); err != nil {
		return nil, nil
	}
	m, specs, err := o.specs(s, on)
	if err != nil || len(specs) == 0 || specs[0].Project.Len() == 0 {
		return nil, nil
	}
	h := harness.New(s, "running on its own project", len(specs))
	defer h.Close()
	h.NoAudit = true
	var bills []string
	there := map[string]*harness.Run{} // by variant
	err = h.Run(len(specs), func(i int) (*harness.Job, error) { return m.Job(specs[i]), nil }, func(i int, r *harness.Run) error {
		if r.Result.Outcome == sim.Completed && len(r.Metrics.Unpriced()) == 0 {
			bills = append(bills, strings.TrimSpace(r.Spec.Variant+" "+report.Money(r.Metrics.Total.Cost)))
			there[r.Spec.Variant] = r
		}
		return nil
	})
	if err != nil || len(there) == 0 {
		return nil, err
	}
	lines = []string{"on the scenario's own project: " + strings.Join(bills, ", ")}
	for _, x := range a.done {
		if own := there[x.Spec.Variant]; own != nil && x.Result.Outcome == sim.Completed {
			lines = append(lines, report.Elsewhere(report.Row{Variant: x.Spec.Variant, Run: x.Metrics}, report.Row{Variant: x.Spec.Variant, Run: own.Metrics}))
		}
	}
	return lines, nil
}
