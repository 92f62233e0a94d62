package agent

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/transcript"
)

// RecentActivities is how many of an agent's last tool uses its progress tells.
const RecentActivities = 5

// Progress is how far an agent in the background has come since its activation
// began (TSK-07).
type Progress struct {
	ToolUses     int
	InputTokens  int64    // of the newest request alone: it holds those before it
	OutputTokens int64    // of all answers
	Activities   []string // the last tool uses, oldest first: the tool, and what it was about
}

// progress is what an agent keeps of its own. It does not grow with the history.
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

// Progress is that of the agent whose task has the id; ok is false when no agent
// that lives has it: what an ended one came to stands in its notification.
func (w *World) Progress(id string) (p Progress, ok bool) {
	t := w.tasks.Get(id)
	if t == nil || t.Type != task.LocalAgent {
		return Progress{}, false
	}
	a := w.agents[t.Agent]
	if a.life == nil {
		return Progress{}, false
	}
	of := &a.progress
	p = Progress{ToolUses: of.uses, InputTokens: of.input, OutputTokens: of.output}
	for i := max(0, of.uses-RecentActivities); i < of.uses; i++ {
		p.Activities = append(p.Activities, doing(a, of.last[i%RecentActivities]))
	}
	return p, true
}

// doing says what a tool use of an agent is about.
func doing(a *Agent, use *llm.Block) string {
	t := a.ctx.Pool.Find(use.Name)
	if t == nil {
		return use.Name
	}
	return strings.TrimSpace(use.Name + " " + strings.Join(t.Subjects(use.Content, a.directory()), ", "))
}

// tell records how far an agent has come, if it is in the background.
func (p *progress) tell(a *Agent) {
	if a.task != nil {
		a.w.rec.progress = p.shown()
		a.w.rec.emit(a.ref, &a.w.rec.progress)
	}
}
