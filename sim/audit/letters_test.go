package audit_test

import (
	"testing"

	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// sameInstant makes the read of an evicted output succeed, and the eviction happen
// at the instant of that read, where there is one to look for.
type sameInstant struct {
	to           *audit.Auditor
	read, called vtime.Instant // the call whose result is an error, 0 for not known yet, and the last one
}

func (s *sameInstant) Emit(e *transcript.Event) {
	c := *e
	switch b := e.Body.(type) {
	case *transcript.Output:
		if b.Op == "evicted" && s.read > 0 {
			c.At = s.read
		}
	case *transcript.ToolResult:
		if b.Name == "Read" && b.IsError {
			won := *b
			won.IsError, c.Body = false, &won
			s.read = s.called
		}
	case *transcript.ToolCall:
		s.called = e.At
	}
	s.to.Emit(&c)
}

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
	t.Run("TSK-09 an output may be read at the instant at which it goes, and not later", func(t *testing.T) {
		spec, read := specOf(t, "letters"), vtime.Instant(0)
		for _, broken := range []int64{1, 0} {
			to := &sameInstant{to: audit.New(sim.AuditOptions(spec)), read: read}
			if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{to}}); err != nil {
				t.Fatal(err)
			}
			for _, c := range to.to.Report().Counts {
				if c.ID == "TSK-09" && c.Broken != broken {
					t.Errorf("evicted at %s, 0s where it was due: TSK-09 is broken %d times", read, c.Broken)
				}
			}
			read = to.read
		}
	})
}
