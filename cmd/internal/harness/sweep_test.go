package harness

import (
	"errors"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/grid"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
)

func TestSweep(t *testing.T) {
	t.Run("CLI-06 CLI-02 a run that breaks an invariant ends the sweep", func(t *testing.T) {
		w := &Sweep{Grid: grid.New("g", nil, []string{"v"}, 1)}
		r := &Run{ID: "x", Spec: &sim.Spec{Variant: "v", Scenario: &scenarios.Scenario{Seed: 1}},
			Result: &sim.Result{Outcome: sim.Completed, Audit: &audit.Report{Broken: 1, Violations: []audit.Violation{{Check: "X"}}}}}
		err := w.take(0, 0, r)
		var failure *ui.Failure
		if !errors.As(err, &failure) || failure.Code != ui.Broken || !strings.Contains(err.Error(), "an invariant is broken") {
			t.Error(err)
		}
	})
}
