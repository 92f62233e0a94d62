package agent

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

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
