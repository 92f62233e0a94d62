package mockllm

import (
	"agentsim/mockllm/fault"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// deliverAgain brings the request before the server a second time, as a network
// does that repeats what it has delivered. The copy runs beside the call, and
// nobody reads its answer.
func (c *call) deliverAgain(k *kernel.Kernel, now vtime.Instant) error {
	if c.rule == nil || c.rule.Kind != fault.Duplicate || c.rule.After {
		return nil
	}
	t := c.s.take()
	t.req, t.resp = c.req, new(llm.Response)
	if err := t.admit(now); err != nil {
		c.s.give(t)
		return err
	}
	t.resp.Started = now
	t.schedule(k, now)
	c.twin = t
	return nil
}

// settleTwin ends the copy and notes what it was billed beside the call.
func (c *call) settleTwin(now vtime.Instant) {
	t := c.twin
	if t == nil {
		return
	}
	if t.running {
		t.abandon(now)
	}
	r := t.resp
	c.resp.Copy = &llm.APIError{Type: "duplicate_request", Message: "the request arrived twice, and nobody read the second answer",
		Usage: r.Usage, Cache: r.Cache, Started: r.Started, Began: r.Began}
	c.twin = nil
	c.s.give(t)
}
