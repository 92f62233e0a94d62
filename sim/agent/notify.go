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

// notice is something in an agent's mailbox: a task's notification or a message,
// of the user or of another agent.
type notice struct {
	at         instant
	taskID     string
	status     task.Status
	activation int
	text       *llm.Payload // a notification's text
	blocks     []llm.Block  // a user's or an agent's message
	msg        *posted      // of an agent's message
	poke       bool         // nothing to say: look again whether you have ended
}

// wakeMessage is a message of its own that wakes an idle agent.
type wakeMessage struct {
	msg     llm.Msg
	why     string
	notices []*notice // of tasks
	users   []*notice
}

// mailbox is the agent's, made on first need.
func (a *Agent) mailbox() *kernel.Mailbox[*notice] {
	if a.inbox == nil {
		a.inbox = kernel.NewMailbox[*notice](a.w.cfg.Kernel, "inbox of "+a.lineage)
	}
	return a.inbox
}

// expectNotice counts something that will come into the mailbox.
func (a *Agent) expectNotice() {
	a.mailbox()
	a.waiting++
}

// collect empties the mailbox, notifications in the order of (instant, task id)
// as ordered, then user messages as they came.
func (a *Agent) collect(first ...*notice) (tasks, users []*notice) {
	take := func(n *notice) {
		a.waiting--
		switch {
		case n.poke:
		case n.text != nil:
			tasks = append(tasks, n)
		default:
			users = append(users, n)
		}
	}
	for _, n := range first {
		take(n)
	}
	for a.inbox != nil {
		n, ok := a.inbox.TryRecv()
		if !ok {
			break
		}
		take(n)
	}
	slices.SortStableFunc(tasks, func(x, y *notice) int {
		if x.at != y.at {
			return int(min(max(x.at-y.at, -1), 1))
		}
		return strings.Compare(x.taskID, y.taskID)
	})
	return tasks, users
}

// drain makes one message of what is in the mailbox, nil if nothing is.
func (a *Agent) drain(first ...*notice) *wakeMessage {
	tasks, users := a.collect(first...)
	if len(tasks)+len(users) == 0 {
		return nil
	}
	m := &wakeMessage{why: "notification", notices: tasks, users: users}
	m.msg.Role = llm.User
	for _, n := range tasks {
		m.msg.Blocks = append(m.msg.Blocks, llm.Block{Kind: llm.Text, Content: n.text})
	}
	for i, n := range users {
		m.why = "user"
		if n.msg != nil {
			m.why = "message"
		}
		if i == 0 {
			n.blocks = a.inContext(n.blocks)
		}
		m.msg.Blocks = append(m.msg.Blocks, n.blocks...)
	}
	return m
}

// deliver joins what arrived within a turn to the user message that ends it,
// behind its tool results. The message has been said already, so the blocks are
// a message of the same role, which the canonical form merges.
func (a *Agent) deliver() {
	if a.inbox == nil || a.inbox.Len() == 0 {
		return
	}
	m := a.drain()
	if m == nil {
		return
	}
	a.take(m, "loop")
}

// take appends what was in the mailbox and records each part of it.
func (a *Agent) take(m *wakeMessage, place string) {
	a.say(&m.msg)
	for _, n := range m.notices {
		a.handled(n, "delivered", place)
	}
	for _, n := range m.users {
		if n.msg != nil {
			a.passed(n, "delivered", place)
			continue
		}
		a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(n.blocks)})
		a.root.unsaid--
		a.turns = 0 // a root's turns are those of one user message
	}
}

// dropMail records what came too late to be read. Messages of an agent wait for a
// resume where there can be one.
func (a *Agent) dropMail() {
	tasks, users := a.collect()
	for _, n := range tasks {
		a.handled(n, "dropped", "")
	}
	for _, n := range users {
		switch {
		case n.msg == nil:
			a.root.Unheard(&Act{Message: n.blocks})
		case a.parent.writes():
			a.undelivered = append(a.undelivered, n)
		default:
			a.dropMessages([]*notice{n})
		}
	}
	if a.root.hasUser() {
		a.root.spec.User.Leave()
	}
}

// handled records what became of a notification.
func (a *Agent) handled(n *notice, op, place string) {
	a.w.rec.emit(a.ref, &transcript.Notification{TaskID: n.taskID, Op: op, Place: place, Status: string(n.status),
		Activation: n.activation, Bytes: len(n.text.Raw())})
}

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
	case "failed", "refused":
		status = task.Failed
	case "killed":
		status = task.Killed
	}
	a.w.moveTask(a, status)
	if !a.task.TakeNotification() {
		return
	}
	n := a.notification(p.Now())
	if a.parent.ended {
		a.handled(n, "dropped", "")
		if a.parent.resumable() {
			a.parent.past.chain.waiting--
		}
		return
	}
	a.handled(n, "queued", "")
	if err := a.parent.inbox.Send(n); err != nil {
		a.w.fail(err)
	}
}

// notification renders the end of the agent's task (TSK-03).
func (a *Agent) notification(now instant) *notice {
	t := a.task
	n := task.Notification{TaskID: t.ID, OutputFile: t.OutputFile, Status: t.Status(), Description: t.Description, Result: a.handOver(a.SaidText()),
		Usage: task.Usage{TotalTokens: a.last.Total(), ToolUses: int64(a.toolUses), DurationMS: now.Sub(a.started).Milliseconds()}}
	if t.Status() == task.Failed {
		n.Error = a.end.Why
	}
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
	return a.earlier + strings.Join(texts, "")
}

// taskStop runs the TaskStop tool: a running task is aborted and killed, and
// its one notification says so.
func taskStop(a *Agent, use *llm.Block) tool.Result {
	id, err := tool.ParseStopInput(use.Content)
	if err != nil {
		return failure(err.Error())
	}
	t := a.w.tasks.Get(id)
	if t == nil {
		return failure("No task has the id " + id + ".")
	}
	if t.Status().Final() {
		return failure("Task " + id + " is not running: it is " + string(t.Status()) + ".")
	}
	a.w.stopTask(t, ErrTaskStopped)
	return tool.Result{Content: llm.NewText(llm.Prose, "Stopped task "+id+" ("+t.Description+").")}
}
