package transcript

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// AgentEnd is an agent's end, or the end of an activation.
type AgentEnd struct {
	Status   Ending    `text:"status"`
	Why      string    `text:"why,opt"`
	Turns    int       `text:"turns"`
	ToolUses int       `text:"tool_uses"`
	Own      llm.Usage `text:"own"`    // consumed by its own calls
	Rolled   llm.Usage `text:"rolled"` // consumed by it and all its descendants so far

	// What its meters show, of its own answers and of those who worked for it while
	// it lived (ISO-14). Not in the text: the answers are.
	Answers, OutputTokens int64
	FirstToken            vtime.Duration // summed

	// What its progress shows (TSK-07). Not in the text either.
	Progress Progress
}

func (*AgentEnd) Kind() Kind { return KindAgentEnd }

func (b *AgentEnd) appendForm(dst []byte) []byte {
	dst = putText(dst, 1, b.Status)
	dst = putText(dst, 2, b.Why)
	dst = putInt(dst, 3, b.Turns)
	dst = putInt(dst, 4, b.ToolUses)
	dst = putUsage(dst, 5, &b.Own)
	return putUsage(dst, 6, &b.Rolled)
}
