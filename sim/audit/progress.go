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
	told          bool                      // of the last change
}

// progress takes in an answer.
func (p *progressed) answered(u llm.Usage) {
	p.input, p.output, p.told = u.Prompt(), p.output+u.Output, false
}

// called takes in a tool use that was begun.
func (p *progressed) called(id llm.ToolUseID) {
	p.last[p.uses%activities] = id
	p.uses++
	p.told = false
}

// sent is TSK-07 for a request of an agent in the background: what changed since the last was
// told.
func (p *progressed) sent(u *ledger, a *agent) {
	if a.background && p.input > 0 && u.fails(tsk07, p.told) {
		u.report(tsk07, a, "an event of its progress since its last answer", "none")
	}
}

// endProgress is TSK-07 for an agent's end: what it shows, and that every answer of
// one in the background was told before.
func (u *Auditor) endProgress(a *agent, b *transcript.AgentEnd) {
	p := &a.progress
	if a.background && p.input > 0 && u.fails(tsk07, p.told) {
		u.report(tsk07, a, "an event of its progress after its last answer", "none")
	}
	u.showsProgress(a, &b.Progress)
}

// showsProgress is TSK-07: what an agent's progress shows are its own tool uses, the
// input of its newest request, the output of all, and its last five uses in order.
func (u *Auditor) showsProgress(a *agent, got *transcript.Progress) {
	want := &a.progress
	want.told = true
	ok := got.ToolUses == want.uses && got.Input == want.input && got.Output == want.output
	for i, blk := range got.Last {
		ok = ok && (i >= want.uses && blk == nil || i < want.uses && blk != nil && blk.ID == want.last[i])
	}
	if u.fails(tsk07, ok) {
		u.report(tsk07, a, "a progress of "+decimal(int64(want.uses))+" tool uses, "+decimal(want.input)+" tokens in, "+decimal(want.output)+" out, and its last uses in order",
			decimal(int64(got.ToolUses))+" tool uses, "+decimal(got.Input)+" in, "+decimal(got.Output)+" out, or other last uses")
	}
}
