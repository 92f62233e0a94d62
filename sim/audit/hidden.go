package audit

import "agentsim/sim/transcript"

// hiddenSource is the query source of requests that a client sends on its own.
const hiddenSource = "hidden"

// asideSource is that of agents that answer side questions.
const asideSource = "side_question"

// unseen handles the events of a request that the client sends on its own: what it
// reads and writes counts for others, and its bill for who it goes on from. It holds
// no conversation that could be checked. It reports whether the event is one of those.
func (u *Auditor) unseen(e *transcript.Event) bool {
	if b, ok := e.Body.(*transcript.AgentStart); ok && (b.Source == hiddenSource || b.Source == asideSource) {
		if u.hidden == nil {
			u.hidden = map[int32]*agent{}
		}
		h := &agent{ref: e.Agent, lineage: b.Lineage, parent: u.agent(b.Parent), life: &life{}}
		if h.facts = *b; h.parent != nil && h.parent.life != nil {
			h.point = h.parent.sent
		}
		u.hidden[e.Agent] = h
		return true
	}
	h := u.hidden[e.Agent]
	if h == nil {
		return false
	}
	switch b := e.Body.(type) {
	case *transcript.Request:
		if h.facts.Source == asideSource {
			u.asideAsks(h, b)
		}
		h.root, h.sent = rootOf(b.Head), b.Head
		u.cache.sent(h, b, u.now)
	case *transcript.Response:
		h.own = h.own.Plus(b.Resp.Usage)
		u.cache.parts(h, &b.Resp.Usage, &b.Resp.Cache)
		u.cache.landed(h, b.Resp.Began)
		u.cache.readable(h, b.Resp)
		for q := h; q != nil && q.life != nil; q = q.parent {
			q.meters.answers++
			q.meters.output += b.Resp.Usage.Output
			q.meters.wait += b.Resp.Began.Sub(b.Resp.Started)
		}
	case *transcript.APIError:
		h.own = h.own.Plus(b.Err.Usage)
		u.cache.parts(h, &b.Err.Usage, &b.Err.Cache)
		u.cache.landed(h, b.Err.Began)
	case *transcript.ToolResult:
		if u.fails(btw01, b.IsError || h.facts.PoolMode != "refused") {
			u.report(btw01, h, "a call of "+b.Name+" refused", "it was carried out")
		}
	case *transcript.AgentEnd:
		u.cache.endBills(h, b)
		u.cache.endMeters(h, b)
	}
	return true
}

// asideAsks holds a request of an agent that answers a side question against the last
// one of its root as it started: where it has its conversation it goes on from it byte for byte, and
// where it is the only request nothing is marked behind it.
func (u *Auditor) asideAsks(h *agent, b *transcript.Request) {
	if h.sent != nil {
		if u.fails(btw01, int64(b.Call) < int64(h.facts.MaxTurns)) {
			u.report(btw01, h, "no more than "+decimal(int64(h.facts.MaxTurns))+" requests", "one more")
		}
		return
	}
	if h.facts.Context.FileCache != "cloned" || h.point == nil {
		return
	}
	from, n := h.point, b.Head
	for n.Parent != nil && n.Pos > from.Pos {
		n = n.Parent
	}
	if u.fails(btw01, n.Hash == from.Hash) {
		u.report(btw01, h, "the request of "+h.parent.lineage+" up to position "+decimal(int64(from.Pos)), "other bytes")
	}
	if k := len(b.Breakpoints); h.facts.MaxTurns == 1 && u.fails(btw02, k == 0 || b.Breakpoints[k-1].Node.Pos <= from.Pos) {
		u.report(btw02, h, "no mark behind position "+decimal(int64(from.Pos)), "one at "+decimal(int64(b.Breakpoints[k-1].Node.Pos)))
	}
}
