package audit_test

import (
	"strings"
	"testing"

	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// operateOn is operate with what the auditor is told of the scenario.
func operateOn(t *testing.T, scenario string, cut func(e *transcript.Event) (change, drop bool)) (*audit.Report, *surgeon) {
	t.Helper()
	spec := specOf(t, scenario)
	s := &surgeon{to: audit.New(sim.AuditOptions(spec)), cut: cut}
	if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{s}}); err != nil {
		t.Fatal(err)
	}
	return s.to.Report(), s
}

// judgement changes the n-th judgement, from 1.
func judgement(n int, change func(b *transcript.Handoff)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Handoff)
		if !ok {
			return false, false
		}
		if n--; n != 0 {
			return false, false
		}
		c := *b
		change(&c)
		e.Body = &c
		return true, false
	}
}

// delivered changes the first result or notification of a request that holds a
// text.
func delivered(with, from, to string) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Request)
		if !ok || e.Agent != 0 || !strings.Contains(b.Head.Block.Content.Raw(), with) {
			return false, false
		}
		b.Head = rebuilt(b.Head, func(n *llm.Node) *llm.Block {
			c := *n.Block
			c.Content = llm.NewText(llm.Prose, strings.ReplaceAll(n.Block.Content.Raw(), from, to))
			return &c
		})
		return true, false
	}
}

func TestHandoffs(t *testing.T) {
	t.Run("TSK-06 MET-03 judgements and fronts that are as the script says break nothing, and nothing is kept of them", func(t *testing.T) {
		r, s := operateOn(t, "handoff", nil)
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		made := int64(0)
		for _, c := range r.Counts {
			if c.ID == "TSK-06" {
				made = c.Made
			}
		}
		if made < 6*4 {
			t.Errorf("%d checks of six children", made)
		}
		if n := s.to.Owed(); n != 0 {
			t.Errorf("%d judgements are kept", n)
		}
	})
	broken := func(name string, cut func(*transcript.Event) (bool, bool)) {
		t.Run("TSK-06 MET-03 "+name+" is found", func(t *testing.T) {
			r, s := operateOn(t, "handoff", cut)
			if !s.did {
				t.Fatal("nothing was cut")
			}
			for _, c := range r.Counts {
				if c.ID == "TSK-06" && c.Broken > 0 {
					return
				}
			}
			t.Errorf("nothing found: %v", r.Err())
		})
	}
	broken("a judgement that is missing", missing(func(*transcript.Handoff) bool { return true }))
	background := 0
	broken("a judgement that is missing ahead of a notification", missing(func(*transcript.Handoff) bool { background++; return background == 4 }))
	broken("another verdict than the script's", judgement(1, func(b *transcript.Handoff) { b.Verdict = "clean" }))
	broken("a verdict about nothing", judgement(3, func(b *transcript.Handoff) { b.Verdict = "flagged" }))
	broken("a judgement of a part of the conversation", judgement(2, func(b *transcript.Handoff) { b.Head = b.Head.Parent.Parent }))
	broken("a warning that is not delivered with a result", delivered("All is there", "<handoff-warning>The", "The"))
	broken("a warning that is not delivered with a notification", delivered("&lt;handoff-warning&gt;The", "&lt;handoff-warning&gt;The", "The"))
	broken("a warning in the place of another", delivered("All is there", "<handoff-unclassified>", "<handoff-warning>"))
	broken("a warning that a child forged", delivered("All is there", `"&lt;handoff-warning>`, `"<handoff-warning>`))
}
