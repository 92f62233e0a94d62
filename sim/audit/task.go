package audit

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// tasking is the section on tasks, their notifications and their outputs.
type tasking struct {
	*ledger
	handoffs    *handing
	homes       *homecoming
	notices     *notices
	permissions *permissions
	launches    *launches
	neighbours  *neighbours
	known       map[string]*taskState
	outputs     outputs
}

// taskState is a task that is open, or that somebody can still resume.
type taskState struct {
	registered uint64 // the event that says so, 0 for none
	status     transcript.TaskStatus
	kind       string
	name       string // of its agent, by which messages find it
	activation int
	open       []ending // activations that have ended, and whose notification is not settled
	owner      *agent   // who registered it
	sent       int      // messages to it
	unheard    []*letter
	ran        vtime.Instant // since when its activation runs
	since      uint64        // the event that says so
}

// ending is an activation that has ended.
type ending struct {
	activation int
	status     transcript.TaskStatus
	queued     int
	took       vtime.Duration // of a command
	left       string         // the worktree that its agent has left behind, as its notification has to name it
}

// letter is a notification or a message on its way to an agent.
type letter struct {
	task    string // whose notification it is; of a message, its receiver's
	bytes   int
	message bool
	n       int                   // number of a message
	text    string                // of a message, as it has to arrive
	status  transcript.TaskStatus // of a notification's task
	took    vtime.Duration        // of a command
	command bool
	left    string // likewise
	known   bool   // that is known
}

// outputs is what the auditor keeps of outputs.
type outputs struct {
	gone  map[string]vtime.Instant // outputs that were evicted, by task
	shown string                   // the task whose output is on the screen
}

// steps are the changes of a state that an activation can make, as from>to.
const steps = " pending>running pending>failed pending>killed running>completed running>failed running>killed "

// exits is how a command's task ends by whether its exit code says that it failed.
var exits = map[bool]transcript.TaskStatus{false: transcript.TaskCompleted, true: transcript.TaskFailed}

func (u *tasking) taskOf(id string) *taskState {
	t := u.known[id]
	if t == nil {
		t = &taskState{}
		u.known[id] = t
	}
	return t
}

// task is a change of a task's state: it was registered at the root before it ran
// (ISO-06), it goes on from the state it had, by a step that there is (TSK-02),
// and only a resume leaves a final state, for the next activation (TSK-10).
func (u *tasking) task(ref int32, b *transcript.Task) {
	a, t := u.agent(ref), u.taskOf(b.ID)
	if a != nil && a.life != nil {
		t.name = a.facts.Name
	}
	if a != nil && agentTask(b.Type) {
		a.remote = a.link != nil || u.opt.Session == nil && b.Type == "remote_agent"
		u.same(tsk01, a, "task", a.taskID(), b.ID)
	}
	if b.To == transcript.TaskRunning && u.fails(iso06, t.registered > 0) {
		u.report(iso06, a, "a registration of task "+b.ID+" at the root before it runs", "none")
	}
	was := t.status
	if was == "" {
		was = transcript.TaskPending
	}
	if was.Final() && b.To == transcript.TaskPending {
		u.resumed(a, t, b)
	} else {
		if u.fails(tsk02, b.From == was && strings.Contains(steps, " "+string(b.From)+">"+string(b.To)+" ")) {
			u.report(tsk02, a, "a step of task "+b.ID+" from "+string(was), string(b.From)+" to "+string(b.To))
		}
		if u.fails(tsk10, b.Activation == t.activation) {
			u.report(tsk10, a, "task "+b.ID+" in activation "+decimal(int64(t.activation)), "activation "+decimal(int64(b.Activation)))
		}
	}
	t.status, t.kind = b.To, b.Type
	if b.To == transcript.TaskRunning {
		t.ran, t.since = u.now, u.seq
		if t.kind == "local_bash" && a != nil {
			u.neighbours.runsOn(a, 1)
		}
	}
	if !b.To.Final() {
		return
	}
	if t.kind == "local_bash" && a != nil && b.From == transcript.TaskRunning {
		u.neighbours.runsOn(a, -1)
	}
	t.open = append(t.open, ending{activation: b.Activation, status: b.To, took: u.now.Sub(t.ran)})
	u.homes.agrees(b.ID, t)
	if t.kind == "local_bash" && b.To != transcript.TaskKilled {
		u.same(tsk02, a, "task "+b.ID+" with exit code "+decimal(int64(b.Exit)), string(exits[b.Exit != 0]), string(b.To))
	}
	if t.kind == "local_bash" && t.owner != nil {
		if u.fails(iso10, t.owner.life != nil || u.now == t.owner.ended) {
			u.report(iso10, t.owner, "command "+b.ID+" stopped when its agent ended, at "+t.owner.ended.String(), string(b.To)+" now")
		}
	}
}

