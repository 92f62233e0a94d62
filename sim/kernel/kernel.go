package kernel

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"agentsim/sim/ahead"
	"agentsim/sim/vtime"
)

// Firer is a callback. Fire runs at its instant, before any process of that
// instant, and must not suspend. It may arm its receiver again.
type Firer interface{ Fire(now vtime.Instant) }

// Options of a kernel. A nil Policy is FIFO.
type Options struct {
	Policy Policy
	Limits Limits
}

// Kernel is one simulated world: a clock, its timers and its processes.
type Kernel struct {
	now      vtime.Instant
	steps    int64
	switches int64 // resumed coroutines; what only moved the clock or ran without one is not among them
	limits   Limits
	timers   timers
	ready    readySet
	policy   Policy
	readyAt  func(int) *Proc
	cur      *Proc // the process that runs, nil while the kernel or a callback does
	err      error // why the run ended; the first reason stays
	idle     *coroutine
	oldest   *Proc // live processes in order of spawning
	newest   *Proc
	live     int
	many     int    // of live, at which manyLive is called
	manyLive func() // nil once it was
	spawned  int32
	phase    uint8
	running  bool
	closed   bool

	interrupted atomic.Bool
}

// New returns a kernel whose clock stands at 0.
func New(o Options) *Kernel {
	k := &Kernel{policy: o.Policy, limits: o.Limits.orDefault()}
	if k.policy == nil {
		k.policy = FIFO()
	}
	k.readyAt = k.ready.at
	return k
}

// Now is the present instant.
func (k *Kernel) Now() vtime.Instant { return k.now }

// Phase is 0 while a callback runs and 1 while a process does.
func (k *Kernel) Phase() uint8 { return k.phase }

// Spawn makes a process that is ready at the present instant. Names are for
// people and need not be unique. Beyond the limit of processes the run ends: the
// result has then ended with the *LimitError, which Run returns too.
func (k *Kernel) Spawn(name string, body func(*Proc) error) *Proc {
	k.spawned++
	p := &Proc{k: k, name: name, id: k.spawned, body: body, timer: noSlot}
	if err := k.refuseSpawn(name); err != nil {
		p.state, p.err, p.body = ended, err, nil
		return p
	}
	p.older = k.newest
	if k.newest == nil {
		k.oldest = p
	} else {
		k.newest.newer = p
	}
	k.newest = p
	if k.live++; k.manyLive != nil && k.live >= k.many {
		k.manyLive()
		k.manyLive = nil
	}
	k.ready.push(p)
	return p
}

// Many has f called once, as soon as n processes are alive: whoever runs several kernels
// can have one of them wait until another's memory is free. What f does must not be seen
// in the run.
func (k *Kernel) Many(n int, f func()) { k.many, k.manyLive = n, f }

func (k *Kernel) refuseSpawn(name string) error {
	if k.closed {
		return ErrClosed
	}
	if k.live >= k.limits.Procs {
		return k.limit(LimitProcesses, int64(k.limits.Procs), "spawning "+name)
	}
	return nil
}

// Timer is a handle on a callback. The zero Timer is one that has fired.
type Timer struct {
	k    *Kernel
	key  uint64
	slot int32
}

// At has f fired at t, in the order of the calls for equal instants. A callback
// for the present instant runs before the next process. An instant that has
// passed is a programmer's error and panics. Callbacks do not keep a run alive:
// those left when the last process ends are not fired.
func (k *Kernel) At(t vtime.Instant, f Firer) Timer {
	if t < k.now {
		panic(fmt.Sprintf("kernel: callback asked for %s, which is before the present %s", t, k.now))
	}
	if k.closed {
		return Timer{}
	}
	s := k.timers.push(t, phaseProvider, f)
	return Timer{k: k, key: k.timers.key(s), slot: s}
}

// Cancel removes the callback from the timers. It is false when the callback has
// fired, or had been cancelled.
func (t Timer) Cancel() bool {
	if t.k == nil || t.k.closed || t.k.timers.key(t.slot) != t.key {
		return false
	}
	t.k.timers.remove(t.slot)
	return true
}

// Interrupt asks the run to end before its next step. It is the only method that
// is safe from another thread of control, and it cannot be taken back.
func (k *Kernel) Interrupt() { k.interrupted.Store(true) }

// Interrupted reports whether Interrupt was called. It is for what runs long between
// two steps, so that it ends too.
func (k *Kernel) Interrupted() bool { return k.interrupted.Load() }

// Run runs until no live process is left and returns nil, or until the run cannot
// go on: *LimitError, *DeadlockError, *PanicError or ErrInterrupted. An error is
// final: a second call returns it again. After nil more may be spawned and run.
func (k *Kernel) Run() error {
	if k.running {
		panic("kernel: Run called from inside a run")
	}
	k.running = true
	k.loop()
	return k.err
}

// loop takes steps until there is none to take.
func (k *Kernel) loop() {
	defer k.leave()
	for k.live > 0 && k.err == nil {
		k.step()
	}
}

