package audit_test

import (
	"testing"

	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/transcript"
)

func TestLetters(t *testing.T) {
	t.Run("TSK-08 TSK-09 TSK-10 messages, resumes and evictions break nothing, are looked at, and nothing is kept of them", func(t *testing.T) {
		spec := specOf(t, "letters")
		a := audit.New(sim.AuditOptions(spec))
		if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{a}}); err != nil {
			t.Fatal(err)
		}
		r := a.Report()
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		made := map[string]int64{}
		for _, c := range r.Counts {
			made[c.ID] = c.Made
		}
		for id, least := range map[string]int64{"TSK-02": 6, "TSK-08": 9, "TSK-09": 2, "TSK-10": 7} {
			if made[id] < least {
				t.Errorf("%s was checked %d times", id, made[id])
			}
		}
		if lives, tasks, forks := a.Held(); lives+tasks+forks > 0 {
			t.Errorf("%d lives, %d tasks, %d siblings are kept", lives, tasks, forks)
		}
	})
}
