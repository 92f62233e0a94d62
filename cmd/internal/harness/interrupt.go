package harness

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/kernel"
)

// Signals passes on those that ask the process to end. Where nobody waits for
// one, or for a second one that comes later, it ends at once, with the code that exit is
// given: the database stays whole either way.
func Signals(s *ui.Env, exit func(os.Signal)) <-chan os.Signal {
	out, in := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(in, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(in, syscall.SIGHUP)
	}
	go func() {
		var last time.Time
		for sig := range in {
			switch {
			case s.Waiting.Load():
				last = time.Now()
				out <- sig
			case time.Since(last) > sameFor:
				exit(sig)
			}
		}
	}()
	return out
}

// sameFor is how soon behind a signal another one is the same: timeout(1) sends two.
const sameFor = 500 * time.Millisecond

// Interrupt passes a signal on to every run that goes on.
type Interrupt struct {
	mu    sync.Mutex
	fired os.Signal // the one that came; nil for none
	runs  map[*kernel.Kernel]bool
	on    func() // what else a signal does; nil for nothing
	done  chan struct{}
	over  chan struct{} // closed once nobody waits any more
}

// Listen begins to wait for a signal; Stop must be called. A second signal finds
// nobody waiting.
func Listen(s *ui.Env) *Interrupt {
	x := &Interrupt{runs: map[*kernel.Kernel]bool{}, done: make(chan struct{}), over: make(chan struct{})}
	s.Heard = x
	if s.Interrupt == nil {
		close(x.over)
		return x
	}
	s.Waiting.Store(true)
	go func() {
		defer close(x.over)
		select {
		case sig := <-s.Interrupt:
			x.fire(sig)
		case <-x.done:
		}
		s.Waiting.Store(false)
	}()
	return x
}

func (x *Interrupt) fire(sig os.Signal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fired = sig
	for k := range x.runs {
		k.Interrupt()
	}
	if x.on != nil {
		x.on()
	}
}

// On has a signal call do until done is called; one thing at a time is done so.
func (x *Interrupt) On(do func()) (done func()) {
	set := func(do func()) {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.on = do; do != nil && x.fired != nil {
			do()
		}
	}
	set(do)
	return func() { set(nil) }
}

// Stop ends the waiting: whoever listens next hears the next signal.
func (x *Interrupt) Stop() {
	close(x.done)
	<-x.over
}

// Has reports whether a signal came.
func (x *Interrupt) Has() bool { return x.Signal() != nil }

// Signal is the one that came; nil for none.
func (x *Interrupt) Signal() os.Signal {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.fired
}

// Run runs a spec such that a signal ends it.
func (x *Interrupt) Run(spec *sim.Spec, opt sim.Options) (*sim.Result, error) {
	opt, done := x.watched(opt)
	defer done()
	return sim.Run(spec, opt)
}

// watched are options of a run that a signal ends; done must be called after it.
func (x *Interrupt) watched(opt sim.Options) (_ sim.Options, done func()) {
	var mine *kernel.Kernel
	listen := opt.OnKernel
	opt.OnKernel = func(k *kernel.Kernel) {
		x.mu.Lock()
		defer x.mu.Unlock()
		mine = k
		x.runs[k] = true
		if x.fired != nil {
			k.Interrupt()
		}
		if listen != nil {
			listen(k)
		}
	}
	return opt, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.runs, mine)
	}
}
