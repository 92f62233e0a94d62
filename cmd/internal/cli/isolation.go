package cli

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/audit"
)

// isolation says how many invariants were held against the runs, how often, and
// which were broken; "" without an auditor.
func isolation(done []executed) string {
	var all, broken []string
	var made, bad int64
	for _, x := range done {
		if x.result.Audit == nil {
			continue
		}
		for _, c := range x.result.Audit.Counts {
			made, bad = made+c.Made, bad+c.Broken
			if !slices.Contains(all, c.ID) {
				all = append(all, c.ID)
			}
			if c.Broken > 0 && !slices.Contains(broken, c.ID) {
				broken = append(broken, c.ID)
			}
		}
	}
	if made == 0 {
		return ""
	}
	verdict := "none broken"
	if bad > 0 {
		slices.Sort(broken)
		verdict = ui.Count(bad) + " broken: " + strings.Join(broken, ", ")
	}
	return fmt.Sprintf("%s, %s checks, %s", ui.Plural(len(all), "invariant"), ui.Count(made), verdict)
}

// broken is the failure of the first run that breaks an invariant, nil when none
// does.
func broken(done []executed, o *runOptions) error {
	for _, x := range done {
		if err := harness.Broken(x.result); err != nil {
			return ui.Failf(ui.Broken, "%s: an invariant is broken\n%w\nrepeat with: %s", title(x), err, o.repeat(x.spec))
		}
	}
	return nil
}

// checkedJSON is an invariant for machines.
type checkedJSON struct {
	Invariant string `json:"invariant"`
	What      string `json:"what"`
	Checks    int64  `json:"checks"`
	Broken    int64  `json:"broken,omitempty"`
}

func invariantsJSON(r *audit.Report) (out []checkedJSON) {
	if r == nil {
		return nil
	}
	for _, c := range r.Counts {
		out = append(out, checkedJSON{c.ID, c.What, c.Made, c.Broken})
	}
	return out
}
