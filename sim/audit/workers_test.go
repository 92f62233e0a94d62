package audit_test

import (
	"strings"
	"testing"

	"agentsim/sim/audit"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// changed changes the first event of a kind that fits. The body it is given is a
// copy.
func changed[B any, T interface {
	*B
	transcript.Body
}](fits func(b T) bool, change func(e *transcript.Event, b T)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(T)
		if !ok || !fits(b) {
			return false, false
		}
		c := *b
		e.Body = T(&c)
		change(e, &c)
		return true, false
	}
}

// reworded replaces words in the blocks of a request, wherever they stand. What is
// known of the chain stays as it was.
func reworded(agent int32, n int, level llm.Level, old, new string) func(*transcript.Event) (bool, bool) {
	return asks(agent, n, func(b *transcript.Request) {
		var copied func(n *llm.Node) *llm.Node
		copied = func(n *llm.Node) *llm.Node {
			if n == nil {
				return nil
			}
			c := *n
			c.Parent = copied(n.Parent)
			if c.Block != nil && c.Level == level {
				blk := *c.Block
				blk.Content = llm.NewText(llm.Prose, strings.ReplaceAll(blk.Content.Raw(), old, new))
				c.Block = &blk
			}
			return &c
		}
		b.Head = copied(b.Head)
	})
}

// crewSurgeries are changes as surgeries are. worker: two workers of one answer.
// letters: a task is stopped. failing: main/1.2 is refused.
var crewSurgeries = []struct {
	name, scenario, check string
	cut                   func(*transcript.Event) (bool, bool)
}{
	{"MET-03 CRD-02 a coordinator's prompt without a heading", "worker", "CRD-02", reworded(0, 0, llm.System, "# 3. Workers", "# 3. Others")},
	{"MET-03 CRD-02 a coordinator's prompt with two headings in each other's place", "worker", "CRD-02", reworded(0, 0, llm.System, "# 3. Workers", "# 4. Task Workflow")},
	{"MET-03 CRD-06 a worker that starts after its neighbour", "worker", "CRD-06", changed(
		func(b *transcript.AgentStart) bool { return b.Lineage == "main/1.2" },
		func(e *transcript.Event, _ *transcript.AgentStart) { e.At = e.At.Add(vtime.Millisecond) })},
	{"MET-03 CRD-11 a stop that no call of TaskStop asks for", "letters", "CRD-11", missing(func(b *transcript.ToolCall) bool { return b.Name == "TaskStop" })},
	{"MET-03 CRD-12 a failed agent whose error does not come home", "failing", "CRD-12", ends(2, func(b *transcript.AgentEnd) { b.Why = "it was out of paper" })},
	{"MET-03 TSK-01 a task with another letter than its type's", "family", "TSK-01", changed(
		func(*transcript.Task) bool { return true }, func(_ *transcript.Event, b *transcript.Task) { b.ID = "z" + b.ID[1:] })},
	{"MET-03 TSK-01 a task with an id that is too short", "family", "TSK-01", changed(
		func(*transcript.Task) bool { return true }, func(_ *transcript.Event, b *transcript.Task) { b.ID = b.ID[:16] })},
	{"MET-03 TSK-01 an agent with another one's id", "kin", "TSK-01", func() func(*transcript.Event) (bool, bool) {
		var first llm.AgentID
		return func(e *transcript.Event) (bool, bool) {
			b, ok := e.Body.(*transcript.AgentStart)
			if !ok || e.Agent == 0 { // of whichever run this is
				if ok {
					first = b.ID
				}
				return false, false
			}
			b.ID = first
			return true, false
		}
	}()},
	{"MET-03 TSK-03 a notification without its usage", "failing", "TSK-03", reworded(0, 2, llm.Messages, "<usage>", "")},
	{"MET-03 TSK-03 a notification whose summary says otherwise than its status", "failing", "TSK-03", reworded(0, 2, llm.Messages, "<status>failed", "<status>killed")},
	{"MET-03 TSK-03 a message with a notification in it", "family", "TSK-03", reworded(1, 0, llm.Messages, "Read notes.md", "</task-notification>")},
	{"MET-03 TSK-04 a notification that stands alone in the middle of a turn", "family", "TSK-04", changed(
		func(b *transcript.Notification) bool { return b.Op == "delivered" && b.Place == "idle" },
		func(_ *transcript.Event, b *transcript.Notification) { b.Place = "loop" })},
	{"MET-03 SUB-22 an agent in a worktree of its own", "worktree", "SUB-22", changed(
		func(b *transcript.ToolResult) bool { return b.Name == "Agent" && b.IsError }, func(_ *transcript.Event, b *transcript.ToolResult) { b.IsError = false })},
	{"MET-03 SUB-23 a message to somebody else", "worktree", "SUB-23", func() func(*transcript.Event) (bool, bool) {
		last := ""
		return func(e *transcript.Event) (bool, bool) {
			switch b := e.Body.(type) {
			case *transcript.Task:
				last = b.ID
			case *transcript.Message:
				b.TaskID = last
				return true, false
			}
			return false, false
		}
	}()},
	{"MET-03 TSK-07 a progress that forgot an answer", "family", "TSK-07", ends(0, func(b *transcript.AgentEnd) { b.Progress.Output-- })},
	{"MET-03 TSK-07 a progress of somebody else's tool use", "family", "TSK-07", ends(0, func(b *transcript.AgentEnd) { b.Progress.Last[0] = &llm.Block{} })},
}

func TestCrewSurgeries(t *testing.T) {
	for _, c := range crewSurgeries {
		t.Run(c.name, func(t *testing.T) {
			whole, _ := operate(t, c.scenario, nil)
			if n := broken(whole, c.check); n > 0 {
				t.Fatalf("it is broken %d times where nothing was changed", n)
			}
			r, s := operate(t, c.scenario, c.cut)
			if !s.did {
				t.Fatal("no event was changed")
			}
			if broken(r, c.check) == 0 {
				t.Errorf("%s does not notice; the report says: %v", c.check, r.Err())
			}
		})
	}
}

// broken is how often a check failed.
func broken(r *audit.Report, check string) int64 {
	for _, n := range r.Counts {
		if n.ID == check {
			return n.Broken
		}
	}
	return 0
}
