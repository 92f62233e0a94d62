package harness

import (
	"fmt"
	"sync"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/stream"
)

// Task is what is left of a job that has begun.
type Task struct {
	Work func()       // on a goroutine of its own, while others work
	End  func() error // in the order of the jobs
}

// Ordered takes n jobs that do not depend on one another through their steps, at
// most so many at work at once (CON-22). They begin in their order; never two of
// them begin or end at a time, and none begins long before the ones ahead of it have
// ended. The error is that of the first job that has one: then no further job
// begins, nor where more says no, which is not asked for the first. What has begun
// is ended. A panic in any step reaches the caller.
func Ordered(n, workers int, more func() bool, begin func(i int) (Task, error)) error {
	o := &ordered{first: n}
	s := stream.New().WithMaxGoroutines(max(1, workers))
	for i := range n {
		var task Task
		begun := false
		o.step(i, func() (err error) {
			if o.err == nil && (i == 0 || more()) {
				task, err = begin(i)
				begun = err == nil
			}
			return err
		})
		if !begun {
			break
		}
		s.Go(func() stream.Callback {
			o.caught.Try(task.Work)
			return func() { o.step(i, task.End) }
		})
	}
	s.Wait()
	if p := o.caught.Recovered(); p != nil {
		panic(fmt.Sprintf("%v\n\n%s", p.Value, p.Stack))
	}
	return o.err
}

// ordered is what the steps of all jobs share.
type ordered struct {
	alone  sync.Mutex
	caught panics.Catcher
	first  int // the first job with an error
	err    error
}

// step does a step that no other job's may meet; none after a panic.
func (o *ordered) step(i int, do func() error) {
	o.alone.Lock()
	defer o.alone.Unlock()
	if o.caught.Recovered() != nil {
		return
	}
	o.caught.Try(func() {
		if err := do(); err != nil && i < o.first {
			o.first, o.err = i, err
		}
	})
}
