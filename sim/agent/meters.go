package agent

import "agentsim/sim/vtime"

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

// Meters are the agent's, while it lives.
func (a *Agent) Meters() Meters { return a.meters }
