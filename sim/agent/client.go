package agent

import (
	"cmp"
	"errors"

	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

type instant = vtime.Instant

// client sends the requests of one agent. It knows how many there were, and what the
// next can expect to read.
type client struct {
	of      *Agent
	req     llm.Request
	resp    llm.Response
	marks   [4]llm.Breakpoint // room for req.Breakpoints
	expects llm.Expectation
	last    llm.Usage // of the last request that was answered
	cut     llm.Usage // of one after it that was billed and brought no answer
	call    llm.Call  // the request that is not answered yet, nil for none
	calls   int       // of the model, so far, those that failed or were cut off included
}

// send makes one request and tries it again as the retry rule says.
func (c *client) send(p *kernel.Proc) error {
	if err := c.prepare(); err != nil {
		return err
	}
	return c.goOn(p, c.attempt(p, 0))
}

// attempt makes one request once.
func (c *client) attempt(p *kernel.Proc, n int) error {
	if err := c.begin(n); err != nil {
		return err
	}
	if err := p.SleepUntil(c.call.Ends()); err != nil {
		return c.abandon(err)
	}
	return c.end()
}

// begin begins an attempt. It is the one place that calls the model.
func (c *client) begin(attempt int) (err error) {
	a := c.of
	c.req.Stream.Attempt = attempt
	a.w.rec.sent(a, attempt)
	if c.call, err = a.w.cfg.Model.Begin(a.w.cfg.Kernel, &c.req, &c.resp); err != nil {
		c.call = nil
		c.copied()
	}
	return err
}

// end takes what came of the attempt, at its end.
func (c *client) end() error {
	err := c.call.End()
	c.call = nil
	c.copied()
	if err == nil {
		c.expect(c.resp.Started)
	}
	return err
}

// abandon hangs up, and returns why.
func (c *client) abandon(why error) error {
	c.call.Abandon(c.of.w.cfg.Kernel.Now())
	c.call = nil
	c.copied()
	return why
}

// goOn deals with what an attempt failed with, nil for one that did not, and tries again.
func (c *client) goOn(p *kernel.Proc, err error) error {
	for err != nil {
		n := c.req.Stream.Attempt
		var api *llm.APIError
		if !errors.As(err, &api) {
			c.hungUp(err, n)
			return err
		}
		if err := c.retry(p, api, n); err != nil {
			return err
		}
		err = c.attempt(p, n+1)
	}
	return nil
}

// prepare fills the request for the conversation as it stands.
func (c *client) prepare() error {
	a := c.of
	a.root.apply()
	c.req.Head = a.conv.Head
	c.req.Stream.Call = c.calls
	if limit := a.w.cfg.Limits.Bytes; limit > 0 && llm.CountedBytes(c.req.Head, limit) > limit {
		return &kernel.LimitError{Name: "bytes", Value: limit, Where: a.lineage, Instant: a.w.cfg.Kernel.Now()}
	}
	a.plan.mark(a, &c.req)
	return nil
}

// hungUp accounts for a call that an abort cut off: what the server did until
// then is billed, and what it wrote can be read by the next call (CON-09).
func (c *client) hungUp(why error, attempt int) {
	a := c.of
	if !isAbort(why) {
		return
	}
	r := &c.resp
	cut := &llm.APIError{Type: "aborted", Message: why.Error(), Usage: r.Usage, Cache: r.Cache, Started: r.Started, Began: r.Began}
	a.w.rec.emit(a.ref, &transcript.APIError{Call: c.calls, Attempt: attempt, Err: cut, GivesUp: true, Model: c.req.Model})
	c.billed(cut.Usage)
	if cut.Began > 0 {
		c.expect(cut.Started)
	}
	c.calls++
}

// billed books an attempt that brought no answer.
func (c *client) billed(u llm.Usage) {
	c.of.spent.add(u)
	if u.Total() > 0 {
		c.cut = u
	}
}

// tokens are the four figures of the last request that was billed (SUB-19).
func (c *client) tokens() int64 { return cmp.Or(c.cut.Total(), c.last.Total()) }

// copied accounts for a copy of the request that arrived beside it: the
// client asked once, and is billed twice.
func (c *client) copied() {
	a := c.of
	r := &c.resp
	if r.Copy == nil {
		return
	}
	attempt := c.req.Stream.Attempt
	a.w.rec.emit(a.ref, &transcript.APIError{Call: c.calls, Attempt: attempt, Err: r.Copy, Model: c.req.Model})
	c.billed(r.Copy.Usage)
	r.Copy = nil
	a.w.rec.sent(a, attempt)
}

// expect remembers this request as the one whose prefix the next can read.
func (c *client) expect(start instant) {
	c.expects = llm.Expectation{Head: c.req.Head, Start: start, Salts: c.req.Salts, Model: c.req.Model}
	if k := len(c.req.Breakpoints); k > 0 {
		c.expects.Mark, c.expects.TTL = c.req.Breakpoints[k-1].Node, c.req.Breakpoints[k-1].TTL
	} else if c.req.Automatic {
		c.expects.Mark, c.expects.TTL = c.req.Head, c.req.AutoTTL
	}
	c.req.Expect = &c.expects
}

// retry records a failed attempt and waits, or returns the error when the
// client gives up.
func (c *client) retry(p *kernel.Proc, api *llm.APIError, attempt int) error {
	a := c.of
	rule := &a.w.cfg.Retry
	gives := !api.Retryable() || attempt >= rule.Max
	ev := transcript.APIError{Call: c.calls, Attempt: attempt, Err: api, GivesUp: gives, Model: c.req.Model}
	if !gives {
		ev.RetryIn = rule.Wait(a.key.Sub("retry").At(uint64(c.calls)).At(uint64(attempt)), attempt, api.RetryAfter)
	}
	a.w.rec.emit(a.ref, &ev)
	c.billed(api.Usage)
	if api.Began > 0 {
		c.expect(api.Started)
	}
	if gives {
		c.calls++
		return api
	}
	return p.Sleep(ev.RetryIn)
}

func (c *client) set(s llm.Settings) {
	c.req.Settings = s
	c.req.Salts = c.of.front.prefix.Salts()
}
