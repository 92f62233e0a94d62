package reprice

import (
	"errors"
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// callback is what the provider does with a request at an instant.
type callback struct {
	at vtime.Instant
	of *flight
	do func(p *player, f *flight, now vtime.Instant)
}

// callbacks are in order of their instants, and at one instant in the order in which
// they were set.
type callbacks []callback

func (c *callbacks) push(at vtime.Instant, f *flight, do func(*player, *flight, vtime.Instant)) {
	i, _ := slices.BinarySearchFunc(*c, at, func(x callback, at vtime.Instant) int {
		if x.at <= at {
			return -1
		}
		return 1
	})
	*c = slices.Insert(*c, i, callback{at, f, do})
}

// pump lets the provider do what it does up to an instant.
func (p *player) pump(until vtime.Instant) {
	for len(p.due) > 0 && p.due[0].at <= until {
		c := p.due[0]
		p.due = p.due[1:]
		if c.of.admitted {
			c.do(p, c.of, c.at)
		}
	}
}

// schedule sets the first callback of a request that was admitted: its first byte,
// or the refusal. One that the run's end cut off would have begun when the latency
// says so. One that was aborted before it began ends with its event.
func (p *player) schedule(s *sqlite.Sent, f *flight) {
	switch {
	case s.Began > 0:
		p.due.push(s.Began, f, (*player).begin)
	case s.EndedSeq == 0:
		p.due.push(s.Started.Add(p.firstByte(f)), f, (*player).begin)
	case s.Stop != aborted && s.Stop != duplicate:
		p.due.push(s.Ended, f, (*player).reject)
	}
}

// firstByte is when the answer of a request begins, from its admission on.
func (p *player) firstByte(f *flight) vtime.Duration {
	u, s := &f.call.first, &f.req.Stream
	return p.latency.FirstByte(u.Prompt()-u.Read, u.Read, s.Key.At(uint64(s.Call)).At(uint64(s.Attempt)).Sub("latency"))
}

func (p *player) begin(f *flight, now vtime.Instant) {
	p.engine.Begin(now, &f.adm)
	f.call.begun = true
}

func (p *player) reject(f *flight, now vtime.Instant) {
	p.engine.End(now, &f.adm, cachemodel.Rejected, nil, 0)
	f.admitted = false
}

// end ends request i at the cache and notes what its agent can expect from then
// on. Of a request that had begun it does not matter how it ended: its output is
// as recorded.
func (p *player) end(i int) {
	s, f := &p.r.sent[i], &p.flights[i]
	if f.admitted {
		how := cachemodel.Completed
		if !f.call.begun {
			how = cachemodel.Rejected
		}
		f.call.Miss = f.adm.Report.Miss
		f.call.Usage = p.engine.End(s.Ended, &f.adm, how, s.Answer, s.Usage.Output)
		if !f.call.begun {
			f.call.Miss = llm.Miss{}
		}
		f.call.moved = f.call.begun && s.Started.Add(p.firstByte(f)) != s.Began
		f.admitted = false
	}
	if s.Stop == duplicate || s.Status != "ok" && s.Began == 0 {
		return
	}
	a := p.agents[s.Agent]
	a.sent, a.expects = true, llm.Expectation{Head: f.req.Head, Start: s.Started, Model: f.req.Model}
	if k := len(f.req.Breakpoints); k > 0 {
		a.expects.Mark, a.expects.TTL = f.req.Breakpoints[k-1].Node, f.req.Breakpoints[k-1].TTL
	} else if f.req.Automatic {
		a.expects.Mark, a.expects.TTL = f.req.Head, f.req.AutoTTL
	}
}

// front finds the last system block that does not depend on the session, and the
// last one. Where the first of them ends, only marks of plan agent say.
func front(s *sqlite.Sent, plan *agent.Plan) (static, system *llm.Node, err error) {
	if plan.Name != agent.PlanAgent {
		return nil, nil, nil
	}
	if len(s.Marks) > 0 && s.Marks[0].Node.Level == llm.System {
		static = s.Marks[0].Node
	}
	n := s.Head
	for n.Level == llm.Messages {
		n = n.Parent
	}
	if n.IsBorder() {
		return static, nil, nil
	}
	if static == nil && !n.Parent.IsBorder() {
		return nil, nil, errors.New("where the part of the system prompt ends that does not depend on the session is not on record, since no mark stood there; run the scenario with that plan")
	}
	return static, n, nil
}
