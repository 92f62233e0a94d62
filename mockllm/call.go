package mockllm

import (
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
	rule   *fault.Rule

	in  cachemodel.Request
	adm cachemodel.Admission

	query   Query // in here, since a source is handed its address
	kernel  *kernel.Kernel
	timer   kernel.Timer
	end     vtime.Instant // when the process wakes
	running bool          // admitted and not ended
}

// prepare asks the source and the fault plan, and counts.
func (c *call) prepare() error {
	req := c.req
	m, err := c.s.model(req)
	if err != nil {
		return err
	}
	c.query = Query{req.Head, req.Model, req.Settings, req.Stream, req.MaxTokens}
	if err := c.ask(); err != nil {
		return err
	}
	counts, err := c.s.counts(m, req, &c.answer)
	if err != nil {
		return err
	}
	c.in = cachemodel.Request{Request: req, Profile: m.profile, Counts: counts}
	if c.s.cfg.Faults != nil {
		c.rule = c.s.cfg.Faults.Find(&fault.Call{Lineage: req.Stream.Lineage, Key: req.Stream.Key, Call: req.Stream.Call, Attempt: req.Stream.Attempt})
	}
	c.build(counts)
	return nil
}

// ask fills the answer. A request for no tokens is answered with nothing
// (CACHE-46).
func (c *call) ask() error {
	c.answer.Reset()
	if c.req.MaxTokens == 0 {
		c.answer.Stop, c.answer.Output = llm.MaxTokens, 0
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

// build appends the answer to the conversation and counts its tokens by block. A
// literal output is spread over the blocks in order; the last one has the rest.
func (c *call) build(counts llm.Counts) {
	if c.rule != nil && c.rule.Kind == fault.Truncate {
		truncate(c.answer.Blocks, c.rule)
	}
	blocks := c.s.keep(c.answer.Blocks)
	head, before := c.req.Head, int64(0)
	literal, total := c.answer.Output, int64(0)
	if len(blocks) > 0 {
		before = counts.At(head)
	}
	c.stream.Tokens = c.stream.Tokens[:0]
	for i := range blocks {
		head = c.s.cfg.Builder.Append(head, llm.Assistant, &blocks[i])
		after := counts.At(head)
		n := after - before
		if literal >= 0 {
			if n = min(n, literal-total); i == len(blocks)-1 {
				n = literal - total
			}
		}
		c.stream.Tokens = append(c.stream.Tokens, n)
		total, before = total+n, after
	}
	if c.output = total; literal >= 0 {
		c.output = literal
	}
	c.head = head
	c.resp.Blocks, c.resp.Stop = blocks, c.answer.Stop
	if len(c.answer.Causes) > 0 {
		c.resp.Causes = append(make([]string, 0, len(c.answer.Causes)), c.answer.Causes...)
	}
}

// truncate cuts the input of a tool use. The client, which cannot parse what
// came, keeps the text as a JSON string, so that the conversation stays well
// formed and the tool says what is wrong.
func truncate(blocks []llm.Block, r *fault.Rule) {
	n := 0
	for i := range blocks {
		if blocks[i].Kind != llm.ToolUse {
			continue
		}
		if n == r.Tool {
			raw := blocks[i].Content.Raw()
			cut := raw[:min(r.Keep, max(len(raw)-1, 0))]
			blocks[i].Content = llm.NewJSON(string(llm.AppendQuoted(nil, cut)))
			return
		}
		n++
	}
}

// early reports whether the call fails before the server's effect.
func (c *call) early() bool {
	return c.rule != nil && !c.rule.After && c.rule.Kind != fault.Truncate
}

// breaks reports whether the stream ends before its last event.
func (c *call) breaks() bool { return c.rule != nil && c.rule.After }

// schedule sets the first callback and the instant at which the process wakes.
func (c *call) schedule(k *kernel.Kernel, now vtime.Instant) {
	c.kernel, c.running = k, true
	l := &c.s.cfg.Latency
	if c.early() {
		c.end = now.Add(l.Queue)
		c.timer = k.At(c.end, c)
		return
	}
	u := &c.adm.Usage
	first := now.Add(l.FirstByte(u.Prompt()-u.Read, u.Read, latencyKey(&c.req.Stream)))
	switch {
	case !c.breaks():
		c.end = first.Add(l.Stream(c.output))
	case c.sent() == 0:
		c.end = first
	default:
		c.end = first.Add(l.Stream(c.sent()))
	}
	c.timer = k.At(first, c)
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
		c.timer = c.kernel.At(c.end, c)
	case c.breaks():
		c.finish(now, cachemodel.Dropped, nil, c.sent())
	default:
		c.finish(now, cachemodel.Completed, c.head, c.output)
	}
}

// finish ends the call at the engine and notes the bill.
func (c *call) finish(now vtime.Instant, how cachemodel.Ending, head *llm.Node, output int64) {
	c.resp.Usage = c.s.cfg.Engine.End(now, &c.adm, how, head, output)
	c.resp.Cache = c.adm.Report
	c.resp.Ended = now
	c.running = false
}

// abandon ends a call whose client went away. If the last byte left at this
// very instant, the call stands as it ended and only the answer is lost.
func (c *call) abandon(now vtime.Instant) {
	if c.running {
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
	return min(int64(now.Sub(c.adm.Began)/c.s.cfg.Latency.Decode), c.sent())
}

// outcome is what the client sees of a call that has ended.
func (c *call) outcome() error {
	if c.rule == nil || c.rule.Kind == fault.Truncate {
		c.resp.Head = c.head
		return nil
	}
	r := c.resp
	e := &llm.APIError{RetryAfter: c.rule.RetryAfter, Usage: r.Usage, Cache: r.Cache, Started: r.Started, Began: r.Began}
	switch c.rule.Kind {
	case fault.RateLimited:
		e.Status, e.Type, e.Message = 429, "rate_limit_error", "too many requests"
	case fault.Overloaded:
		e.Status, e.Type, e.Message = 529, "overloaded_error", "overloaded"
	case fault.Drop:
		e.Type, e.Message = "stream_dropped", "the connection was lost before the answer began"
		if c.breaks() {
			e.Message = "the stream broke before " + c.stream.Name(int64(c.rule.Event))
		}
	}
	*r = llm.Response{Started: r.Started, Began: r.Began, Ended: r.Ended}
	return e
}
