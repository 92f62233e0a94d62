package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/kernel"
)

// queue runs jobs that do not depend on one another on all cores (CON-22). The
// steps that must be in order, and alone, are the caller's; only work is shared
// out, and each job's work sees nothing of another's.
type queue struct {
	begin func(i int) error // in order; an error ends the queue
	work  func(i int)       // at once with other jobs' work
	end   func(i int) error // in order, for every job that began
	more  func() bool       // whether jobs behind the first are to begin
}

// crash is a panic on the way through a job's work.
type crash struct {
	cause any
	stack []byte
}

// run takes n jobs through the queue, at most so many at once. The error is the
// first one in the order of the jobs; what had begun was still ended.
func (q *queue) run(n, atOnce int) error {
	free := make(chan struct{}, max(1, atOnce))
	var begun []chan *crash
	ended, first := 0, error(nil)
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	end := func(c *crash) {
		if c != nil {
			panic(fmt.Sprintf("%v\n\n%s", c.cause, c.stack))
		}
		ended++
		note(q.end(ended - 1))
	}
	for i := 0; i < n; i++ {
		free <- struct{}{}
		for ready := true; ready && ended < len(begun); {
			select {
			case c := <-begun[ended]:
				end(c)
			default:
				ready = false
			}
		}
		if first != nil || i > 0 && !q.more() {
			break
		}
		if err := q.begin(i); err != nil {
			note(err)
			break
		}
		done := make(chan *crash, 1)
		begun = append(begun, done)
		go func() {
			c := q.caught(i)
			done <- c
			<-free
		}()
	}
	for ended < len(begun) {
		end(<-begun[ended])
	}
	return first
}

// caught does a job's work and returns its panic, if there was one: another
// goroutine's would end the process without a word.
func (q *queue) caught(i int) (c *crash) {
	defer func() {
		if p := recover(); p != nil {
			c = &crash{p, debug.Stack()}
		}
	}()
	q.work(i)
	return nil
}

// cores is how many jobs run at once.
func cores() int { return runtime.GOMAXPROCS(0) }

// interrupts passes a signal on to every run that goes on.
type interrupts struct {
	mu    sync.Mutex
	fired os.Signal // the one that came; nil for none
	runs  map[*kernel.Kernel]bool
	done  chan struct{}
}

// listen begins to wait for a signal; stop must be called.
func listen(s *ui.Env) *interrupts {
	x := &interrupts{runs: map[*kernel.Kernel]bool{}, done: make(chan struct{})}
	s.Heard = x
	if s.Interrupt != nil {
		s.Waiting.Store(true)
		go x.wait(s.Interrupt, &s.Waiting)
	}
	return x
}

// wait passes one signal on. A second one finds nobody waiting.
func (x *interrupts) wait(signals <-chan os.Signal, waiting *atomic.Bool) {
	select {
	case sig := <-signals:
		x.fire(sig)
	case <-x.done:
	}
	waiting.Store(false)
}

func (x *interrupts) fire(sig os.Signal) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fired = sig
	for k := range x.runs {
		k.Interrupt()
	}
}

// stop ends the waiting.
func (x *interrupts) stop() { close(x.done) }

// has reports whether a signal came.
func (x *interrupts) has() bool { return x.Signal() != nil }

// Signal is the one that came; nil for none.
func (x *interrupts) Signal() os.Signal {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.fired
}

// around makes a run's options such that a signal ends it, and calls run with
// them.
func (x *interrupts) around(opt sim.Options, run func(sim.Options)) {
	var mine *kernel.Kernel
	opt.OnKernel = func(k *kernel.Kernel) {
		x.mu.Lock()
		defer x.mu.Unlock()
		mine = k
		x.runs[k] = true
		if x.fired != nil {
			k.Interrupt()
		}
	}
	run(opt)
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.runs, mine)
}
