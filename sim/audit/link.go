package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// links is the section on agents that work in remote environments.
type links struct{ *ledger }

// link is what passes between a remote agent and the one that started it.
type link struct{ ways [2]passing }

// passing is one way.
type passing struct {
	sent, arrived, results int
	at                     []vtime.Instant // when attempts were sent that have not arrived, oldest first
}

// asked reports whether a call asks for a remote environment, or its definition does.
func (u *links) asked(in *llm.Payload) bool {
	s := u.opt.Session
	if s == nil || s.Link == nil || in == nil {
		return false
	}
	want := field(in, "isolation")
	if want == "" {
		want = s.Types[field(in, "subagent_type")].Isolation
	}
	return want == "remote"
}

// starts gives a remote agent its link.
func (u *links) starts(a, p *agent) {
	if !a.fork && u.asked(a.spawned.input) {
		a.link = new(link)
		a.place = &workplace{from: p.place, made: u.seq, brought: p.place.brought}
	}
}

// event is WKT-07 for a frame: it arrives once, in the order of sending, and not before
// the link's latency.
func (u *links) event(a *agent, b *transcript.Link) {
	if a != nil && u.opt.Session == nil && a.link == nil {
		a.link = new(link)
	}
	if a == nil || a.link == nil {
		u.report(wkt07, a, "no link of an agent that is not remote", b.What)
		return
	}
	w := &a.link.ways[0]
	if b.Way == "home" {
		w = &a.link.ways[1]
	}
	switch b.Op {
	case "sent":
		w.sent = max(w.sent, b.N)
		w.at = append(w.at, u.now)
	case "lost":
		w.at = w.at[:len(w.at)-1]
	default:
		var takes vtime.Duration
		if s := u.opt.Session; s != nil {
			takes = *s.Link
		}
		if u.fails(wkt07, len(w.at) > 0 && u.now.Sub(w.at[0]) >= takes) {
			u.report(wkt07, a, "an arrival "+takes.String()+" after it was sent", b.What+" "+decimal(int64(b.N)))
		}
		w.at = w.at[min(1, len(w.at)):]
		w.takes(u, a, b)
	}
}

// takes is WKT-07 for what is at the other end.
func (w *passing) takes(u *links, a *agent, b *transcript.Link) {
	if b.Op == "discarded" {
		if u.fails(wkt07, b.N <= w.arrived) {
			u.report(wkt07, a, "nothing discarded that had not arrived", b.What+" "+decimal(int64(b.N)))
		}
		return
	}
	if u.fails(wkt07, b.N == w.arrived+1 && b.N <= w.sent) {
		u.report(wkt07, a, "the arrival of number "+decimal(int64(w.arrived+1)), decimal(int64(b.N)))
	}
	w.arrived = b.N
	switch {
	case b.What == "result":
		w.results++
	case b.What == "message" && a.life != nil:
		a.posted = append(a.posted, u.now)
	}
}

// begins is WKT-07 for a request: a remote agent makes none before its prompt is there.
func (u *links) begins(a *agent) {
	if a.link != nil && u.fails(wkt07, a.link.ways[0].arrived > 0) {
		u.report(wkt07, a, "no request before its prompt has arrived", "one")
	}
}

// queued is WKT-07 for a notification: it is there when the result has come home.
func (u *links) queued(a *agent, b *transcript.Notification) {
	if a == nil || a.link == nil || b.Op != "queued" {
		return
	}
	w := &a.link.ways[1]
	if u.fails(wkt07, w.results > 0) {
		u.report(wkt07, a, "no notification before its result has come home", "one")
	}
	w.results = max(0, w.results-1)
}