// resumed is TSK-10: a resume is the next activation of a task that has ended.
func (u *tasking) resumed(a *agent, t *taskState, b *transcript.Task) {
	if u.fails(tsk10, b.Activation == t.activation+1 && b.From == t.status) {
		u.report(tsk10, a, "activation "+decimal(int64(t.activation+1))+" of task "+b.ID+", which is "+string(t.status), "activation "+decimal(int64(b.Activation))+", "+string(b.From))
	}
	t.activation = b.Activation
	delete(u.outputs.gone, b.ID)
}

// settled forgets a task of which nothing is to come: who started it cannot resume
// it, or has ended.
func (u *tasking) settled(id string, t *taskState) {
	if t.status.Final() && len(t.open)+len(t.unheard) == 0 && (!t.owner.writes() || !agentTask(t.kind)) {
		delete(u.known, id)
	}
}

// notification is TSK-05 on the record: one for each activation that has ended.
func (u *tasking) notification(ref int32, b *transcript.Notification) {
	a, t := u.agent(ref), u.known[b.TaskID]
	u.onlyLooks(a, b.Wrote)
	var e *ending
	at := 0
	for t != nil && e == nil && at < len(t.open) {
		if o := &t.open[at]; o.activation == b.Activation && o.status == b.Status {
			e = o
		} else {
			at++
		}
	}
	if u.fails(tsk05, e != nil) {
		u.report(tsk05, a, "one notification of a task that has ended so and has given none", "a notification of "+b.TaskID+", "+b.Op+" "+string(b.Status))
		return
	}
	switch b.Op {
	case "queued":
		u.handoffs.sentHome(a, t)
		e.left = u.notices.of(b.TaskID).leavesTree()
		if e.queued++; u.fails(tsk05, e.queued == 1) {
			u.report(tsk05, a, "one notification of "+b.TaskID, "another one")
		}
		return
	case "delivered":
		if u.fails(tsk05, e.queued > 0) {
			u.report(tsk05, a, "a notification of "+b.TaskID+" that was queued", "one that was not")
		}
		if a != nil && a.life != nil {
			a.mail = append(a.mail, letter{task: b.TaskID, bytes: b.Bytes, status: e.status, took: e.took, command: t.kind == "local_bash", left: e.left})
		}
	}
	if b.Op == "dropped" {
		if e.queued == 0 {
			u.handoffs.sentHome(a, t)
		}
		u.handoffs.nextHanded(b.TaskID)
		u.homes.nextHome(b.TaskID)
	}
	t.open = append(t.open[:at], t.open[at+1:]...)
	u.settled(b.TaskID, t)
}

