package mockllm

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/mockllm/fault"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// call is one request on its way. It is the provider's callback at the first
// byte and at the last one.
type call struct {
	s    *Server
	req  *llm.Request
	resp *llm.Response

	answer Answer
	stream fault.Stream
	output int64     // tokens of the whole answer
	head   *llm.Node // the conversation with the answer
	short  bool      // it was cut, at the most tokens that it may have
	rule   *fault.Rule
	passes []pass // further passes of the model, behind results of server tools
	passed int    // passes made

	model   *model
	kernel  *kernel.Kernel
	timer   kernel.Timer
	end     vtime.Instant // when the client wakes
	running bool          // admitted and not ended
	twin    *call         // the second delivery of this one's, nil for none
	in      cachemodel.Request
	adm     cachemodel.Admission

	// What its callbacks touch stands above: the kernel has that fetched ahead.

	query   Query      // in here, since a source is handed its address
	limited fault.Rule // the 429 of a rate limit, where rule points at it
	limit   string     // what it counts
}

// admit brings the request before the cache.
func (c *call) admit(now vtime.Instant) error {
	if err := c.prepare(now); err != nil {
		return err
	}
	if err := c.s.cfg.Engine.Admit(now, &c.in, &c.adm); err != nil {
		return err
	}
	if t := c.answer.Told; t != nil && t.Warm && c.adm.Usage.Read == 0 {
		if err := c.findWarm(now); err != nil {
			return err
		}
	}
	if err := c.recount(); err != nil {
		c.s.cfg.Engine.End(now, &c.adm, cachemodel.Rejected, nil, 0)
		return err
	}
	if c.model.meters != nil && !c.early() {
		c.meter(now)
	}
	return nil
}

// findWarm admits the request again, after somebody else has kept alive what it
// marks first.
func (c *call) findWarm(now vtime.Instant) error {
	c.s.cfg.Engine.End(now, &c.adm, cachemodel.Rejected, nil, 0)
	if err := c.prime(now); err != nil {
		return err
	}
	return c.s.cfg.Engine.Admit(now, &c.in, &c.adm)
}

// prime lets somebody else read or write what the request marks first.
func (c *call) prime(now vtime.Instant) error {
	p, ok := c.s.cfg.Engine.(Primer)
	if !ok || len(c.req.Breakpoints) == 0 {
		return fmt.Errorf("%s, call %d: others keep nothing alive here: the request marks nothing", c.req.Stream.Lineage, c.req.Stream.Call)
	}
	first := c.req.Breakpoints[:1]
	return p.Prime(now, &cachemodel.Request{Profile: c.in.Profile, Counts: c.in.Counts,
		Request: &llm.Request{Model: c.req.Model, Head: first[0].Node, Breakpoints: first, Salts: c.req.Salts, MaxTokens: 1}})
}

// recount refuses a recorded count that came too late: the prefix was written
// with another one, and what was billed stands.
func (c *call) recount() error {
	to, u := c.adm.Report.ReadTo, &c.adm.Usage
	if c.s.recorded == nil || to == nil || c.adm.Hit.Tokens == 0 || c.adm.Hit.Tokens == u.Read {
		return nil
	}
	return fmt.Errorf("%s, call %d: the prefix at position %d was written with %d tokens and has %d by a count recorded since: give the count to the first call that sends the prefix",
		c.req.Stream.Lineage, c.req.Stream.Call, to.Pos, c.adm.Hit.Tokens, u.Read)
}

