package agent

import (
	"agentsim/sim/ahead"
	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

// steps is a life as the kernel knows it.
type steps life

// Step implements kernel.Stepper.
func (l *steps) Step() (until vtime.Instant, more bool) { return l.turn.Step() }

// Lead implements kernel.Leader: it fetches what the next step touches beside the life
// itself.
func (l *steps) Lead() {
	if leader := l.turn.rec.leader; leader != nil {
		leader.Lead(l.turn.ref)
	}
	ahead.Fetch(l.turn.of, 4)
	ahead.Fetch(l.root, 6)
	ahead.Fetch(l.ctx.Files, 2)
	ahead.Fetch(l.conv.Head, 2)
	switch l.turn.at {
	case called: // the answer comes, and its tool starts
		ahead.Fetch(l.client.call, kernel.CallbackLines)
		ahead.Fetch(l.client.resp.Head, 2)
		ahead.Fetch(l.client.expects.Mark, 2)
		if answer := l.client.resp.Blocks; len(answer) > 0 {
			ahead.Fetch(&answer[0], 1)
		}
	case runs: // its result is said, and the next request sent
		ahead.Fetch(l.plan, 2)
		ahead.Fetch(l.front, 2)
		for i := range l.client.req.Breakpoints {
			ahead.Fetch(l.client.req.Breakpoints[i].Node, 2)
		}
	}
}
