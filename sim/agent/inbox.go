package agent

import (
	"slices"
	"strings"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
)

// inbox is what an agent waits for, and what it has not heard.
type inbox struct {
	of          *Agent
	box         *kernel.Mailbox[*notice] // made on first need
	waiting     int                      // background children and acts of the user that are still to come
	undelivered []*notice                // messages of other agents that it ended without hearing
}

// notice is something in an agent's mailbox: a task's notification or a message,
// of the user or of another agent.
type notice struct {
	at         instant
	taskID     string
	status     task.Status
	activation int
	text       *llm.Payload // a notification's text
	wrote      int          // files that the command changed, until that is recorded
	blocks     []llm.Block  // a user's or an agent's message
	msg        *posted      // of an agent's message
	mail       *mailed      // of one that came by a mailbox
	look       bool         // nothing but a word that a mailbox holds something
	poke       bool         // nothing to say: look again whether you have ended
}

// wakeMessage is what was in a mailbox as one message.
type wakeMessage struct {
	msg     llm.Msg
	why     string
	notices []*notice
}

// record records for an agent what became of a notice.
func (n *notice) record(a *Agent, op, place string) {
	if m := n.mail; m != nil {
		if op == "delivered" && n.blocks == nil {
			place = "client"
		}
		a.w.rec.emit(a.ref, &transcript.Mail{Team: m.in, Op: op, Place: place, From: m.From, To: m.to, N: m.N, Type: string(m.Kind), Mode: string(m.mode), Bytes: len(m.Text)})
		return
	}
	if n.msg == nil {
		a.w.rec.emit(a.ref, &transcript.Notification{TaskID: n.taskID, Op: op, Place: place, Status: n.status,
			Activation: n.activation, Bytes: len(n.text.Raw()), Wrote: n.wrote})
		n.wrote = 0
		return
	}
	a.w.rec.emit(a.ref, &transcript.Message{TaskID: a.task.ID, Op: op, Place: place, From: n.msg.from, N: n.msg.n,
		Activation: a.task.Activation(), Bytes: bytesOf(n.blocks)})
}

// expect counts something that will come into the mailbox.
func (b *inbox) expect() {
	if b.box == nil {
		b.box = kernel.NewMailbox[*notice](b.of.w.cfg.Kernel, "inbox of "+b.of.lineage)
	}
	b.waiting++
}

// collect empties the mailbox: notifications in the order of (instant, task id), then
// messages as they came.
func (b *inbox) collect(first ...*notice) (tasks, users []*notice) {
	take := func(n *notice) {
		b.waiting--
		switch {
		case n.poke:
		case n.look:
			users = append(users, readMail(b.of)...)
		case n.text != nil:
			tasks = append(tasks, n)
		default:
			users = append(users, n)
		}
	}
	for _, n := range first {
		take(n)
	}
	for b.box != nil {
		n, ok := b.box.TryRecv()
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
func (b *inbox) drain(first ...*notice) *wakeMessage {
	a := b.of
	tasks, users := b.collect(first...)
	if len(tasks) == 0 && !slices.ContainsFunc(users, func(n *notice) bool { return n.mail == nil || n.blocks != nil }) {
		for _, n := range users {
			n.record(a, "delivered", "")
		}
		return nil
	}
	m := &wakeMessage{why: "notification", notices: slices.Concat(tasks, users)}
	m.msg.Role = llm.User
	for _, n := range tasks {
		m.msg.Blocks = append(m.msg.Blocks, llm.Block{Kind: llm.Text, Content: n.text})
	}
	for i, n := range users {
		if n.mail != nil && n.blocks == nil {
			continue
		}
		m.why = "user"
		if n.msg != nil || n.mail != nil {
			m.why = "message"
		}
		if i == 0 {
			n.blocks = a.root.inContext(n.blocks)
		}
		m.msg.Blocks = append(m.msg.Blocks, n.blocks...)
	}
	return m
}

// deliver joins what arrived within a turn to the user message that ends it,
// behind its tool results. The message has been said already, so the blocks are
// a message of the same role, which the canonical form merges.
func (b *inbox) deliver() {
	if b.box == nil || b.box.Len() == 0 {
		return
	}
	if m := b.drain(); m != nil {
		b.take(m, "loop")
	}
}

// take appends what was in the mailbox and records each part of it.
func (b *inbox) take(m *wakeMessage, place string) {
	a := b.of
	a.say(&m.msg)
	for _, n := range m.notices {
		if n.text != nil || n.msg != nil || n.mail != nil {
			n.record(a, "delivered", place)
			continue
		}
		a.w.rec.emit(a.ref, &transcript.UserMessage{Bytes: bytesOf(n.blocks)})
		a.root.unsaid--
		a.turns = 0 // a root's turns are those of one user message
	}
}

// drop records what came too late to be read. Messages of an agent wait for a
// resume where there can be one.
func (b *inbox) drop() {
	a := b.of
	tasks, users := b.collect()
	for _, n := range tasks {
		n.record(a, "dropped", "")
	}
	for _, n := range users {
		switch {
		case n.msg == nil && n.mail == nil:
			a.root.Unheard(&Act{Message: n.blocks})
		case n.mail != nil && (a.root != nil || a.mate.leaves):
			n.record(a, "dropped", "")
		case a.parent.writes():
			b.undelivered = append(b.undelivered, n)
		default:
			n.record(a, "dropped", "")
		}
	}
	if a.root.hasUser() {
		a.root.spec.User.Leave()
	}
}
