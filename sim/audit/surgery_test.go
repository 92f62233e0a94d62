package audit_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// started changes the start of an agent.
func started(lineage string, change func(b *transcript.AgentStart)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.AgentStart)
		if ok = ok && b.Lineage == lineage; ok {
			change(b)
		}
		return ok, false
	}
}

// holds gives an agent one more tool.
func holds(lineage, tool string) func(*transcript.Event) (bool, bool) {
	return started(lineage, func(b *transcript.AgentStart) { b.Tools = append(b.Tools, tool) })
}

// lacks takes a tool from an agent.
func lacks(lineage, tool string) func(*transcript.Event) (bool, bool) {
	return started(lineage, func(b *transcript.AgentStart) {
		b.Tools = slices.DeleteFunc(b.Tools, func(s string) bool { return s == tool })
	})
}

// asks changes the n-th request of an agent, from 0.
func asks(agent int32, n int, change func(b *transcript.Request)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Request)
		if ok = ok && e.Agent == agent && b.Call == n; ok {
			change(b)
		}
		return ok, false
	}
}

// says changes the blocks of such a request.
func says(agent int32, n int, edit func(n *llm.Node) *llm.Block) func(*transcript.Event) (bool, bool) {
	return asks(agent, n, func(b *transcript.Request) { b.Head = rebuilt(b.Head, edit) })
}

// hears changes the n-th answer of an agent.
func hears(agent int32, n int, change func(b *transcript.Response)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Response)
		if ok = ok && e.Agent == agent && b.Call == n; ok {
			change(b)
		}
		return ok, false
	}
}

// result changes the first tool result that fits.
func result(fits func(e *transcript.Event, b *transcript.ToolResult) bool, change func(e *transcript.Event, b *transcript.ToolResult)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.ToolResult)
		if ok = ok && fits(e, b); ok {
			change(e, b)
		}
		return ok, false
	}
}

// ends changes the end of an agent.
func ends(agent int32, change func(b *transcript.AgentEnd)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.AgentEnd)
		if ok = ok && e.Agent == agent; ok {
			change(b)
		}
		return ok, false
	}
}

// hooked is a hook of another command.
func hooked(command string) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Hook)
		if ok {
			b.Command = command
		}
		return ok, false
	}
}

// missing drops the first event that fits.
func missing[T transcript.Body](fits func(b T) bool) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(T)
		return false, ok && fits(b)
	}
}

// last puts a block in the place of a request's last one.
func last(blk *llm.Block) func(n *llm.Node) *llm.Block {
	var at int32
	return func(n *llm.Node) *llm.Block {
		if at == 0 {
			at = n.Pos
		}
		if n.Parent.IsBorder() {
			return n.Block // the user context
		}
		return blk
	}
}

// without drops the first block of a kind.
func without(k llm.Kind) func(n *llm.Node) *llm.Block {
	done := false
	return func(n *llm.Node) *llm.Block {
		done = done && !n.Parent.IsBorder() // the first block of another time
		if !done && n.Block.Kind == k {
			done = true
			return nil
		}
		return n.Block
	}
}

// rewords puts another text into each tool result.
func rewords(s string) func(n *llm.Node) *llm.Block {
	return func(n *llm.Node) *llm.Block {
		if n.Block.Kind != llm.ToolResult {
			return n.Block
		}
		b := *n.Block
		b.Content = llm.NewText(llm.Prose, s)
		return &b
	}
}

// fails makes each tool result an error.
func fails(s string) func(n *llm.Node) *llm.Block {
	reword := rewords(s)
	return func(n *llm.Node) *llm.Block {
		b := *reword(n)
		b.IsError = b.IsError || b.Kind == llm.ToolResult
		return &b
	}
}

// forgives makes no result an error.
func forgives(n *llm.Node) *llm.Block {
	b := *n.Block
	b.IsError = false
	return &b
}

// defining is the messages of a request behind one tool.
func defining(head *llm.Node, name string) *llm.Node {
	b := &llm.Builder{}
	tool := &llm.Block{Kind: llm.ToolDef, Name: name, Content: llm.NewJSON(`{"name":"` + name + `"}`)}
	n := b.Append(b.Root(llm.Scope{Model: "another"}, llm.Salts{}), llm.NoRole, tool)
	return behind(b, b.Border(b.Border(n, llm.System, llm.Salts{}), llm.Messages, llm.Salts{}), head)
}

