package player

import (
	"cmp"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// eventKind orders what happens at one instant: the provider before clients, as
// CON-08 has it.
type eventKind uint8

const (
	begins eventKind = iota
	ends
	follows // a request of the client's own: hidden or extra
	starts
)

// event is one thing that happens to request i of session si.
type event struct {
	at    vtime.Instant
	kind  eventKind
	extra bool // of a follows: the caller asked for it
	si, i int
}

// timeline is all that happens, in order.
func (p *play) timeline() []event {
	var out []event
	for si, s := range p.sessions {
		for i := range s.Requests {
			a := p.ask(si, i)
			out = append(out, event{at: a.Start, kind: starts, si: si, i: i})
			if a.Begin > a.Start {
				out = append(out, event{at: a.Begin, kind: begins, si: si, i: i})
			}
			if a.Last > a.Start {
				out = append(out, event{at: a.Last, kind: ends, si: si, i: i})
			}
			if at, ok := p.follow(si, i); ok {
				out = append(out, event{at: at, kind: follows, si: si, i: i})
			}
			if p.opt.Extra != nil {
				for _, at := range p.opt.Extra(si, i) {
					out = append(out, event{at: max(at, a.Last), kind: follows, extra: true, si: si, i: i})
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	return out
}

// follow is when the client's own request came that precedes request i, if one
// may have.
func (p *play) follow(si, i int) (vtime.Instant, bool) {
	s := p.sessions[si]
	r := &s.Requests[i]
	if k := p.opt.Known; k != nil {
		at := k.Hidden[si][i]
		return at, at != 0
	}
	if !p.opt.Hidden || !r.UserTurn || r.Pred < 0 || r.Compacted || s.Threads[r.Thread].Kind != recording.Main {
		return 0, false
	}
	at := p.ask(si, int(r.Pred)).Last
	return at, at < p.ask(si, i).Start && p.ask(si, int(r.Pred)).Model == p.ask(si, i).Model
}

func (p *play) step(e event) error {
	f := &p.flights[e.si][e.i]
	switch e.kind {
	case starts:
		return p.start(e.si, e.i)
	case begins:
		p.engine.Begin(e.at, &f.adm)
	case ends:
		return p.finish(e.si, e.i, e.at)
	case follows:
		return p.followUp(e)
	}
	return nil
}

// start sends request i.
func (p *play) start(si, i int) error {
	f := p.build(si, i)
	r := &p.sessions[si].Requests[i]
	a := &f.ask
	head := f.end
	if in := r.Usage.Input; in > 0 {
		head = p.builder.Append(f.end, llm.User, plain)
		p.counts[head.Hash] = p.counts.At(f.end) + in
	}
	p.request(f, head, a)
	if err := p.engine.Admit(a.Start, &f.req, &f.adm); err != nil {
		return err
	}
	if p.out[si][i].alone = f.adm.Usage.Read == 0; p.out[si][i].alone && p.warm(si, i) {
		if err := p.admitShared(f, a); err != nil {
			return err
		}
	}
	p.out[si][i].Usage = f.adm.Usage
	p.out[si][i].Usage.Output = r.Usage.Output
	if a.Begin == a.Start {
		p.engine.Begin(a.Begin, &f.adm)
	}
	if a.Last == a.Start {
		return p.finish(si, i, a.Last)
	}
	return nil
}

// admitShared sends f again after another client of the account has kept its
// static prefix alive.
func (p *play) admitShared(f *flight, a *Ask) error {
	p.engine.End(a.Start, &f.adm, cachemodel.Rejected, nil, 0)
	if _, err := p.send(a.Start, &flight{static: f.static, end: f.static.block}, a); err != nil {
		return err
	}
	return p.engine.Admit(a.Start, &f.req, &f.adm)
}

// plain is the block of what stands behind the last breakpoint.
var plain = &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "input")}

// request fills f's request for the prompt that ends with head: marked behind the
// static prefix, where the conversation went on, and at the end of what can be
// read.
func (p *play) request(f *flight, head *llm.Node, a *Ask) {
	f.req = cachemodel.Request{Request: &llm.Request{Model: a.Model, Head: head, MaxTokens: 1}, Profile: p.profile(a.Model), Counts: p.counts}
	if a.Uncached {
		return
	}
	f.req.Breakpoints = append(f.req.Breakpoints, llm.Breakpoint{Node: f.static.block, TTL: a.TTL})
	if f.went != nil && f.went != f.end {
		f.req.Breakpoints = append(f.req.Breakpoints, llm.Breakpoint{Node: f.went, TTL: a.TTL})
	}
	if f.end != f.static.block {
		f.req.Breakpoints = append(f.req.Breakpoints, llm.Breakpoint{Node: f.end, TTL: a.TTL})
	}
}

// finish ends request i; what its answer tells is known from here on.
func (p *play) finish(si, i int, at vtime.Instant) error {
	f := &p.flights[si][i]
	p.engine.End(at, &f.adm, cachemodel.Completed, nil, p.sessions[si].Requests[i].Usage.Output)
	return p.learn(si, i, at)
}

// followUp sends a request of the client's own: an extra one repeats what request
// i left to be read, a hidden one precedes request i and goes on from its
// predecessor. Where the model strips earlier thinking at a user turn, the hidden
// one was stripped too, so it has written what request i begins with.
func (p *play) followUp(e event) error {
	s := p.sessions[e.si]
	of := e.i
	if !e.extra {
		of = int(s.Requests[e.i].Pred)
		if p.stripped(e.si, e.i) {
			of = e.i
		}
	}
	g := flight{static: p.build(e.si, of).static, end: p.flights[e.si][of].end}
	if f := p.build(e.si, e.i); !e.extra && f.aside != nil {
		g.static, g.end = f.static, f.aside
	}
	u, err := p.send(e.at, &g, p.ask(e.si, of))
	if e.extra {
		p.out[e.si][e.i].Extra = append(p.out[e.si][e.i].Extra, u)
	}
	return err
}

// send sends a request that is answered at once.
func (p *play) send(at vtime.Instant, g *flight, a *Ask) (llm.Usage, error) {
	p.request(g, g.end, a)
	if err := p.engine.Admit(at, &g.req, &p.hidden); err != nil {
		return llm.Usage{}, err
	}
	p.engine.Begin(at, &p.hidden)
	return p.engine.End(at, &p.hidden, cachemodel.Completed, nil, 1), nil
}

// stripped reports whether request i's prompt is shorter than what it would go on
// from because its model drops earlier thinking at a user turn (CACHE-31).
func (p *play) stripped(si, i int) bool {
	s := p.sessions[si]
	r := &s.Requests[i]
	model := p.ask(si, i).Model
	if !p.profile(model).StripsThinking || p.ask(si, int(r.Pred)).Model != model {
		return false
	}
	return r.Usage.Read+r.Usage.Written() < p.counts.At(p.build(si, int(r.Pred)).end)
}
