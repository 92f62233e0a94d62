package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/task"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// foreground is a synchronous child as its parent waits for it.
type foreground struct {
	child    *Agent
	released kernel.Signal // fires when the child ends or moves to the background
	deadline vtime.Instant // when it moves by itself; 0 is never
	title    string        // the call's description
	name     string        // the one that the call gives it
}

// Why a synchronous agent moved to the background.
const (
	whyTime = "auto-background"
	whyUser = "user"
)

func newForeground(child *Agent, title, name string) *foreground {
	f := &foreground{child: child, title: title, name: name}
	f.released.Init(child.w.cfg.Kernel, "end of "+child.lineage)
	if after := child.w.gates.AutoBackgroundAfter(); after > 0 {
		f.deadline = child.w.cfg.Kernel.Now().Add(after)
	}
	if confined(child.parent) {
		f.deadline = 0 // it would outlive the teammate that started it
	}
	return f
}

// over reports whether nobody has to wait any more.
func (f *foreground) over() bool { return f.child.ended || f.child.task != nil }

// wait waits for the child's end, or until it has moved to the background. At the
// instant of the move the child's end and the move are the policy's to order
// (SUB-14).
func (f *foreground) wait(p *kernel.Proc) error {
	for !f.over() {
		if f.deadline == 0 {
			if err := f.released.Wait(p); err != nil {
				return err
			}
			continue
		}
		if _, err := f.released.WaitUntil(p, f.deadline); err != nil {
			return err
		}
		if !f.over() && p.Now() >= f.deadline {
			f.child.moveToBackground(whyTime)
			decides(f.child.w, gateKey+"tengu_auto_background_agents", gateKey+"CLAUDE_AUTO_BACKGROUND_TASKS")
		}
	}
	return nil
}

// linked is the child's process while its parent's abort reaches it.
func (f *foreground) linked() *kernel.Proc {
	if f.over() {
		return nil
	}
	return f.child.proc
}

// ended is the child's result, unless it outlived the shield under which its
// aborted parent waited.
func (f *foreground) ended() (tool.Result, vtime.Instant) {
	c := f.child
	switch {
	case c.task != nil: // it moved to the background, and may have ended since
		return c.result, c.backgroundedAt
	case c.ended:
		return c.result, c.endedAt
	}
	return c.w.cfg.Stack.Failure("Agent " + c.ctx.ID.String() + " was aborted and had not ended after " + shieldDeadline.String() + "."), c.w.cfg.Kernel.Now()
}

// moveToBackground makes a task of a synchronous agent while it runs. Nothing of
// it starts anew; what changes is that its parent's abort does not reach it any
// more, that its state stays its own, and that nobody is asked on its behalf
// (SUB-20). One that is being aborted stays.
func (a *Agent) moveToBackground(why string) {
	if a.ctx.Abort.reason != nil {
		return
	}
	w := a.w
	if a.ctx.Abort.unlink() {
		w.rec.listens(a, "remove", a.parent.ref)
	}
	a.ctx.SetAppState = NoOp
	a.avoidPrompts()
	a.backgroundedAt = w.cfg.Kernel.Now()
	a.becomeTask(a.foreground.title, a.foreground.name)
	w.rec.emit(a.ref, &transcript.StateWrite{Field: "tasks." + a.task.ID + ".isBackgrounded", Effect: a.ctx.SetTaskState.String(), Why: why})
	w.moveTask(a, task.Running)
	a.progress.tell(a)
	a.parent.inbox.expect()
	a.result = w.launched(a, a.foreground.title)
	a.foreground.released.Fire()
}

// avoidPrompts makes every question of the agent, and of those who work for it
// and whom it waits for, a denial from the next check on.
func (a *Agent) avoidPrompts() {
	if !a.def.bubbles() && !a.ctx.AppState.AvoidPrompts {
		a.ctx.AppState.AvoidPrompts = true
		neverLeaves(a)
	}
	for _, c := range a.ctx.Abort.children {
		c.agent.avoidPrompts()
	}
}

// becomeTask makes a task of the agent in the background, of its parent.
func (a *Agent) becomeTask(title, name string) {
	typ := task.LocalAgent
	switch {
	case a.mate != nil:
		typ = task.InProcessTeammate
	case a.ownPlace && a.place.isRemote():
		typ = task.RemoteAgent
	}
	a.task = &task.Task{ID: task.ID(typ, uint64(a.ctx.ID)), Type: typ, Description: title, Name: name, Owner: a.parent.ref, Agent: a.ref, Backgrounded: true}
	a.w.register(a.parent, a.task)
}

// register puts a task into the session's own state, whatever becomes of other
// writes of the agent that starts it (ISO-06).
func (w *World) register(a *Agent, t *task.Task) {
	if err := w.tasks.Add(t); err != nil {
		panic("agent: " + err.Error()) // ids come from lineage, which is unique
	}
	w.rec.emit(a.ref, &transcript.StateWrite{Field: "tasks." + t.ID, Effect: a.ctx.SetTaskState.String()})
}
