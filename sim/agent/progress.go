package agent

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
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
