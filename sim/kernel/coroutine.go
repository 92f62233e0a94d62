package kernel

import "iter"

// coroutine runs processes, one after the other: one that has ended leaves it to the next
// one that begins, with a stack that has grown to what processes need.
type coroutine struct {
	of    *Proc // that it runs next, nil while it is idle
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	idle  *coroutine // the next one of the idle ones
}

// coroutine finds or makes one for p.
func (k *Kernel) coroutine(p *Proc) *coroutine {
	c := k.idle
	if c == nil {
		c = &coroutine{}
		c.next, c.stop = iter.Pull(c.run)
	} else {
		k.idle, c.idle = c.idle, nil
	}
	c.of = p
	return c
}

// run runs processes until it is stopped while it is idle, or at teardown.
func (c *coroutine) run(yield func(struct{}) bool) {
	c.yield = yield
	for more := true; more; {
		k := c.of.k
		c.of.run()
		if c.of = nil; k.closed {
			return
		}
		c.idle, k.idle = k.idle, c
		more = yield(struct{}{})
	}
}

// dismiss stops the coroutines that are idle.
func (k *Kernel) dismiss() {
	for c := k.idle; c != nil; c = k.idle {
		k.idle = c.idle
		c.stop()
	}
}
