package cachemodel

import (
	"slices"

	"agentsim/sim/llm"
)

// touched tells which undocumented points a figure came to depend on.
type touched struct {
	thinkingFirst, thinkingLast bool       // a request set thinking or effort
	crossing                    bool       // a look-back met a border
	expiry                      bool       // a miss was laid to expiry, or an entry was read after its lifetime
	exactly                     bool       // an entry was read at the last instant of its lifetime
	otherTTL                    bool       // a request renewed an entry of another lifetime than it asked for
	through                     bool       // a request wrote through an entry that it did not read
	behind                      bool       // a breakpoint within what was read made an entry
	checkpoints                 bool       // a request on Bedrock had more than two breakpoints
	lag, collapse, bestEffort   bool       // a request was disturbed
	oldAccount                  bool       // thinking was moved, and the account is too old to be refused
	loop                        bool       // a server tool's pass was billed
	cleared                     bool       // a request holds a text that clears
	inline                      bool       // a request's only tools are defined in its messages
	tails                       []*Profile // whose tail tokens are not established
	lastTail                    *Profile
}

// note takes in an admitted request.
func (t *touched) note(a *Admission) {
	req := a.Request
	if s := &req.Settings; s.Thinking != llm.ThinkingDisabled || s.Effort != "" && s.Effort != req.Profile.Salts.DefaultEffort {
		if req.Profile.Salts.ThinkingRenderedFirst {
			t.thinkingFirst = true
		} else {
			t.thinkingLast = true
		}
	}
	if p := req.Profile; p != t.lastTail {
		t.lastTail = p
		t.noteTail(p)
	}
	if a.Report.Miss.Reason == llm.MissExpired {
		t.expiry = true
	}
	if req.Head.Uses != 0 {
		t.cleared = t.cleared || req.Head.Uses&llm.ClearedMessage != 0
		t.inline = t.inline || llm.ToolsInlineOnly(req.Head)
	}
}

// noteTail lists a model whose tail tokens are not established.
func (t *touched) noteTail(p *Profile) {
	known := func(q *Profile) bool { return q.ID == p.ID }
	if !p.Found.Tail && p.Tail != 0 && !slices.ContainsFunc(t.tails, known) {
		t.tails = append(t.tails, p)
	}
}

// hit takes in the entry that a request read.
func (t *touched) hit(a *Admission, p *place) {
	if !a.Hit.Kept && a.Hit.Expiry == a.Start {
		t.exactly = true
	}
	for i := range a.marks[:a.n] {
		if !p.lease[a.marks[i].TTL].on {
			t.otherTTL = true
		}
	}
}

// write takes in that a's request made an entry at p, behind what it read.
func (t *touched) write(s *store, a *Admission, p *place) {
	for c := range p.lease {
		if q := s.above(p, llm.TTL(c)); q != nil && q.lease[c].use < a.Start {
			t.through = true
		}
	}
}
