package sim_test

import (
	"testing"

	"agentsim/sim"
)

func TestAudit(t *testing.T) {
	t.Run("MET-03 no run of the library breaks an invariant", func(t *testing.T) {
		var made int64
		libraryRuns(t, func(name string, spec *sim.Spec) {
			res, err := sim.Run(spec, sim.Options{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			made += res.Audit.Made
			if err := res.Audit.Err(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		t.Log(made)
	})
}
