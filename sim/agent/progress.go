package agent

import (
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/task"
	"agentsim/sim/tool"
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
	last          [RecentActivities]activity // a ring: use n stands at n modulo its length
}

// activity is a tool use, told only when somebody asks.
type activity struct {
	name  string
	tool  *tool.Tool // nil where the pool does not hold it
	input *llm.Payload
}

// used notes a tool use.
func (p *progress) used(b *llm.Block, t *tool.Tool) {
	p.last[p.uses%RecentActivities] = activity{b.Name, t, b.Content}
	p.uses++
}

// answered notes what an answer was billed.
func (p *progress) answered(u llm.Usage) {
	p.input = u.Prompt()
	p.output += u.Output
}

func (x *activity) about(root string) string {
	if x.tool == nil {
		return x.name
	}
	return strings.TrimSpace(x.name + " " + strings.Join(x.tool.Subjects(x.input, root), ", "))
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
	return a.progress.told(a.directory()), true
}

func (p *progress) told(root string) Progress {
	out := Progress{ToolUses: p.uses, InputTokens: p.input, OutputTokens: p.output}
	for i := max(0, p.uses-RecentActivities); i < p.uses; i++ {
		out.Activities = append(out.Activities, p.last[i%RecentActivities].about(root))
	}
	return out
}
