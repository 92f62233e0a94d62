package audit

import (
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// activities is how many of an agent's last tool uses its progress tells.
const activities = 5

// progressed is what an agent's progress has to show, by its answers.
type progressed struct {
	uses          int
	input, output int64
	last          [activities]llm.ToolUseID // a ring
}

// progress takes in an answer.
func (p *progressed) answered(u llm.Usage) {
	p.input, p.output = u.Prompt(), p.output+u.Output
}

// called takes in a tool use that was begun.
func (p *progressed) called(id llm.ToolUseID) {
	p.last[p.uses%activities] = id
	p.uses++
}

// endProgress is TSK-07: what an agent's progress shows at its end are its own
// tool uses, the input of its newest request, the output of all, and its last
// five uses in order.
func (u *Auditor) endProgress(a *agent, b *transcript.AgentEnd) {
	want, got := &a.progress, &b.Progress
	ok := got.ToolUses == want.uses && got.Input == want.input && got.Output == want.output
	for i, blk := range got.Last {
		ok = ok && (i >= want.uses && blk == nil || i < want.uses && blk != nil && blk.ID == want.last[i])
	}
	if u.fails(tsk07, ok) {
		u.report(tsk07, a, "a progress of "+decimal(int64(want.uses))+" tool uses, "+decimal(want.input)+" tokens in, "+decimal(want.output)+" out, and its last uses in order",
			decimal(int64(got.ToolUses))+" tool uses, "+decimal(got.Input)+" in, "+decimal(got.Output)+" out, or other last uses")
	}
}
