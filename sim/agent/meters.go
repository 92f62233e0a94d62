package agent

import "agentsim/sim/vtime"

// Meters are what a user sees running while an agent works: its own answers and
// those of everyone who works for it, in the foreground or not (ISO-14).
type Meters struct {
	Answers      int64
	OutputTokens int64          // of all answers: the length of the response so far
	FirstToken   vtime.Duration // summed time from request to first byte
}

// meter counts an answer in the agent's meters and in those of all above it that
// still live.
func (a *Agent) meter() {
	wait := a.resp.Began.Sub(a.resp.Started)
	for q := a; q != nil && q.life != nil; q = q.parent {
		q.meters.Answers++
		q.meters.OutputTokens += a.resp.Usage.Output
		q.meters.FirstToken += wait
		if q.ctx.ResponseSize == NoOp {
			return
		}
	}
}

// Meters are the agent's, while it lives.
func (a *Agent) Meters() Meters { return a.meters }