// prepare asks the source and the fault plan, and counts.
func (c *call) prepare(now vtime.Instant) error {
	req := c.req
	m, err := c.s.model(req)
	if err != nil {
		return err
	}
	c.model = m
	c.query = Query{req.Head, req.Model, req.Settings, req.Stream, req.MaxTokens}
	if err := c.ask(); err != nil {
		return err
	}
	counts, err := c.s.counts(m, req, &c.answer)
	if err != nil {
		return err
	}
	profile, told := m.profile, c.answer.Told
	window := profile.Window
	if told != nil {
		profile, window = m.tailed(told.Input), 0
	}
	if err := c.bound(now, counts.At(req.Head)+profile.Tail, window); err != nil {
		return err
	}
	c.in = cachemodel.Request{Request: req, Profile: profile, Counts: counts}
	if told != nil {
		c.in.Limit = told.Limit
	}
	if c.s.cfg.Faults != nil {
		c.rule = c.s.cfg.Faults.Find(&fault.Call{Lineage: req.Stream.Lineage, Key: req.Stream.Key, Call: req.Stream.Call, Attempt: req.Stream.Attempt})
	}
	if c.build(counts); c.rule != nil && c.struck() {
		c.s.cfg.Faults.Strikes(c.rule)
	}
	if _, ok := c.s.cfg.Engine.(cachemodel.Passer); !ok && len(c.passes) > 0 {
		return fmt.Errorf("%s, call %d: the answer holds a server tool's result, and this provider's cache knows no such tools", req.Stream.Lineage, req.Stream.Call)
	}
	return nil
}

// bound refuses a prompt of n tokens that is too long: above the run's limit
// the run ends, above the model's window, if that is established, this agent
// fails.
func (c *call) bound(now vtime.Instant, n, window int64) error {
	if most := c.s.cfg.MaxPrompt; most > 0 && n > most {
		return &kernel.LimitError{Name: LimitTokens, Value: most, Where: c.req.Stream.Lineage, Instant: now}
	}
	if window > 0 && n > window {
		return &llm.APIError{Status: 400, Type: "invalid_request_error", Message: fmt.Sprintf("prompt is too long: %d tokens > %d maximum", n, window)}
	}
	return nil
}

// ask fills the answer. A request for no tokens is answered with nothing, and has
// what was recorded of its prompt (CACHE-46).
func (c *call) ask() error {
	c.answer.Reset()
	if c.req.MaxTokens == 0 {
		c.answer.Stop, c.answer.Output = llm.MaxTokens, 0
		if s, ok := c.s.cfg.Source.(Counted); ok {
			c.answer.Counts = s.Counts(c.req.Stream.Lineage, c.req.Stream.Call)
		}
		return nil
	}
	if err := c.s.cfg.Source.Answer(&c.query, &c.answer); err != nil {
		return err
	}
	if c.answer.Stop == 0 {
		c.answer.Stop = llm.EndTurn
		for i := range c.answer.Blocks {
			if c.answer.Blocks[i].Kind == llm.ToolUse {
				c.answer.Stop = llm.StopToolUse
			}
		}
	}
	return nil
}

// early reports whether the call fails before the server's effect.
func (c *call) early() bool { return c.rule != nil && !c.rule.After && !c.rule.Kind.Shapes() }

// breaks reports whether the stream ends before its last event.
func (c *call) breaks() bool { return c.rule != nil && c.rule.After && !c.rule.Kind.Shapes() }

// schedule sets the first callback and the instant at which the call ends.
func (c *call) schedule(now vtime.Instant) {
	c.running = true
	l := &c.s.cfg.Latency
	if c.early() {
		c.end = now.Add(l.Wait(latencyKey(&c.req.Stream)))
		c.timer = c.kernel.At(c.end, c)
		return
	}
	if t := c.answer.Told; t != nil && c.rule == nil {
		first := max(t.First, 1) // 0 stands for a response that has not begun
		c.end = now.Add(max(first, t.Took))
		c.timer = c.kernel.At(now.Add(first), c)
		return
	}
	u := &c.adm.Usage
	first := now.Add(l.FirstByte(u.Prompt()-u.Read, u.Read, latencyKey(&c.req.Stream)))
	switch {
	case !c.breaks():
		c.end = first.Add(c.streaming(c.output))
	case c.sent() == 0:
		c.end = first
	default:
		c.end = first.Add(c.streaming(c.sent()))
	}
	c.timer = c.kernel.At(first, c)
}

