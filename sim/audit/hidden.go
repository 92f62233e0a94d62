package audit

import "agentsim/sim/transcript"

// hiddenSource is the query source of requests that a client sends on its own.
const hiddenSource = "hidden"

// unseen handles the events of a request that the client sends on its own: what it
// reads and writes counts for others, and its bill for who it goes on from. It holds
// no conversation that could be checked. It reports whether the event is one of those.
func (u *Auditor) unseen(e *transcript.Event) bool {
	if b, ok := e.Body.(*transcript.AgentStart); ok && b.Source == hiddenSource {
		if u.hidden == nil {
			u.hidden = map[int32]*agent{}
		}
		u.hidden[e.Agent] = &agent{ref: e.Agent, lineage: b.Lineage, parent: u.agent(b.Parent), life: &life{}}
		return true
	}
	h := u.hidden[e.Agent]
	if h == nil {
		return false
	}
	switch b := e.Body.(type) {
	case *transcript.Request:
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
	case *transcript.AgentEnd:
		u.cache.endBills(h, b)
		u.cache.endMeters(h, b)
	}
	return true
}