// arrived is TSK-05 in the bytes: each notification that was delivered stands in
// the next request, once, and no other.
func (u *tasking) arrived(a *agent, raw string) {
	_, rest, _ := strings.Cut(raw, "<task-id>")
	id, _, _ := strings.Cut(rest, "</task-id>")
	for i, m := range a.mail {
		if m.task == id && !m.message {
			if u.fails(tsk05, m.bytes == len(raw)) {
				u.report(tsk05, a, "the notification of "+id+", whole", short(raw))
			}
			u.notices.says(a, &m, raw)
			a.mail = append(a.mail[:i], a.mail[i+1:]...)
			u.handoffs.notified(id, raw)
			u.homes.told(id, raw)
			return
		}
	}
	if u.fails(tsk05, false) {
		u.report(tsk05, a, "no notification that was not delivered since the last request", short(raw))
	}
}

// output is TSK-09: an output goes as long after the end as was said, and not while
// somebody looks at it.
func (u *tasking) output(ref int32, b *transcript.Output) {
	a := u.agent(ref)
	switch b.Op {
	case "shown":
		u.outputs.shown = b.TaskID
	case "hidden":
		u.outputs.shown = ""
	case "evicted":
		if a == nil {
			return
		}
		due := a.ended.Add(u.opt.EvictAfter)
		ok := a.life == nil && u.opt.EvictAfter > 0 && u.now >= due && u.outputs.shown != b.TaskID
		if u.fails(tsk09, ok) {
			u.report(tsk09, a, "its output kept until "+due.String()+", and while it is shown", "it is evicted now")
		}
		u.outputs.gone[b.TaskID] = u.now
	}
}

// evictedRead is TSK-09 for who looks at an output afterwards: it is gone.
func (u *tasking) evictedRead(a *agent, c *call) {
	if len(u.outputs.gone) == 0 || c.use == nil {
		return
	}
	_, rest, found := strings.Cut(c.use.file, outputDir)
	id, _, _ := strings.Cut(rest, ".output")
	if at, gone := u.outputs.gone[id]; found && gone && c.at > at && u.fails(tsk09, c.isError) {
		u.report(tsk09, a, "no output of "+id+", which was evicted at "+at.String(), "a result of "+decimal(int64(c.bytes))+" bytes")
	}
}

// outputDir is where the files of outputs are.
const outputDir = ".agentsim/tasks/"

// runEnd checks that no task which has ended is left without its notification, and
// no message that was sent without its end.
func (u *tasking) runEnd(b *transcript.RunEnd) {
	lost, unheard := "", ""
	for id, t := range u.known { // order: the first by name is told
		for _, e := range t.open {
			if (e.queued == 0 || b.Outcome == "completed") && (lost == "" || id < lost) {
				lost = id
			}
		}
		if len(t.unheard) > 0 && b.Outcome == "completed" && (unheard == "" || id < unheard) {
			unheard = id
		}
		if len(t.open)+len(t.unheard) == 0 && t.status.Final() {
			delete(u.known, id)
		}
	}
	if u.fails(tsk05, lost == "") {
		u.report(tsk05, nil, "a notification of task "+lost+" that was read or dropped", "none")
	}
	if u.fails(tsk08, unheard == "") {
		u.report(tsk08, nil, "a word of what became of every message to "+unheard, "none of one")
	}
}

// left is LOOP-02 for an agent that has done its work: none of its tasks runs on but a
// command, and it has read of the end of all that have ended.
func (u *tasking) left(a *agent, b *transcript.AgentEnd) {
	if b.Status != transcript.EndCompleted || a.cutting {
		return
	}
	runs := ""
	for id, t := range u.known { // order: the first by name is told
		if t.owner == a && answers(t.kind) && t.registered > 0 && !t.status.Final() && (runs == "" || id < runs) {
			runs = id
		}
	}
	if u.fails(loop02, runs == "" && len(a.waiting) == 0) {
		u.report(loop02, a, "no end before those that it has started have ended, and it has read so", "task "+orNone(runs)+" runs, or is not read of")
	}
}

// leftOf is what is known of the end of a conversation that may go on later, without
// the conversation.
func leftOf(n *llm.Node) *llm.Node {
	if n == nil {
		return nil
	}
	return &llm.Node{Hash: n.Hash, Pos: n.Pos, Cum: n.Cum}
}