func rootless(head *llm.Node) *llm.Node {
	b := &llm.Builder{}
	return behind(b, b.Border(b.Border(b.Root(llm.Scope{Model: "another"}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{}), head)
}

// behind puts the messages of a request behind another border.
func behind(b *llm.Builder, n, head *llm.Node) *llm.Node {
	var nodes []*llm.Node
	for ; !head.IsBorder(); head = head.Parent {
		nodes = append(nodes, head)
	}
	for _, m := range slices.Backward(nodes) {
		n = b.Append(n, m.Role, m.Block)
	}
	return n
}

const ask = "Look into the notes and say what is missing."

// surgeries are changes of one event each, with the check that has to notice, and
// behind a colon how what it expects begins, where it says several things.
// family: 0 main, 1 main/2.1 whom it waits for, 2 that one's own child in the
// background, 3 main/3.1 which is interrupted, 4 main/4.1 in the background which
// is killed. kin: two forks of main.
var surgeries = []struct {
	name, scenario, check string
	cut                   func(*transcript.Event) (bool, bool)
}{
	{"MET-03 CACHE-L2 a read of what a response writes that has not begun yet", "family", "CACHE-L2: nothing read before a response that writes it begins", hears(0, 0, func(b *transcript.Response) { b.Resp.Began = b.Resp.Began.Add(vtime.Hour) })},
	{"AUD-01 PRM-01 a rule that nobody has given", "family", "PRM-01: no rule but those", decides(func(b *transcript.Permission) bool { return b.Decision == "allow" },
		func(b *transcript.Permission) { b.Why = "allow rule Read" })},
	{"AUD-01 PRM-01 a denial in the place of what the mode allows", "family", "PRM-01: allow for Read", decides(func(b *transcript.Permission) bool { return b.Tool == "Read" },
		func(b *transcript.Permission) { b.Decision = "deny" })},
	{"AUD-01 PRM-01 a result of a call that nobody has allowed", "family", "PRM-01: an error and no effect", missing(func(b *transcript.Permission) bool { return b.Tool == "Read" })},
	{"AUD-01 ISO-04 a denial for want of a terminal that is there", "family", "ISO-04: a prompt for", decides(func(b *transcript.Permission) bool { return b.Decision == "allow" },
		func(b *transcript.Permission) { b.Decision, b.Why = "deny", "prompts are avoided" })},
	{"AUD-04 a shell that a command without cd has left in another directory", "family", "AUD-04: its shell in", result(
		func(_ *transcript.Event, b *transcript.ToolResult) bool { return b.Name == "Bash" }, func(_ *transcript.Event, b *transcript.ToolResult) { b.Dir = "elsewhere" })},
	{"AUD-02 SUB-16 a child that failed, whose result is none of an error", "family", "SUB-16: an error", ends(1, func(b *transcript.AgentEnd) { b.Status = "failed" })},
	{"AUD-02 SUB-16 an agent whose last call failed, and that completed", "failing", "SUB-16: a status that says", ends(1, func(b *transcript.AgentEnd) { b.Status = "completed" })},
	{"AUD-02 TSK-03 a tag of a notification in what the user says", "family", "TSK-03: no tag", says(0, 0, replaces("Look into", "Look <task-notification> into"))},
	{"AUD-02 TSK-03 a summary that says another status", "kin", "TSK-03: a summary", says(0, 3, replaces("<status>completed", "<status>killed"))},
	{"AUD-03 LEAN-01 a child without CLAUDE.md whose type does not do without", "family", "LEAN-01", started("main/2.1", func(b *transcript.AgentStart) { b.Context.UserContext = nil })},
	{"AUD-03 SUB-09 a child with another model", "family", "SUB-09", started("main/2.1", func(b *transcript.AgentStart) { b.Model = "another" })},
	{"AUD-03 SUB-10 a child in another mode", "family", "SUB-10", started("main/2.1", func(b *transcript.AgentStart) { b.RunMode = "plan" })},
	{"AUD-03 SUB-21 a child below the deepest level", "family", "SUB-21", started("main/2.1", func(b *transcript.AgentStart) { b.Depth = 99 })},
	{"AUD-03 LOOP-05 a fork with other turns", "kin", "LOOP-05", started("main/2.1", func(b *transcript.AgentStart) { b.MaxTurns = 201 })},
	{"MET-03 ISO-12 a child of no type", "family", "ISO-12: a type", started("main/2.1", func(b *transcript.AgentStart) { b.Type = "" })},
	{"MET-03 SUB-10 a decision in another mode than the agent's", "rules", "SUB-10: a decision in mode", decides(func(b *transcript.Permission) bool { return b.Tool == "Read" },
		func(b *transcript.Permission) { b.Mode = "bypassPermissions" })},
	{"MET-03 PRM-03 a rule of the session for a type with rules of its own", "rules", "PRM-03: a rule of type watched", decides(func(b *transcript.Permission) bool { return b.Why == "allow rule Edit(b.go)" },
		func(b *transcript.Permission) { b.Why = "allow rule Edit(a.go)" })},
	{"MET-03 DEF-06 a hook that the definition does not bring", "rules", "DEF-06: no hook but those", hooked("./another.sh")},
	{"MET-03 LOOP-05 a root that answers once more", "rules", "LOOP-05: at most 3 answers", started("main", func(b *transcript.AgentStart) { b.MaxTurns = 3 })},
	{"MET-03 TSK-11 a call that is cancelled later than its neighbour erred", "rules", "TSK-11: Grep cancelled", result(
		func(_ *transcript.Event, b *transcript.ToolResult) bool { return b.Name == "Grep" }, func(_ *transcript.Event, b *transcript.ToolResult) { b.Took++ })},
	{"MET-03 TSK-11 a call that is cancelled though it had ended", "rules", "TSK-11: Glob cancelled", result(
		func(_ *transcript.Event, b *transcript.ToolResult) bool { return b.Name == "Glob" }, func(_ *transcript.Event, b *transcript.ToolResult) { b.Took += vtime.Second })},
	{"MET-03 TSK-09 an output that was evicted and can be read", "letters", "TSK-09: no output of ", result(
		func(_ *transcript.Event, b *transcript.ToolResult) bool { return b.Name == "Read" && b.IsError },
		func(_ *transcript.Event, b *transcript.ToolResult) { b.IsError = false })},
	{"MET-03 LOOP-02 a result of another size than its event says", "family", "LOOP-02",
		result(func(*transcript.Event, *transcript.ToolResult) bool { return true }, func(_ *transcript.Event, b *transcript.ToolResult) { b.Bytes++ })},
	{"MET-03 LOOP-04 a request without one of the results", "family", "LOOP-04", says(0, 1, without(llm.ToolResult))},
	{"MET-03 SUB-08 a child that is not asked all of its prompt", "family", "SUB-08", says(1, 0, last(text("Read notes.md, then see")))},
	{"MET-03 SUB-08 a child that hears what its parent was asked", "family", "SUB-08",
		says(1, 0, last(text("Before: "+ask+" Now: Read notes.md, then see to it that what it says is in other.md as well.")))},
	{"MET-03 FLT-01 a sub-agent that can stop tasks", "family", "FLT-01", holds("main/2.1", "TaskStop")},
	{"MET-03 FLT-01 a sub-agent that lost a tool to no layer", "family", "FLT-01", lacks("main/2.1", "Glob")},
	{"MET-03 FLT-02 an agent of the project's definition that can make a team", "guests", "FLT-02", holds("main/1.1", "TeamCreate")},
	{"MET-03 FLT-03 an agent in the background that can start others", "family", "FLT-03", holds("main/4.1", "Agent")},
	{"MET-03 FLT-03 an agent in the background that cannot read", "family", "FLT-03", lacks("main/4.1", "Read")},
	{"MET-03 FLT-04 an agent with a tool that its definition denies", "guests", "FLT-04", holds("main/1.1", "Glob")},
	{"MET-03 FLT-04 an agent without a tool that its definition leaves it", "guests", "FLT-04", lacks("main/1.1", "Grep")},
	{"MET-03 FLT-06 an agent that can end the planning it does not do", "family", "FLT-06", holds("main/2.1", "ExitPlanMode")},
	{"MET-03 FLT-06 an agent that plans and cannot end it", "planner", "FLT-06", lacks("main/1.1", "ExitPlanMode")},
	{"MET-03 FLT-08 a definition without denials that lifts a layer", "family", "FLT-08", holds("main/2.1", "TaskStop")},
	{"MET-03 FLT-09 a refusal that does not say which layer", "family", "FLT-09",
		result(func(_ *transcript.Event, b *transcript.ToolResult) bool { return b.RemovedBy != "" }, func(_ *transcript.Event, b *transcript.ToolResult) { b.RemovedBy = "" })},
	{"MET-03 FLT-10 a fork with fewer tools than its parent", "kin", "FLT-10", lacks("main/2.1", "Read")},
	{"MET-03 FLT-11 a worker with an internal tool", "worker", "FLT-11", holds("main/1.1", "SyntheticOutput")},
	{"MET-03 CRD-01 a coordinator whose request defines a tool that reads", "worker", "CRD-01", asks(0, 0, func(b *transcript.Request) { b.Head = defining(b.Head, "Read") })},
	{"MET-03 CRD-03 a worker without a tool that its coordinator was told of", "worker", "CRD-03", lacks("main/1.1", "Bash")},
	{"MET-03 CRD-04 a worker with one tool more", "worker", "CRD-04", holds("main/1.2", "TaskList")},
	{"MET-03 CRD-04 a worker in simple mode that can write", "simple", "CRD-04", holds("main/1.1", "Write")},
	{"MET-03 CRD-04 a worker after simple mode that still has three tools", "simple", "CRD-04", started("main/4.1", func(b *transcript.AgentStart) { b.Tools = []string{"Bash", "Edit", "Read"} })},
	{"MET-03 CRD-05 a coordinator's agent of another type", "worker", "CRD-05", started("main/1.1", func(b *transcript.AgentStart) { b.Type = "Explore" })},
	{"MET-03 CRD-05 a worker with another model", "worker", "CRD-05", started("main/1.2", func(b *transcript.AgentStart) { b.Model = "claude-haiku-4-5-20251001" })},
	{"MET-03 CRD-05 a worker of who does not coordinate", "family", "CRD-05", started("main/4.1", func(b *transcript.AgentStart) { b.Type = "worker" })},
	{"MET-03 CRD-05 a call without the type whose result is no error", "worker", "CRD-05", says(0, 1, forgives)},
	{"MET-03 CRD-06 a worker that its coordinator waits for", "worker", "CRD-06", started("main/1.1", func(b *transcript.AgentStart) { b.Async = false })},
	{"MET-03 CRD-06 a worker that can start agents", "worker", "CRD-06", holds("main/1.1", "Agent")},
	{"MET-03 ISO-02 a fresh child that knows files", "family", "ISO-02", started("main/2.1", func(b *transcript.AgentStart) { b.Context.FilesKnown = 1 })},
	{"MET-03 ISO-02 a fork that knows less than its parent", "kin", "ISO-02", started("main/2.1", func(b *transcript.AgentStart) { b.Context.FilesKnown = 0 })},
	{"MET-03 ISO-03 a child in the background that hears its parent's abort", "family", "ISO-03", started("main/4.1", func(b *transcript.AgentStart) { b.Context.Abort = "linked" })},
	{"MET-03 ISO-03 an ended child that goes on listening", "family", "ISO-03", missing(func(b *transcript.Listener) bool { return b.Op == "remove" })},
	{"MET-03 ISO-03 an abort that does not reach who listens", "family", "ISO-03", missing(func(b *transcript.Listener) bool { return b.Op == "add" })},
	{"MET-03 ISO-04 an agent in the background that would ask", "family", "ISO-04", started("main/4.1", func(b *transcript.AgentStart) { b.Context.AvoidPrompts = false })},
	{"MET-03 ISO-04 a child in the foreground that may not ask", "family", "ISO-04", started("main/2.1", func(b *transcript.AgentStart) { b.Context.AvoidPrompts = true })},
	{"MET-03 ISO-05 a child in the background that shares the state", "family", "ISO-05", started("main/4.1", func(b *transcript.AgentStart) { b.Context.SetAppState = "shared" })},
	{"MET-03 ISO-06 a task that nobody registered", "family", "ISO-06", missing(func(*transcript.StateWrite) bool { return true })},
	{"MET-03 ISO-07 a child on its parent's level", "family", "ISO-07", started("main/2.1", func(b *transcript.AgentStart) { b.Depth-- })},
	{"MET-03 ISO-08 a fork without its parent's decisions", "kin", "ISO-08", started("main/2.1", func(b *transcript.AgentStart) { b.Context.Replacements = 0 })},
	{"MET-03 ISO-09 a sub-agent that thinks", "family", "ISO-09", started("main/2.1", func(b *transcript.AgentStart) { b.Context.Thinking = true })},
	{"MET-03 ISO-09 a fork that does not, of a parent that does", "kin", "ISO-09", started("main/2.1", func(b *transcript.AgentStart) { b.Context.Thinking = false })},
	{"MET-03 ISO-11 a result that bears another agent", "family", "ISO-11",
		result(func(e *transcript.Event, _ *transcript.ToolResult) bool { return e.Agent == 1 }, func(e *transcript.Event, _ *transcript.ToolResult) { e.Agent = 0 })},
	{"MET-03 ISO-12 a first request that does not name the call behind it", "family", "ISO-12", asks(1, 0, func(b *transcript.Request) { b.InvokingRequest = llm.ToolUseID{} })},
	{"MET-03 ISO-13 a request that forgot the beginning", "family", "ISO-13", says(0, 2, without(llm.Text))},
	{"MET-03 ISO-14 meters without an answer", "family", "ISO-14", ends(0, func(b *transcript.AgentEnd) { b.Answers-- })},
	{"MET-03 FRK-03 a fork with a result in the place of a placeholder", "kin", "FRK-03", says(1, 0, rewords("Fork started"))},
	{"MET-03 FRK-05 a fork whose bytes before the directive are its own", "kin", "FRK-05", says(2, 0, rewords("Fork started"))},
	{"MET-03 FRK-06 a fork behind another system prompt", "kin", "FRK-06", asks(1, 0, func(b *transcript.Request) { b.Head = rootless(b.Head) })},
	{"MET-03 FRK-09 an agent that a fork made", "kin", "FRK-09", started("main/2.2", func(b *transcript.AgentStart) { b.Parent = 1 })},
	{"MET-03 FRK-09 a fork whose queries say that it is none", "kin", "FRK-09", started("main/2.2", func(b *transcript.AgentStart) { b.Source = "agent:custom" })},
	{"MET-03 FRK-09 a call that is refused as a fork's, of who is none", "family", "FRK-09: no guard", says(0, 2, fails("Fork is not available inside a forked worker."))},
	{"MET-03 FRK-14 a fork's Agent call that is not refused", "kin", "FRK-14", says(1, 1, rewords("It runs."))},
	{"MET-03 TSK-05 a task without a notification", "family", "TSK-05", missing(func(b *transcript.Notification) bool { return b.Op == "queued" })},
	{"MET-03 TSK-05 a notification that nobody reads", "family", "TSK-05", says(0, 5, without(llm.Text))},
	{"MET-03 CACHE-L1 a negative part of a prompt", "family", "CACHE-L1", hears(0, 1, func(b *transcript.Response) { b.Resp.Usage.Input = -1 })},
	{"MET-03 CACHE-L2 a read of what no request has marked", "family", "CACHE-L2", hears(0, 1, func(b *transcript.Response) { b.Resp.Cache.ReadTo = b.Head })},
	{"MET-03 CACHE-L3 a warm conversation that reads nothing", "family", "CACHE-L3", hears(0, 1, func(b *transcript.Response) {
		b.Resp.Usage.Input, b.Resp.Usage.Read, b.Resp.Cache.ReadTo = b.Resp.Usage.Input+b.Resp.Usage.Read, 0, nil
	})},
	{"MET-03 CACHE-L6 a token that an agent did not use", "family", "CACHE-L6", ends(1, func(b *transcript.AgentEnd) { b.Own.Input++ })},
	{"MET-03 CACHE-L6 a child's tokens rolled up twice", "family", "CACHE-L6", ends(0, func(b *transcript.AgentEnd) { b.Rolled.Read *= 2 })},
}

// decides changes the first decision that fits.
func decides(fits func(b *transcript.Permission) bool, change func(b *transcript.Permission)) func(*transcript.Event) (bool, bool) {
	return func(e *transcript.Event) (bool, bool) {
		b, ok := e.Body.(*transcript.Permission)
		if ok = ok && fits(b); ok {
			change(b)
		}
		return ok, false
	}
}

// replaces puts another text in the place of the first block that holds one.
func replaces(old, by string) func(n *llm.Node) *llm.Block {
	done := false
	return func(n *llm.Node) *llm.Block {
		done = done && !n.Parent.IsBorder()
		if done || n.Block.Kind != llm.Text || !strings.Contains(n.Block.Content.Raw(), old) {
			return n.Block
		}
		done = true
		return text(strings.Replace(n.Block.Content.Raw(), old, by, 1))
	}
}

func TestSurgeries(t *testing.T) {
	for _, c := range surgeries {
		t.Run(c.name, func(t *testing.T) {
			r, s := operate(t, c.scenario, c.cut)
			if !s.did {
				t.Fatal("no event was changed")
			}
			id, words, told := strings.Cut(c.check, ": ")
			for _, n := range r.Counts {
				if !told && n.ID == id && n.Broken > 0 {
					return
				}
			}
			for _, v := range r.Violations {
				if told && v.Check == id && strings.HasPrefix(v.Want, words) {
					return
				}
			}
			t.Errorf("%s does not notice; the report says: %v", c.check, r.Err())
		})
	}
}
