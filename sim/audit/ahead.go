package audit

import (
	"agentsim/sim/ahead"
	"agentsim/sim/llm"
)

// lead is where to find what an agent's next event touches: it says so without the agent
// itself, which is in none of the processor's caches yet. It is empty once that has ended,
// and fills a line of them.
type lead struct {
	agent   *agent
	next    any          // in its life, where that begins
	behind  *behind      // what its last request stood behind
	entries [most]*entry // what that marked, and at the end what the answer before left
}

// How many lines an event touches.
const (
	agentLines = 3
	lifeLines  = 23
)

// Lead implements transcript.Leader.
func (u *Auditor) Lead(agent int32) {
	if int(agent) >= len(u.leads) {
		return
	}
	l := &u.leads[agent]
	ahead.Fetch(l.agent, agentLines)
	ahead.Fetch(l.next, lifeLines)
	ahead.Fetch(l.behind, 1)
	for i := range l.entries {
		if e := l.entries[i]; e != nil {
			ahead.Fetch(e, 1)
		}
	}
}

// asked notes what the answer to an agent's request will touch.
func (l *lead) asked(a *agent, list *entries) {
	l.next, l.behind = &a.root, a.last.behind
	for i := range min(len(a.last.marks), most-1) {
		l.entries[i] = list.at(a.last.marks[i].at)
	}
	if a.last.left.Node != nil {
		l.entries[most-1] = list.at(a.last.left.at)
	}
}

// lead fetches what a request touches while the rest of it is looked at: the slot of its
// whole prefix, which is mostly the only new one that it marks, and the entry that this gets.
func (c *cacheBooks) lead(head *llm.Node) {
	ahead.Fetch(c.at.slot(head.Hash), 1)
	if k := len(c.free); k > 0 {
		ahead.Fetch(c.list.at(c.free[k-1]), 1)
	}
}
