package transcript

import "agentsim/sim/llm"

// Progress is how far an agent has come in an activation. As an event it tells of
// each change, of an agent in the background.
type Progress struct {
	ToolUses      int
	Input, Output int64         // tokens: of the newest request, of all answers
	Last          [5]*llm.Block // its last tool uses, use n at n modulo 5
}

func (*Progress) Kind() Kind { return KindProgress }

// AppendText appends the canonical fields; the tools of the last uses oldest first.
func (b *Progress) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " tool_uses=", b.ToolUses)
	dst = appendInt(dst, " input=", b.Input)
	dst = appendInt(dst, " output=", b.Output)
	key := " last="
	for i := max(0, b.ToolUses-len(b.Last)); i < b.ToolUses; i++ {
		if use := b.Last[i%len(b.Last)]; use != nil {
			dst = appendStr(dst, key, use.Name)
			key = ","
		}
	}
	return dst
}
