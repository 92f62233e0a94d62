package agent

import (
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
)

// moveTask changes a task's state and records it. A change that the state
// machine forbids is dropped: something else came first.
func (w *World) moveTask(a *Agent, to task.Status) bool { return w.move(a.ref, a.task, to) }

// report brings the end of an activation home: the parent of a synchronous
// child looks itself, that of a task gets exactly one notification (TSK-05).
func (a *Agent) report(p *kernel.Proc) {
	if a.task == nil {
		return
	}
	status := task.Completed
	switch a.end.Status {
	case transcript.EndFailed, transcript.EndRefused:
		status = task.Failed
	case transcript.EndKilled:
		status = task.Killed
	}
	a.w.moveTask(a, status)
	if !a.task.TakeNotification() {
		return
	}
	n := a.notification(p.Now())
	l := linkOf(a)
	if l == nil {
		toParent(a, n)
		return
	}
	l.deliver(homeward, "result", len(n.text.Raw()), func(now instant) {
		n.at = now
		toParent(a, n)
	})
}

// toParent hands an agent's parent a notification, if it is there to hear it.
func toParent(a *Agent, n *notice) {
	if a.parent.ended {
		n.record(a, "dropped", "")
		if a.parent.past.resumable() {
			a.parent.past.chain.waiting--
		}
		return
	}
	n.record(a, "queued", "")
	if err := a.parent.inbox.box.Send(n); err != nil {
		a.w.fail(err)
	}
}

// notification renders the end of the agent's task (TSK-03).
func (a *Agent) notification(now instant) *notice {
	t := a.task
	n := task.Notification{TaskID: t.ID, OutputFile: t.OutputFile, Status: t.Status(), Description: t.Description, Result: a.handOver(a.SaidText()),
		Usage: task.Usage{TotalTokens: a.client.tokens(), ToolUses: int64(a.toolUses), DurationMS: now.Sub(a.started).Milliseconds()}}
	if t.Status() == task.Failed {
		n.Error = a.end.Why
	}
	n.Worktree, n.Branch = a.place.left(a)
	n.Changed = a.place.changed()
	return &notice{at: now, taskID: t.ID, status: t.Status(), activation: t.Activation(), text: llm.NewText(llm.Prose, n.Render())}
}

// SaidText is the text of the last assistant message that has any, "" where none
// has.
func (a *Agent) SaidText() string {
	if a.said == nil {
		return ""
	}
	return textOf(a.said)
}

func textOf(m *llm.Msg) string {
	one, n := "", 0
	for i := range m.Blocks {
		if m.Blocks[i].Kind == llm.Text {
			one = m.Blocks[i].Content.Raw()
			n++
		}
	}
	if n == 1 {
		return one
	}
	var b strings.Builder
	for i := range m.Blocks {
		if m.Blocks[i].Kind == llm.Text {
			b.WriteString(m.Blocks[i].Content.Raw())
		}
	}
	return b.String()
}

// outputSoFar is everything the agent itself has said: what its output file
// holds (SUB-13).
func (a *Agent) outputSoFar() string {
	if a.life == nil {
		return a.past.output
	}
	var texts []string
	for m := a.conv.Last; m != a.origin && m != nil; m = m.Prev {
		if m.Role == llm.Assistant {
			texts = append(texts, textOf(m)+"\n")
		}
	}
	slices.Reverse(texts)
	return a.compaction.earlier + strings.Join(texts, "")
}

// taskOf is the task with an id, or of the agent with it, nil for none: their digits are
// the same.
func taskOf(w *World, id string) *task.Task {
	t := w.tasks.Get(id)
	digits, agent := strings.CutPrefix(id, "a")
	for _, typ := range []task.Type{task.RemoteAgent, task.InProcessTeammate} {
		if t == nil && agent {
			t = w.tasks.Get(string(typ.Prefix()) + digits)
		}
	}
	return t
}

// taskStop runs the TaskStop tool: a running task is aborted and killed, and
// its one notification says so.
func taskStop(a *Agent, use *llm.Block) tool.Result {
	id, err := tool.ParseStopInput(use.Content)
	if err != nil {
		return failure(err.Error())
	}
	t := taskOf(a.w, id)
	if t == nil {
		return failure("No task has the id " + id + ".")
	}
	if t.Status().Final() {
		return failure("Task " + id + " is not running: it is " + string(t.Status()) + ".")
	}
	if t.Type == task.InProcessTeammate {
		a.w.executor().kill(a.w.agents[t.Agent].mate)
	} else {
		a.w.stopTask(t, ErrTaskStopped)
	}
	return tool.Result{Content: llm.NewText(llm.Prose, "Stopped task "+id+" ("+t.Description+").")}
}
