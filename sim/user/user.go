// Package user plays the scripted user of a root conversation: what is said and
// done at an instant, on an event, or once the root has nothing left to do.
//
// Rules:
//   - What a user can do is agent.Act; this package says when.
//   - Nobody waits for a step whose event may never come, nor for what is left of
//     the script of a root that has ended.
package user

import (
	"errors"

	"agentsim/sim/agent"
	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

// Step is one act of the user (PRM-05): at an instant, on an event, or once the
// root has nothing left to do.
type Step struct {
	Timed bool
	At    vtime.Duration // from the start of the run, when timed
	After vtime.Duration // how long after the root fell idle, when not
	On    *Trigger       // the step waits for this event; At and After are not read
	agent.Act
}

// Script is a user whose steps are given.
type Script struct {
	root    *agent.Root
	idle    []Step
	timed   []timedStep
	watches []*watch
}

// timedStep is a step with the process that waits for its instant or event.
type timedStep struct {
	step Step
	proc *kernel.Proc
}

// New makes a user of steps, in order.
func New(steps []Step) *Script { return &Script{idle: steps} }

// Meet starts the script: steps with an instant or an event have a process of their
// own, the others wait for the root to be idle.
func (u *Script) Meet(r *agent.Root) {
	u.root = r
	steps := u.idle
	u.idle = nil
	for _, s := range steps {
		if s.On != nil {
			come := u.watch(*s.On)
			u.spawn(s, come.Wait)
			continue
		}
		if s.Speaks() {
			r.WillSpeak()
		}
		if !s.Timed {
			u.idle = append(u.idle, s)
			continue
		}
		r.WillAct()
		u.spawn(s, func(p *kernel.Proc) error { return p.SleepUntil(vtime.Instant(s.At)) })
	}
}

// spawn makes a process that does a step after it has waited.
func (u *Script) spawn(s Step, wait func(*kernel.Proc) error) {
	proc := u.root.Kernel().Spawn("user of "+u.root.Lineage(), func(p *kernel.Proc) error {
		if err := wait(p); err != nil {
			return err
		}
		if s.On != nil && !u.root.Ended() {
			u.root.WillAct()
			if s.Speaks() {
				u.root.WillSpeak()
			}
		}
		return u.root.Do(p, &s.Act)
	})
	u.timed = append(u.timed, timedStep{s, proc})
}

// Next takes the next step once the root has nothing left to do. It reports whether
// there was one.
func (u *Script) Next(p *kernel.Proc) (bool, error) {
	if len(u.idle) == 0 {
		return false, nil
	}
	s := u.idle[0]
	u.idle = u.idle[1:]
	u.root.WillAct()
	if s.After > 0 {
		if err := p.Sleep(s.After); err != nil {
			return true, err
		}
	}
	return true, u.root.Do(p, &s.Act)
}

var errRootEnded = errors.New("the root has ended")

// Leave ends the script of a user whose root has ended before it: nobody hears what
// is left, so nobody waits for it. Killing agents needs no root.
func (u *Script) Leave() {
	for _, t := range u.timed {
		if !t.proc.Done() && (t.step.On != nil || !t.step.KillAgents) {
			t.proc.Abort(errRootEnded)
			u.root.Unheard(&t.step.Act)
		}
	}
	for i := range u.idle {
		u.root.Unheard(&u.idle[i].Act)
	}
}
