package sqlite

import (
	"cmp"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// request is a call that has been sent. Its row is written when it has ended.
type request struct {
	seq, n, at    int64
	activation    int
	call, attempt int
	model         string
	head          *llm.Node
	expected      string // head of the request it could have read from
	marks         []llm.Breakpoint
	automatic     bool
}

// outcome is how a call ended.
type outcome struct {
	status   string
	model    string // that it is billed as; "" for the request's
	endedSeq any
	stop     string
	answer   string
	usage    llm.Usage
	cache    llm.CacheReport
	started  any
	began    any
	ended    any
}

// request keeps the call until it has ended. One that is still open then was
// given up without an answer.
func (w *Writer) request(e *transcript.Event, b *transcript.Request) {
	w.ended(e.Agent, &outcome{status: "open"})
	a := w.agent(e.Agent)
	w.requestNum++
	a.waiting = true
	a.request = request{seq: int64(e.Seq), n: w.requestNum, at: int64(e.At), activation: a.activation,
		call: b.Call, attempt: b.Attempt, model: b.Model, head: b.Head, marks: a.request.marks[:0], automatic: b.Automatic}
	if !w.keeps(e.Agent) {
		return
	}
	a.request.marks = append(a.request.marks, b.Breakpoints...)
	if b.Expect != nil && b.Expect.Head != nil {
		a.request.expected = w.hex(b.Expect.Head.Hash)
	}
	if w.opt.Level.Content() {
		w.chain(b.Head)
	}
}

func (w *Writer) response(e *transcript.Event, b *transcript.Response) {
	r := b.Resp
	o := &outcome{status: answered, model: b.Model, endedSeq: int64(e.Seq), stop: r.Stop.String(), usage: r.Usage, cache: r.Cache,
		started: int64(r.Started), began: int64(r.Began), ended: int64(r.Ended)}
	if b.Head != nil && w.keeps(e.Agent) {
		o.answer = w.hex(b.Head.Hash)
		if w.opt.Level.Content() {
			// The last answer of an agent stands in no later request.
			w.chain(b.Head)
		}
	}
	w.ended(e.Agent, o)
}

func (w *Writer) apiError(e *transcript.Event, b *transcript.APIError) {
	o := &outcome{status: "error", endedSeq: int64(e.Seq), stop: b.Err.Type, usage: b.Err.Usage, cache: b.Err.Cache,
		started: int64(b.Err.Started), ended: int64(e.At)}
	if b.Err.Began != 0 {
		o.began = int64(b.Err.Began)
	}
	w.ended(e.Agent, o)
}

// ended writes the row of the agent's request. An answer to nothing that was
// sent is left to the transcript.
func (w *Writer) ended(agent int32, o *outcome) {
	a := w.agent(agent)
	if !a.waiting {
		return
	}
	a.waiting = false
	w.addRequest(agent, &a.request, o)
	a.request.head = nil
}

// answered is the status of a request that was: what counts as a call.
const answered = "ok"

func (w *Writer) addRequest(agent int32, r *request, o *outcome) {
	cost, uncached := int64(0), int64(0)
	if w.opt.Cost != nil && o.usage != (llm.Usage{}) {
		cost, uncached = w.opt.Cost(cmp.Or(o.model, r.model), o.usage)
	}
	if o.status == answered {
		w.totals.calls++
	}
	w.totals.usage = w.totals.usage.Plus(o.usage)
	w.totals.cost += cost
	w.totals.uncached += uncached
	if !w.keeps(agent) {
		return
	}
	u, m := &o.usage, &o.cache.Miss
	w.agent(agent).last = billed{r.seq, r.n, cmp.Or(o.model, r.model), o.usage, m.Lost}
	missByte := m.Byte
	if m.Reason == llm.NotMissed {
		missByte, r.expected = -1, ""
	}
	w.requests.add(w.run, r.seq, r.n, int64(agent), int64(r.activation), int64(r.call), int64(r.attempt), r.at, r.model,
		w.hex(r.head.Hash), int64(r.head.Pos), r.head.Bytes,
		o.status, o.endedSeq, o.stop, o.answer, u.Input, u.Write5m, u.Write1h, u.Read, u.Output, cost, uncached,
		position(o.cache.ReadTo), position(o.cache.WrittenTo), int64(o.cache.Undecided), m.Reason.String(), m.Expected, m.Lost, r.expected,
		int64(m.Pos), missByte, o.started, o.began, o.ended)
	w.addBreakpoints(r, o)
}

func position(n *llm.Node) any {
	if n == nil {
		return nil
	}
	return int64(n.Pos)
}

// addBreakpoints tells at which mark the request's tokens were read and written:
// reads go to the first mark at or behind the end of what was read, writes to
// the last mark within what was written.
func (w *Writer) addBreakpoints(r *request, o *outcome) {
	if r.automatic {
		r.marks = append(r.marks, llm.Breakpoint{Node: r.head})
	}
	reader, writer := -1, -1
	for i, m := range r.marks {
		if reader < 0 && o.cache.ReadTo != nil && m.Node.Pos >= o.cache.ReadTo.Pos {
			reader = i
		}
		if o.cache.WrittenTo != nil && m.Node.Pos <= o.cache.WrittenTo.Pos {
			writer = i
		}
	}
	for i, m := range r.marks {
		ttl, reads, back, writes := m.TTL.String(), int64(0), int64(0), int64(0)
		if r.automatic && i == len(r.marks)-1 {
			ttl = "automatic"
		}
		if i == reader {
			reads, back = o.usage.Read, int64(m.Node.Pos-o.cache.ReadTo.Pos)
		}
		if i == writer {
			writes = o.usage.Written()
		}
		w.breakpoints.add(w.run, r.seq, int64(i), w.hex(m.Node.Hash), int64(m.Node.Pos), ttl, reads, back, writes)
	}
}
