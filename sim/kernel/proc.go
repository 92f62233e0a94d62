package kernel

import (
	"fmt"
	"runtime/debug"

	"agentsim/sim/vtime"
)

// never is the instant of a wait without an end.
const never = vtime.MaxInstant

type procState uint8

const (
	ready procState = iota
	running
	waiting
	ended
)

// Proc is a process. Its methods that may suspend return an error and may be
// called from its own body only.
type Proc struct {
	k             *Kernel
	name          string
	body          func(*Proc) error // nil once started
	co            *coroutine        // nil before it first runs and once it has ended
	stepper       Stepper           // what goes on in its place when it is resumed, nil for the coroutine
	on            waitable          // what it waits for, nil for the clock alone
	before, after *Proc             // neighbours in the wait list of on
	older, newer  *Proc             // neighbours among the live
	joiners       waitList
	err           error
	aborted       error
	since         vtime.Instant // when the present wait began
	shieldEnd     vtime.Instant
	id            int32
	timer         int32 // slot of the armed timer, or noSlot
	shields       int32 // depth of Shield
	state         procState
	late          bool // the last wait ended by its timer
	stepped       bool // the stepper has ended without the coroutine
}

// Kernel is the world p lives in.
func (p *Proc) Kernel() *Kernel { return p.k }

// Now is the present instant.
func (p *Proc) Now() vtime.Instant { return p.k.now }

// Name is the name given to Spawn.
func (p *Proc) Name() string { return p.name }

// ID counts the processes of a run from 1, in order of spawning. It depends on
// the schedule, so nothing in bytes or streams may be named by it.
func (p *Proc) ID() int32 { return p.id }

// Done says whether the body has returned.
func (p *Proc) Done() bool { return p.state == ended }

// Err is what the body returned; nil while p lives.
func (p *Proc) Err() error { return p.err }

// Aborted is the reason of the first Abort, nil when there was none.
func (p *Proc) Aborted() error { return p.aborted }

// Sleep waits for d ≥ 0; a negative d panics. The error is the reason of an abort,
// or ErrDeadline inside a Shield. Sleep(0) lets all others that are ready run.
func (p *Proc) Sleep(d vtime.Duration) error {
	if d < 0 {
		panic(fmt.Sprintf("kernel: process %s asked to sleep for %s", p.name, d))
	}
	return p.SleepUntil(p.k.now.Add(d))
}

// SleepUntil waits until t, or as Sleep(0) does when t has passed.
func (p *Proc) SleepUntil(t vtime.Instant) error {
	if err := p.enter(); err != nil {
		return err
	}
	return p.suspend(nil, max(t, p.k.now))
}

// Stepper is a part of a process that waits for nothing but the clock.
type Stepper interface {
	// Step goes on from the instant that it asked for, and asks for the next one; an
	// instant that has passed is the present one. false ends the part.
	Step() (until vtime.Instant, more bool)
}

