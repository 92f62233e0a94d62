package agent

import (
	"agentsim/sim/kernel"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// foreground is what the parent of a synchronous child waits for.
type foreground struct {
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

// runInForeground makes the child one that its parent waits for.
func (a *Agent) runInForeground(title, name string) {
	a.foreground = &foreground{title: title, name: name}
	a.foreground.released.Init(a.w.cfg.Kernel, "end of "+a.lineage)
	if after := a.w.gates.AutoBackgroundAfter(); after > 0 {
		a.foreground.deadline = a.w.cfg.Kernel.Now().Add(after)
	}
}

// awaited waits for the child's end, or until it has moved to the background. At
// the instant of the move the child's end and the move are the policy's to order
// (SUB-14).
func (a *Agent) awaited(p *kernel.Proc) error {
	for !a.ended && a.task == nil {
		l := a.foreground
		if l.deadline == 0 {
			if err := l.released.Wait(p); err != nil {
				return err
			}
			continue
		}
		if _, err := l.released.WaitUntil(p, l.deadline); err != nil {
			return err
		}
		if !a.ended && a.task == nil && p.Now() >= l.deadline {
			a.moveToBackground(whyTime)
		}
	}
	return nil
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
		w.rec.emit(a.ref, &transcript.Listener{Op: "remove", On: a.parent.ref})
	}
	a.ctx.SetAppState = NoOp
	a.avoidPrompts()
	a.task = &task.Task{ID: a.ctx.ID.String(), Type: task.LocalAgent, Description: a.foreground.title, Name: a.foreground.name, Owner: a.parent.ref, Agent: a.ref, Backgrounded: true}
	a.backgroundedAt = w.cfg.Kernel.Now()
	w.register(a.parent, a.task)
	w.rec.emit(a.ref, &transcript.StateWrite{Field: "tasks." + a.task.ID + ".isBackgrounded", Effect: a.ctx.SetTaskState.String(), Why: why})
	w.moveTask(a, task.Running)
	a.tellProgress()
	a.parent.expectNotice()
	a.result = w.launched(a, a.foreground.title)
	a.foreground.released.Fire()
}

// avoidPrompts makes every question of the agent, and of those who work for it
// and whom it waits for, a denial from the next check on.
func (a *Agent) avoidPrompts() {
	if !a.bubbles() {
		a.ctx.AppState.AvoidPrompts = true
	}
	for _, c := range a.ctx.Abort.children {
		c.agent.avoidPrompts()
	}
}

// backgroundChildren moves every agent that this one waits for to the
// background: what Ctrl+B does.
func (a *Agent) backgroundChildren() {
	if a.w.gates.DisableBackground {
		a.w.rec.emit(a.ref, &transcript.Finding{Rule: "background-disabled", Detail: "the user asked for the background, and background tasks are disabled"})
		return
	}
	for _, c := range append([]*Controller(nil), a.ctx.Abort.children...) {
		c.agent.moveToBackground(whyUser)
	}
}

// register puts a task into the session's own state, whatever becomes of other
// writes of the agent that starts it (ISO-06).
func (w *World) register(a *Agent, t *task.Task) {
	if err := w.tasks.Add(t); err != nil {
		panic("agent: " + err.Error()) // ids come from lineage, which is unique
	}
	w.rec.emit(a.ref, &transcript.StateWrite{Field: "tasks." + t.ID, Effect: a.ctx.SetTaskState.String()})
}
