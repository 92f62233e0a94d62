package agent

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// RecentActivities is how many of an agent's last tool uses its progress tells.
const RecentActivities = 5

// progress is how far an agent has come since its activation began (TSK-07). It does
// not grow with the history.
type progress struct {
	uses          int
	input, output int64
	last          [RecentActivities]*llm.Block // tool uses, a ring: use n stands at n modulo its length
}

// used notes a tool use.
func (p *progress) used(b *llm.Block) {
	p.last[p.uses%RecentActivities] = b
	p.uses++
}

// answered notes what an answer was billed.
func (p *progress) answered(u llm.Usage) {
	p.input = u.Prompt()
	p.output += u.Output
}

// shown is the progress as events have it.
func (p *progress) shown() transcript.Progress {
	return transcript.Progress{ToolUses: p.uses, Input: p.input, Output: p.output, Last: p.last}
}

// tell records how far an agent has come, if it is in the background.
func (p *progress) tell(a *Agent) {
	if a.task != nil {
		a.w.rec.progress = p.shown()
		a.w.rec.emit(a.ref, &a.w.rec.progress)
	}
}

// Meters are what a user sees running while an agent works: its own answers and
// those of everyone who works for it, in the foreground or not (ISO-14).
type Meters struct {
	Answers      int64
	OutputTokens int64          // of all answers: the length of the response so far
	FirstToken   vtime.Duration // summed time from request to first byte
}

// meter counts an answer in the meters of an agent and of all above it that
// still live.
func meter(a *Agent) {
	wait := a.client.resp.Began.Sub(a.client.resp.Started)
	for q := a; q != nil && q.life != nil; q = q.parent {
		q.meters.Answers++
		q.meters.OutputTokens += a.client.resp.Usage.Output
		q.meters.FirstToken += wait
		if q.ctx.ResponseSize == NoOp {
			return
		}
	}
}

// consumed is what an agent and those below it consumed up to an instant.
type consumed struct{ own, rolled llm.Usage }

// add books what a call was billed to the agent itself (SUB-18).
func (c *consumed) add(u llm.Usage) {
	c.own = c.own.Plus(u)
	c.rolled = c.rolled.Plus(u)
}

// since is what was consumed after an earlier end, nil for none: an activation
// answers for its own part.
func (c consumed) since(b *consumed) consumed {
	if b == nil {
		return c
	}
	return consumed{minus(c.own, b.own), minus(c.rolled, b.rolled)}
}

func minus(u, v llm.Usage) llm.Usage {
	return llm.Usage{Input: u.Input - v.Input, Write5m: u.Write5m - v.Write5m, Write1h: u.Write1h - v.Write1h, Read: u.Read - v.Read, Output: u.Output - v.Output}
}