// Steps takes the steps of s until it ends. A step that a wait has come before runs
// without the process's coroutine, whose stack has gone cold since. The error is that of
// Sleep; after it s does not go on.
func (p *Proc) Steps(s Stepper) error {
	p.mustRun()
	for {
		until, more := s.Step()
		if !more {
			return nil
		}
		if err := p.enter(); err != nil {
			return err
		}
		if p.shields == 0 {
			p.stepper = s
		}
		err := p.suspend(nil, max(until, p.k.now))
		p.stepper = nil
		if p.stepped {
			p.stepped = false
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Join waits until every one of qs has ended. It does not report their errors.
func (p *Proc) Join(qs ...*Proc) error {
	if err := p.enter(); err != nil {
		return err
	}
	for _, q := range qs {
		if q.state == ended {
			continue
		}
		if err := p.suspend(q, never); err != nil {
			return err
		}
	}
	return nil
}

// Abort wakes p with reason at the present instant: its present suspension, and
// each later one outside a Shield, returns reason. A process that is ready but
// has not run yet is aborted too, so an abort and an end at one instant are the
// policy's to order. The first reason stays. It is false when p has ended; a nil
// reason panics.
func (p *Proc) Abort(reason error) bool {
	if reason == nil {
		panic("kernel: Abort of process " + p.name + " without a reason")
	}
	if p.state == ended || p.k.closed {
		return false
	}
	if p.aborted == nil {
		p.aborted = reason
	}
	if p.state == waiting && p.shields == 0 {
		p.k.wake(p)
	}
	return true
}

// Shield runs body, in which suspensions work although p is or becomes aborted,
// and returns what body returns. From deadline (≥ 0) on they return ErrDeadline,
// and one that would last longer ends there with it. An inner Shield cannot
// outlast an outer one.
func (p *Proc) Shield(deadline vtime.Duration, body func() error) error {
	if deadline < 0 {
		panic(fmt.Sprintf("kernel: process %s asked for a shield of %s", p.name, deadline))
	}
	p.mustRun()
	outer := p.shieldEnd
	end := p.k.now.Add(deadline)
	if p.shields > 0 {
		end = min(end, outer)
	}
	p.shields++
	p.shieldEnd = end
	defer func() {
		p.shields--
		p.shieldEnd = outer
	}()
	return body()
}

func (p *Proc) queue() *waitList { return &p.joiners }

func (p *Proc) describe() string { return fmt.Sprintf("the end of process %q", p.name) }

// mustRun panics unless p is the process that runs.
func (p *Proc) mustRun() {
	if p.k.cur != p {
		panic("kernel: process " + p.name + " was asked to wait from outside its own body")
	}
}

// enter opens every call that may suspend. Its error ends that call at once.
func (p *Proc) enter() error {
	p.mustRun()
	if p.k.closed {
		panic(unwinding{})
	}
	if p.shields == 0 {
		return p.aborted
	}
	if p.k.now >= p.shieldEnd {
		return ErrDeadline
	}
	return nil
}

// suspend gives up control until on wakes p, until comes, or p is aborted or its
// shield's time is up, which are the errors. on may be nil, until may be never,
// but not both.
func (p *Proc) suspend(on waitable, until vtime.Instant) error {
	cut := p.shields > 0 && until > p.shieldEnd
	if cut {
		until = p.shieldEnd
	}
	p.late = true
	if on != nil || !p.k.jump(until) {
		p.park(on, until)
	}
	if p.aborted != nil && p.shields == 0 {
		return p.aborted
	}
	if cut && p.late {
		return ErrDeadline
	}
	return nil
}

// park hands control to the kernel and returns when the kernel hands it back.
func (p *Proc) park(on waitable, until vtime.Instant) {
	p.wait(on, until)
	if !p.co.yield(struct{}{}) {
		panic(unwinding{})
	}
}

// wait makes p one that waits.
func (p *Proc) wait(on waitable, until vtime.Instant) {
	p.on, p.since, p.late, p.state = on, p.k.now, false, waiting
	if on != nil {
		on.queue().push(p)
	}
	if on == nil || until != never {
		p.timer = p.k.timers.push(until, phaseProcess, (*wakeUp)(p))
		p.k.timers.slots[p.timer].of = p.stepper
	}
}

// wakeUp is a process as its own timer sees it.
type wakeUp Proc

// Fire makes the process ready.
func (w *wakeUp) Fire(vtime.Instant) {
	p := (*Proc)(w)
	p.timer, p.late = noSlot, true
	p.k.wake(p)
}

// unwinding is the panic that carries a process through its deferred functions
// at teardown. It never leaves this package.
type unwinding struct{}

// resume runs p until it waits or ends.
func (k *Kernel) resume(p *Proc) {
	k.steps++
	k.phase, k.cur, p.state = phaseProcess, p, running
	if p.stepper == nil || !p.goOn() {
		k.switches++
		if p.co == nil {
			p.co = k.coroutine(p)
		}
		p.co.next()
	}
	k.cur = nil
}

// goOn takes steps on the kernel's stack, and reports whether p waits again. Else its
// coroutine is to go on: the steps have ended, or p is aborted.
func (p *Proc) goOn() (waits bool) {
	defer func() {
		if v := recover(); v != nil {
			p.k.fail(&PanicError{Process: p.name, Instant: p.k.now, Value: v, Stack: debug.Stack()})
			p.state, waits = waiting, true // until Close
		}
	}()
	for p.aborted == nil {
		until, more := p.stepper.Step()
		if !more {
			p.stepped = true
			return false
		}
		if p.aborted != nil {
			return false
		}
		if p.late, until = true, max(until, p.k.now); !p.k.jump(until) {
			p.wait(nil, until)
			return true
		}
	}
	return false
}

// run is the process on its coroutine.
func (p *Proc) run() {
	defer p.finish()
	body := p.body
	p.body = nil
	p.err = body(p)
}

// finish is the process's last act. It takes the stack of a panic here, where
// it still exists.
func (p *Proc) finish() {
	v := recover()
	switch {
	case p.k.closed:
		p.err = ErrClosed
	case v != nil:
		e := &PanicError{Process: p.name, Instant: p.k.now, Value: v, Stack: debug.Stack()}
		p.err = e
		p.k.fail(e)
	}
	p.end()
}

// end takes p out of the living and wakes those who wait for that.
func (p *Proc) end() {
	k := p.k
	p.state = ended
	p.co, p.body = nil, nil
	if p.older == nil {
		k.oldest = p.newer
	} else {
		p.older.newer = p.newer
	}
	if p.newer == nil {
		k.newest = p.older
	} else {
		p.newer.older = p.older
	}
	p.older, p.newer = nil, nil
	k.live--
	p.joiners.wakeAll()
}

// tearDown unwinds a live process; one that never ran has nothing to unwind.
func (p *Proc) tearDown() {
	if p.on != nil {
		p.on.queue().remove(p)
		p.on = nil
	}
	if p.co == nil {
		p.err = ErrClosed
		p.end()
		return
	}
	p.co.stop()
}
