package transcript

import (
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// AgentEnd is an agent's end, or the end of an activation.
type AgentEnd struct {
	Status   Ending    `text:"status"`
	Why      string    `text:"why,opt"`
	Turns    int       `text:"turns"`
	ToolUses int       `text:"tool_uses"`
	Own      llm.Usage // consumed by its own calls
	Rolled   llm.Usage // consumed by it and all its descendants so far

	// What its meters show, of its own answers and of those who worked for it while
	// it lived (ISO-14). Not in the text: the answers are.
	Answers, OutputTokens int64
	FirstToken            vtime.Duration // summed

	// What its progress shows (TSK-07). Not in the text either.
	Progress Progress
}

func (*AgentEnd) Kind() Kind { return KindAgentEnd }

// AppendText appends the canonical fields. A usage is input/write_5m/write_1h/read/output.
func (b *AgentEnd) AppendText(dst []byte) []byte {
	dst = appendTagged(dst, b)
	dst = appendUsages(dst, " own=", b.Own)
	return appendUsages(dst, " rolled=", b.Rolled)
}

func appendUsages(dst []byte, key string, u llm.Usage) []byte {
	dst = append(dst, key...)
	for i, v := range [5]int64{u.Input, u.Write5m, u.Write1h, u.Read, u.Output} {
		if i > 0 {
			dst = append(dst, '/')
		}
		dst = strconv.AppendInt(dst, v, 10)
	}
	return dst
}
