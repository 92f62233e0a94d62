package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// most is how many marks a request may bear.
const most = 4

// marking is how an agent's requests are to be marked.
type marking struct {
	known bool
	ttl   llm.TTL
	short vtime.Duration // from when on it is 5m; 0 is never
}

// start is DEF-12 by a table of this package: roots and forks have the session's
// lifetime, others that of their definition, else that of sub-agents.
func (m *marking) start(s *Session, a, p *agent) {
	switch {
	case s == nil:
	case p == nil:
		*m = marking{true, s.TTL, s.ShortAt}
	case a.fork:
		*m = p.marking
	default:
		*m = marking{true, s.ChildTTL, 0}
		if own := s.Types[a.facts.Type].TTL; own != nil {
			m.ttl = *own
		}
	}
}

// sent is DEF-12 and LOOP-12 for a request.
func (m *marking) sent(u *ledger, a *agent, b *transcript.Request) {
	if !m.known || b.Automatic {
		return
	}
	want, marks := m.ttl, b.Breakpoints
	if m.short > 0 && u.now >= vtime.Instant(m.short) {
		want = llm.TTL5m
	}
	kept, before, placed := true, int32(0), len(marks) <= most
	for i := range marks {
		kept = kept && marks[i].TTL == want
		placed = placed && marks[i].Node.Pos > before
		before = marks[i].Node.Pos
	}
	if u.opt.Session.HeadMarked {
		placed = placed && len(marks) > 0 && marks[len(marks)-1].Node == b.Head
	}
	if u.fails(def12, kept) {
		u.report(def12, a, "marks with lifetime "+want.String(), "another one")
	}
	if u.fails(loop12, placed) {
		u.report(loop12, a, "at most 4 marks in order, by this plan the last at the last block", "others")
	}
}

// systemMarks is LOOP-12 for an agent's first request: its system prompt is marked at its
// last block and, where it has several, at one in front of it, where what others share
// with it ends.
func systemMarks(u *ledger, a *agent, b *transcript.Request, front *llm.Node) {
	if s := u.opt.Session; s == nil || !s.SharedMarked || u.opt.OwnPrompts {
		return
	}
	blocks, marked := 0, 0
	for n := front.Parent; n != nil && n.Level != llm.Tools; n = n.Parent {
		if !n.IsBorder() && n.Level == llm.System {
			blocks++
		}
	}
	for i := range b.Breakpoints {
		if b.Breakpoints[i].Node.Level == llm.System {
			marked++
		}
	}
	if want := min(blocks, 2); u.fails(loop12, marked == want) {
		u.report(loop12, a, decimal(int64(want))+" marks in a system prompt of "+decimal(int64(blocks))+" blocks", decimal(int64(marked)))
	}
}
