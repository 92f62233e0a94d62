package audit_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// specOf reads a scenario of testdata.
func specOf(t *testing.T, name string) *sim.Spec {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := scenarios.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// surgeon changes one event on its way to the auditor: the first that cut takes.
type surgeon struct {
	to  *audit.Auditor
	cut func(e *transcript.Event) (change, drop bool)
	at  uint64
	did bool
}

// Emit hands the event on. cut is given a copy of it and of its body.
func (s *surgeon) Emit(e *transcript.Event) {
	if s.did || s.cut == nil {
		s.to.Emit(e)
		return
	}
	c := *e
	c.Body = cloned(reflect.ValueOf(e.Body)).Interface().(transcript.Body)
	change, drop := s.cut(&c)
	if !change && !drop {
		s.to.Emit(e)
		return
	}
	s.did, s.at = true, e.Seq
	if !drop {
		s.to.Emit(&c)
	}
}

// operate runs a scenario and audits what a surgeon leaves of it.
func operate(t *testing.T, scenario string, cut func(e *transcript.Event) (change, drop bool)) (*audit.Report, *surgeon) {
	t.Helper()
	spec := specOf(t, scenario)
	s := &surgeon{to: audit.New(sim.AuditOptions(spec)), cut: cut}
	if _, err := sim.Run(spec, sim.Options{NoAudit: true, Sinks: []transcript.Sink{s}}); err != nil {
		t.Fatal(err)
	}
	return s.to.Report(), s
}

// rebuilt is a chain with other blocks among its messages: edit returns what
// stands in a block's place, nil for nothing.
func rebuilt(head *llm.Node, edit func(n *llm.Node) *llm.Block) *llm.Node {
	var nodes []*llm.Node
	for ; !head.IsBorder(); head = head.Parent {
		nodes = append(nodes, head)
	}
	b := &llm.Builder{}
	for i := len(nodes) - 1; i >= 0; i-- {
		if blk := edit(nodes[i]); blk != nil {
			head = b.Append(head, nodes[i].Role, blk)
		}
	}
	return head
}

func text(s string) *llm.Block {
	return &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, s)}
}

func TestAuditor(t *testing.T) {
	t.Run("MET-03 nothing is broken in scenarios that provoke everything, and nothing is kept when they have ended", func(t *testing.T) {
		for _, name := range []string{"family", "kin", "guests", "worker", "simple", "planner", "failing", "rules"} {
			r, s := operate(t, name, nil)
			if err := r.Err(); err != nil || r.Made < 50 {
				t.Errorf("%s: %d checks, %v", name, r.Made, err)
			}
			if lives, tasks, forks := s.to.Held(); lives+tasks+forks > 0 {
				t.Errorf("%s: %d lives, %d tasks, %d siblings are kept", name, lives, tasks, forks)
			}
		}
	})
	t.Run("SUB-09 CRD-05 the model that a coordinator's call names is not that of whom it falls back to", func(t *testing.T) {
		r, _ := operate(t, "fallback", nil)
		if err := r.Err(); err != nil {
			t.Error(err)
		}
		r, _ = operate(t, "fallback", started("main/1.1", func(b *transcript.AgentStart) { b.Model = "claude-haiku-4-5-20251001" }))
		if len(r.Violations) == 0 || r.Violations[0].Check != "SUB-09" {
			t.Errorf("the call's model is taken: %v", r.Err())
		}
	})
	t.Run("MET-03 a run is the same with the auditor and without it", func(t *testing.T) {
		for _, name := range []string{"family", "kin"} {
			with, err := sim.Run(specOf(t, name), sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			without, err := sim.Run(specOf(t, name), sim.Options{NoAudit: true})
			if err != nil {
				t.Fatal(err)
			}
			if with.Digest != without.Digest || with.Audit == nil || without.Audit != nil {
				t.Errorf("%s: digests %s and %s, reports %v and %v", name, with.Digest, without.Digest, with.Audit, without.Audit)
			}
		}
	})
	t.Run("MET-03 a violation names the event, the agent, what was expected and what stands there", func(t *testing.T) {
		r, s := operate(t, "family", func(e *transcript.Event) (bool, bool) {
			b, ok := e.Body.(*transcript.AgentStart)
			if !ok || b.Lineage != "main/2.1" {
				return false, false
			}
			b.Depth = 4
			return true, false
		})
		err := r.Err()
		if err == nil || len(r.Violations) == 0 || r.Violations[0].Event != s.at {
			t.Fatalf("event %d: %v", s.at, err)
		}
		for _, part := range []string{"ISO-07 is broken at event ", "by main/2.1", "expected  depth 1", "found     depth 4"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("no %q in\n%v", part, err)
			}
		}
	})
	t.Run("MET-03 each block of a conversation is looked at once, a fork's history not again", func(t *testing.T) {
		for _, name := range []string{"family", "kin"} {
			count := newBlocks{from: map[int32]int32{}, to: map[int32]int32{}}
			a := audit.New(audit.Options{})
			if _, err := sim.Run(specOf(t, name), sim.Options{NoAudit: true, Sinks: []transcript.Sink{a, &count}}); err != nil {
				t.Fatal(err)
			}
			// Answers are looked at when they come: the requests hold them all the same.
			if got, most := a.Looked(), count.sum(); got > most || got < most/2 {
				t.Errorf("%s: %d blocks were gone through, there are %d", name, got, most)
			}
		}
	})
	t.Run("MET-03 of many violations the first ones are told and all are counted", func(t *testing.T) {
		a := audit.New(audit.Options{})
		for i := range int32(2 * audit.Kept) {
			a.Emit(&transcript.Event{Seq: uint64(i), Agent: i, Body: &transcript.AgentStart{ID: llm.AgentID(i), Chain: uint64(i), Lineage: "r", Parent: -1, Depth: 1,
				Context: transcript.ContextFacts{Abort: "root", SetAppState: "root"}}})
		}
		r := a.Report()
		if r.Broken != 2*audit.Kept || len(r.Violations) != audit.Kept || !strings.Contains(r.Err().Error(), "and 10 more") {
			t.Errorf("%d broken, %d told:\n%v", r.Broken, len(r.Violations), r.Err())
		}
	})
}

// newBlocks counts the blocks that each agent's requests add: those behind the
// prefix, or behind the history that a fork begins with.
type newBlocks struct {
	answer   *llm.Node // of the first agent, the last one
	from, to map[int32]int32
}

// Emit notes where an agent begins and where its last request ends.
func (n *newBlocks) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		if b.Structure == "fork" {
			n.from[e.Agent] = n.answer.Pos
		}
	case *transcript.Response:
		if e.Agent == 0 {
			n.answer = b.Head
		}
	case *transcript.Request:
		if _, known := n.from[e.Agent]; !known {
			border := b.Head
			for !border.IsBorder() {
				border = border.Parent
			}
			n.from[e.Agent] = border.Pos
		}
		n.to[e.Agent] = b.Head.Pos
	}
}

func (n *newBlocks) sum() (all int64) {
	for agent, to := range n.to { // order: a sum
		all += int64(to - n.from[agent])
	}
	return all
}