// streaming is the time in which n tokens of the answer come.
func (c *call) streaming(n int64) vtime.Duration {
	return c.s.cfg.Latency.Stream(n) * vtime.Duration(c.times())
}

// times is how many times as long as it should a token takes.
func (c *call) times() int {
	if c.rule != nil && c.rule.Kind == fault.Slow {
		return c.rule.Times
	}
	return 1
}

// latencyKey names the draws of one attempt.
func latencyKey(s *llm.StreamName) rng.Key {
	return s.Key.At(uint64(s.Call)).At(uint64(s.Attempt)).Sub("latency")
}

// sent is the number of output tokens that leave before the stream ends.
func (c *call) sent() int64 {
	if c.breaks() {
		return c.stream.Before(int64(c.rule.Event))
	}
	return c.output
}

// Fire implements kernel.Firer: the refusal, the first byte, or the last one.
func (c *call) Fire(now vtime.Instant) {
	engine := c.s.cfg.Engine
	switch {
	case c.early():
		c.finish(now, cachemodel.Rejected, nil, 0)
	case c.adm.Began == 0:
		engine.Begin(now, &c.adm)
		c.resp.Began = now
		if c.req.OnBegin != nil {
			c.req.OnBegin.Began(now)
		}
		c.wait()
	case c.passed < len(c.passes):
		c.pass(now)
		c.wait()
	default:
		c.over(now)
	}
}

// over ends the call at its last byte.
func (c *call) over(now vtime.Instant) {
	if c.breaks() {
		c.finish(now, cachemodel.Dropped, nil, c.sent())
	} else {
		c.finish(now, cachemodel.Completed, c.head, c.output)
	}
}

// quiet reports whether nobody but the client notices the end of a call that has begun:
// then it comes about when that one asks.
func (c *call) quiet() bool {
	t := c.answer.Told
	return c.adm.Settled && c.model.meters == nil && (t == nil || !t.Seen)
}

// finish ends the call at the engine and notes the bill.
func (c *call) finish(now vtime.Instant, how cachemodel.Ending, head *llm.Node, output int64) {
	c.resp.Usage = c.s.cfg.Engine.End(now, &c.adm, how, head, output)
	c.resp.Cache = c.adm.Report
	c.resp.Ended = now
	c.running = false
	if c.model != nil {
		c.model.meters.takeOut(now, c.resp.Usage.Output)
	}
	c.share(c.resp.Usage.Output)
	if t := c.answer.Told; t != nil && t.Seen && how == cachemodel.Completed {
		_ = c.prime(now) // the request itself was admitted with that mark
	}
}

// Ends implements llm.Call.
func (c *call) Ends() vtime.Instant { return c.end }

// End implements llm.Call.
func (c *call) End() error {
	defer c.s.give(c)
	if c.running {
		c.over(c.end)
	}
	err := c.outcome()
	c.settleTwin(c.kernel.Now())
	return err
}

// Abandon implements llm.Call.
func (c *call) Abandon(now vtime.Instant) {
	defer c.s.give(c)
	c.abandon(now)
	c.settleTwin(now)
}

// abandon ends a call whose client went away. If the last byte left at this
// very instant, the call stands as it ended and only the answer is lost.
func (c *call) abandon(now vtime.Instant) {
	switch {
	case c.running && now >= c.end && c.adm.Settled:
		c.over(c.end)
	case c.running:
		c.timer.Cancel()
		c.finish(now, cachemodel.Aborted, nil, c.streamed(now))
	}
	c.resp.Blocks, c.resp.Causes, c.resp.Stop = nil, nil, 0
}

// streamed is the number of output tokens sent by now.
func (c *call) streamed(now vtime.Instant) int64 {
	if c.adm.Began == 0 {
		return 0
	}
	return min(int64(now.Sub(c.adm.Began)/c.streaming(1)), c.sent())
}

