package agent

import (
	"errors"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

var errShellStopped = errors.New("the command was stopped")

// shellTask is a command that runs on while its agent does other things.
type shellTask struct {
	task   *task.Task
	owner  *Agent
	proc   *kernel.Proc
	began  vtime.Instant
	result tool.Result // what it comes to
	wrote  int         // files that it has changed, each time counted
}

// end makes the task final, unless it was stopped before, and notifies its owner.
func (s *shellTask) end(now vtime.Instant) {
	to := task.Completed
	if s.result.IsError {
		to = task.Failed
	}
	w, t := s.owner.w, s.task
	w.move(s.owner.ref, t, to)
	if !t.TakeNotification() {
		return
	}
	n := task.Notification{Command: true, TaskID: t.ID, OutputFile: t.OutputFile, Status: t.Status(), Description: t.Description,
		Usage: task.Usage{DurationMS: now.Sub(s.began).Milliseconds()}}
	if t.Status() == task.Failed {
		n.Error = "its exit code says so"
	}
	note := &notice{at: now, taskID: t.ID, status: t.Status(), activation: t.Activation(), wrote: s.wrote, text: llm.NewText(llm.Prose, n.Render())}
	if s.owner.ended {
		note.record(s.owner, "dropped", "")
		return
	}
	if s.owner.root == nil {
		s.owner.mate.rouse()
		s.owner.inbox.expect()
	}
	note.record(s.owner, "queued", "")
	if err := s.owner.inbox.box.Send(note); err != nil {
		w.fail(err)
	}
}

// stop kills the command.
func (s *shellTask) stop() {
	s.owner.w.move(s.owner.ref, s.task, task.Killed)
	s.proc.Abort(errShellStopped)
}

// output is what the command's output file holds: what it has written, once it has ended.
func (s *shellTask) output() string {
	if s.task.Status() == task.Running || s.result.Content == nil {
		return ""
	}
	return s.result.Content.Raw()
}

// move changes a task's state and records it for an agent. A change that the
// state machine forbids is dropped: something else came first.
func (w *World) move(ref int32, t *task.Task, to task.Status) bool {
	from := t.Status()
	if t.To(to) != nil {
		return false
	}
	ev := transcript.Task{ID: t.ID, Type: string(t.Type), From: from, To: to, Activation: t.Activation()}
	if s := w.shells[t.ID]; s != nil && to != task.Killed {
		ev.Exit = s.result.Shell.Exit
	}
	w.rec.emit(ref, &ev)
	return true
}

// stopTask kills a running task of any kind.
func (w *World) stopTask(t *task.Task, why error) {
	if s := w.shells[t.ID]; s != nil {
		s.stop()
		return
	}
	target := w.agents[t.Agent]
	w.move(target.ref, t, task.Killed)
	target.ctx.Abort.Abort(why)
}

// inBackground lets a command run on while its agent goes on, and
// answers at once. Its task stands in the session's state, whoever started it
// (ISO-06); its end is one notification, and its agent's end is its end. A root
// goes on waiting for it; another agent that has nothing else to do ends, and the
// command with it. What it has done by then stands, and no more is done.
func (u *toolUse) inBackground(p *kernel.Proc, about string) {
	a := u.by
	t := &task.Task{ID: task.ID(task.LocalBash, a.key.Sub("shell").Sub(u.block.ID.String()).Uint64()), Type: task.LocalBash,
		Description: about, Owner: a.ref, Agent: -1, Backgrounded: true}
	t.OutputFile = outputDir + t.ID + ".output"
	s := &shellTask{task: t, owner: a, began: p.Now()}
	a.w.register(a, t)
	a.w.move(a.ref, t, task.Running)
	if a.root != nil {
		a.inbox.expect()
	}
	a.w.shells[t.ID] = s
	a.held.shells = append(a.held.shells, s)
	run := &toolUse{call: u.call, tool: u.tool, alone: true}
	session := &tool.Session{Shell: *a.ctx.Session.Shell.Beside()}
	s.proc = p.Kernel().Spawn("shell "+t.ID, func(q *kernel.Proc) error {
		var err error
		if run.result = interrupted(errShellStopped); !s.task.Status().Final() { // before its first step
			err = run.act(q, session)
		}
		if s.result, s.wrote = run.result, run.files(); err != nil && !errors.Is(err, errShellStopped) {
			return err
		}
		s.end(q.Now())
		return nil
	})
	if dir := a.ctx.Session.Shell.Dir; dir != a.directory() {
		u.dir = dir
	}
	u.result = tool.Result{Content: llm.NewText(llm.Prose, "Running in the background as task "+t.ID+". Its output will be in "+t.OutputFile+".")}
}
