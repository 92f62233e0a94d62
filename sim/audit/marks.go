package audit

import (
	"slices"

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
	at    []int32        // of those in the system prompt, where the plan says so
}

// start is DEF-12 by a table of this package: roots and forks have the session's
// lifetime, others that of their definition, else that of sub-agents.
func (m *marking) start(s *Session, a, p *agent) {
	switch {
	case s == nil:
	case p == nil:
		*m = marking{known: true, ttl: s.TTL, short: s.ShortAt}
	case a.fork:
		*m = p.marking
	default:
		*m = marking{known: true, ttl: s.ChildTTL}
		if own := s.Types[a.facts.Type].TTL; own != nil {
			m.ttl = *own
		}
	}
}

// moved takes in that so many more tools stand in front. A fork has its parent's places.
func (m *marking) moved(by int32) {
	m.at = slices.Clone(m.at)
	for i := range m.at {
		m.at[i] += by
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
	for i, at := range m.at {
		placed = placed && i < len(marks) && marks[i].Node.Pos == at
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
// last block and, where it has several, at the first, where what others share with it ends.
func systemMarks(u *ledger, a *agent, b *transcript.Request, front *llm.Node) {
	if s := u.opt.Session; s == nil || !s.SharedMarked || u.opt.OwnPrompts {
		return
	}
	var blocks []int32 // the last first
	for n := front.Parent; n != nil && n.Level != llm.Tools; n = n.Parent {
		if !n.IsBorder() && n.Level == llm.System {
			blocks = append(blocks, n.Pos)
		}
	}
	if k := len(blocks); k > 1 {
		a.marking.at = []int32{blocks[k-1], blocks[0]}
	} else {
		a.marking.at = blocks
	}
	var marked []int32
	for i := range b.Breakpoints {
		if b.Breakpoints[i].Node.Level == llm.System {
			marked = append(marked, b.Breakpoints[i].Node.Pos)
		}
	}
	if u.fails(loop12, slices.Equal(marked, a.marking.at)) {
		u.report(loop12, a, "2 marks in a system prompt of "+decimal(int64(len(blocks)))+" blocks, at the first and the last", decimal(int64(len(marked)))+", or elsewhere")
	}
}
