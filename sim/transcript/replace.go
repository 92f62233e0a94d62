package transcript

import "agentsim/sim/llm"

// Replace is a decision of content replacement (LOOP-11).
type Replace struct {
	ID       llm.ToolUseID
	From, To int // bytes
}

func (*Replace) Kind() Kind { return KindReplace }

func (b *Replace) AppendText(dst []byte) []byte {
	dst = optToolUse(dst, " id=", b.ID)
	dst = appendInt(dst, " from=", b.From)
	return appendInt(dst, " to=", b.To)
}