// leave ends a run. What panics here is a callback or the policy, since processes
// keep their panics to themselves.
func (k *Kernel) leave() {
	k.running = false
	k.dismiss()
	if v := recover(); v != nil {
		k.fail(&PanicError{Instant: k.now, Value: v, Stack: debug.Stack()})
	}
}

// step does one thing: a callback, a process, a move of the clock, or the
// finding that none of these is possible.
func (k *Kernel) step() {
	switch due := k.due(); {
	case k.interrupted.Load():
		k.fail(ErrInterrupted)
	case k.steps >= k.limits.Steps:
		k.limit(LimitSteps, k.limits.Steps, "")
	case due && k.timers.first().phase() == phaseProvider:
		k.steps++
		k.phase = phaseProvider
		k.pop().Fire(k.now)
	case due:
		k.pop().Fire(k.now)
	case k.ready.len() > 0:
		k.resume(k.ready.take(k.choose()))
	case k.timers.len() == 0:
		k.fail(k.deadlock())
	default:
		k.advance(k.timers.first().at)
	}
}

// LinesAhead is how much the processor is asked for ahead of a step, in lines of 64
// bytes: a Stepper does well to be the first part of what its steps touch.
const LinesAhead = 32

// CallbackLines is how much it is asked for ahead of a callback, which is smaller.
const CallbackLines = 12

// Leader is a Firer or a Stepper whose next call touches more than itself.
type Leader interface {
	// Lead fetches what the receiver leads to. It changes nothing.
	Lead()
}

// pop takes out what the first timer fires, and asks the processor for what comes next:
// among many agents that has left every cache, and arrives while the present event is
// dealt with. Of the timer after the next that is the object itself; of the next one,
// whose object is here by now, what it leads to.
func (k *Kernel) pop() Firer {
	f := k.timers.pop()
	if k.timers.len() == 0 {
		return f
	}
	next := &k.timers.slots[k.timers.first().slot()]
	if l, ok := next.acts().(Leader); ok {
		l.Lead()
	}
	if k.timers.len() == 1 {
		return f
	}
	after := &k.timers.slots[k.timers.heap[root+1+k.timers.least(root+1)].slot()]
	if after.of != nil {
		ahead.Fetch(after.f, 3)
		ahead.Fetch(after.of, LinesAhead)
	} else {
		ahead.Fetch(after.f, CallbackLines)
	}
	return f
}

// due says whether the first timer belongs to the present instant.
func (k *Kernel) due() bool {
	return k.timers.len() > 0 && k.timers.first().at == k.now
}

func (k *Kernel) choose() int {
	n := k.ready.len()
	if n == 1 {
		return 0
	}
	i := k.policy.Choose(n, k.readyAt)
	if i < 0 || i >= n {
		panic(fmt.Sprintf("kernel: policy %s chose %d of %d", k.policy.Name(), i, n))
	}
	return i
}

func (k *Kernel) advance(t vtime.Instant) {
	if t > vtime.Instant(k.limits.Time) {
		k.limit(LimitTime, int64(k.limits.Time), "")
		return
	}
	k.now = t
}

// jump moves the clock to t for the running process if that process is what
// would run next anyway, and says whether it did.
func (k *Kernel) jump(t vtime.Instant) bool {
	if k.ready.len() > 0 || k.timers.len() > 0 && k.timers.first().at <= t {
		return false
	}
	if k.err != nil || k.steps >= k.limits.Steps || t > vtime.Instant(k.limits.Time) || k.interrupted.Load() {
		return false
	}
	k.steps++
	k.now = t
	return true
}

// wake makes a waiting process ready, wherever it waits.
func (k *Kernel) wake(p *Proc) {
	if p.on != nil {
		p.on.queue().remove(p)
		p.on = nil
	}
	if k.closed {
		return
	}
	if p.timer != noSlot {
		k.timers.remove(p.timer)
		p.timer = noSlot
	}
	p.state = ready
	k.ready.push(p)
}

// fail keeps the first reason for which the run ends.
func (k *Kernel) fail(err error) {
	if k.err == nil {
		k.err = err
	}
}

func (k *Kernel) limit(name string, value int64, where string) error {
	err := &LimitError{Name: name, Value: value, Where: where, Instant: k.now}
	k.fail(err)
	return err
}

func (k *Kernel) deadlock() error {
	e := &DeadlockError{Instant: k.now, Waits: make([]Wait, 0, k.live)}
	for p := k.oldest; p != nil; p = p.newer {
		e.Waits = append(e.Waits, Wait{Process: p.name, For: p.on.describe(), Since: p.since})
	}
	return e
}

// Close tears the run down: every process still alive is unwound, in order of
// spawning, so that its deferred functions run. They cannot start, wake or wait
// for anything, and a panic of theirs is dropped: the run's result stands. Call it
// after every Run, when nothing records any more: without it what is still alive
// keeps its memory. A second call does nothing.
func (k *Kernel) Close() {
	if k.running {
		panic("kernel: Close called from inside a run; call it after Run has returned")
	}
	k.closed = true
	k.fail(ErrClosed)
	for p := k.oldest; p != nil; p = k.oldest {
		k.cur = p
		p.tearDown()
	}
	k.cur = nil
	k.timers, k.ready = timers{}, readySet{}
}