// outcome is what the client sees of a call that has ended.
func (c *call) outcome() error {
	if c.rule == nil || c.rule.Kind.Shapes() {
		c.resp.Head = c.head
		if c.rule != nil && c.rule.Kind == fault.Duplicate && c.rule.After {
			c.resp.Again = 1
		}
		return nil
	}
	r := c.resp
	e := &llm.APIError{RetryAfter: c.rule.RetryAfter, Usage: r.Usage, Cache: r.Cache, Started: r.Started, Began: r.Began}
	switch c.rule.Kind {
	case fault.RateLimited:
		e.Status, e.Type, e.Message = 429, "rate_limit_error", "too many requests"
		if c.rule == &c.limited {
			e.Message = "this request would exceed the rate limit of " + c.limit
		}
	case fault.Overloaded:
		e.Status, e.Type, e.Message = 529, "overloaded_error", "overloaded"
	case fault.ServerError:
		e.Status, e.Type, e.Message = 500, "api_error", "internal server error"
	case fault.Drop:
		e.Type, e.Message = "stream_dropped", "the connection was lost before the answer began"
		if c.breaks() {
			e.Message = "the stream broke before " + c.stream.Name(int64(c.rule.Event))
		}
	}
	*r = llm.Response{Started: r.Started, Began: r.Began, Ended: r.Ended}
	return e
}

// deliverAgain brings the request before the server a second time, as a network
// does that repeats what it has delivered. The copy runs beside the call, and
// nobody reads its answer.
func (c *call) deliverAgain(now vtime.Instant) error {
	if c.rule == nil || c.rule.Kind != fault.Duplicate || c.rule.After {
		return nil
	}
	t := c.s.take()
	t.req, t.resp, t.kernel = c.req, new(llm.Response), c.kernel
	if err := t.admit(now); err != nil {
		c.s.give(t)
		return err
	}
	t.resp.Started = now
	t.schedule(now)
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

// pass is one more pass of the model within a request: a server tool has
// answered (CACHE-27).
type pass struct {
	result *llm.Node
	after  int64 // output tokens ahead of it
}

// notePass notes the result of a server tool. Results in a row are answered by
// one pass, and one that ends the answer by none.
func (c *call) notePass(result *llm.Node, after int64, last bool) {
	n := len(c.passes)
	if n > 0 && c.passes[n-1].result == result.Parent {
		c.passes = c.passes[:n-1]
	}
	if !last {
		c.passes = append(c.passes, pass{result, after})
	}
}

// wait sets the next callback behind the first byte: the next pass, or the end where
// somebody else notices it. A stream that breaks before a pass does not reach it.
func (c *call) wait() {
	at := c.end
	if c.passed < len(c.passes) {
		if p := c.instant(c.passed); p < c.end {
			at = p
		} else {
			c.passes = c.passes[:c.passed]
		}
	}
	if at == c.end && c.quiet() {
		return
	}
	c.timer = c.kernel.At(at, c)
}

// instant is when the tokens ahead of pass i have left. The tool's own time and
// the prefill behind it are not modelled.
func (c *call) instant(i int) vtime.Instant {
	return c.adm.Began.Add(c.streaming(c.passes[i].after))
}

// pass makes the next pass at the engine and notes its bill.
func (c *call) pass(now vtime.Instant) {
	p := &c.passes[c.passed]
	if c.passed == 0 {
		c.resp.Iterations = append(c.resp.Iterations, c.adm.Usage)
	}
	u := c.s.cfg.Engine.(cachemodel.Passer).Pass(now, &c.adm, p.result)
	c.resp.Iterations = append(c.resp.Iterations, u)
	c.passed++
	if m := c.model.meters; m != nil && m[1] != nil {
		m[1].take(now, c.model.metered(&u))
	}
}

// share gives each iteration its part of the output.
func (c *call) share(output int64) {
	for i := range c.resp.Iterations {
		from, to := int64(0), output
		if i > 0 {
			from = c.passes[i-1].after
		}
		if i < c.passed {
			to = min(c.passes[i].after, output)
		}
		c.resp.Iterations[i].Output = to - from
	}
}
