package audit

import (
	"strings"

	"agentsim/sim/transcript"
)

// taskState is a task whose end is not settled yet.
type taskState struct {
	registered bool
	status     string
	kind       string
	queued     int
	owner      *agent // who registered it
}

// letter is a notification that was delivered to an agent.
type letter struct {
	task  string
	bytes int
}

func (u *Auditor) taskOf(id string) *taskState {
	t := u.tasks[id]
	if t == nil {
		t = &taskState{}
		u.tasks[id] = t
	}
	return t
}

// task is a change of a task's state: it was registered at the root before it ran
// (ISO-06), and nothing leaves a final state within an activation.
func (u *Auditor) task(ref int32, b *transcript.Task) {
	a, t := u.agent(ref), u.taskOf(b.ID)
	if b.To == "running" && u.fails(iso06, t.registered) {
		u.report(iso06, a, "a registration of task "+b.ID+" at the root before it runs", "none")
	}
	if u.fails(tsk05, !final(t.status) || b.To == "pending") {
		u.report(tsk05, a, "task "+b.ID+" to stay "+t.status, b.To)
	}
	t.status, t.kind = b.To, b.Type
	if t.kind == "local_bash" && final(b.To) && t.owner != nil {
		if u.fails(iso10, t.owner.life != nil || u.now == t.owner.ended) {
			u.report(iso10, t.owner, "command "+b.ID+" stopped when its agent ended, at "+t.owner.ended.String(), b.To+" now")
		}
	}
	if b.To == "pending" {
		t.queued = 0
	}
}

func final(status string) bool {
	return status == "completed" || status == "failed" || status == "killed"
}

// notification is TSK-05 on the record. A task is forgotten with its
// notification: a second one is of no task that is open.
func (u *Auditor) notification(ref int32, b *transcript.Notification) {
	a, t := u.agent(ref), u.tasks[b.TaskID]
	if u.fails(tsk05, t != nil && final(t.status) && t.status == b.Status) {
		u.report(tsk05, a, "one notification of a task that has ended so and has given none", "a notification of "+b.TaskID+", "+b.Op+" "+b.Status)
		return
	}
	switch b.Op {
	case "queued":
		u.sentHome(a, t)
		if t.queued++; u.fails(tsk05, t.queued == 1) {
			u.report(tsk05, a, "one notification of "+b.TaskID, "another one")
		}
		return
	case "delivered":
		if u.fails(tsk05, t.queued > 0) {
			u.report(tsk05, a, "a notification of "+b.TaskID+" that was queued", "one that was not")
		}
		if a != nil && a.life != nil {
			a.mail = append(a.mail, letter{b.TaskID, b.Bytes})
		}
	}
	if b.Op == "dropped" {
		if t.queued == 0 {
			u.sentHome(a, t)
		}
		u.nextHanded(b.TaskID)
	}
	delete(u.tasks, b.TaskID)
}

// arrived is TSK-05 in the bytes: each notification that was delivered stands in
// the next request, once, and no other.
func (u *Auditor) arrived(a *agent, raw string) {
	_, rest, _ := strings.Cut(raw, "<task-id>")
	id, _, _ := strings.Cut(rest, "</task-id>")
	for i, m := range a.mail {
		if m.task == id {
			if u.fails(tsk05, m.bytes == len(raw)) {
				u.report(tsk05, a, "the notification of "+id+", whole", short(raw))
			}
			a.mail = append(a.mail[:i], a.mail[i+1:]...)
			u.notified(id, raw)
			return
		}
	}
	if a.rebased == "resume" {
		return
	}
	if u.fails(tsk05, false) {
		u.report(tsk05, a, "no notification that was not delivered since the last request", short(raw))
	}
}

// runEnd checks that no task which has ended is left without its notification.
func (u *Auditor) runEnd(b *transcript.RunEnd) {
	lost := ""
	for id, t := range u.tasks { // order: the first by name is told
		if final(t.status) && (t.queued == 0 || b.Outcome == "completed") && (lost == "" || id < lost) {
			lost = id
		}
	}
	if u.fails(tsk05, lost == "") {
		u.report(tsk05, nil, "a notification of task "+lost+" that was read or dropped", "none")
	}
}
