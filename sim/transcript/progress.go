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

func (b *Progress) appendForm(dst []byte) []byte {
	dst = putInt(dst, 1, b.ToolUses)
	dst = putInt(dst, 2, b.Input)
	dst = putInt(dst, 3, b.Output)
	last := make([]string, 0, len(b.Last)) // oldest first
	for i := max(0, b.ToolUses-len(b.Last)); i < b.ToolUses; i++ {
		if use := b.Last[i%len(b.Last)]; use != nil {
			last = append(last, use.Name)
		}
	}
	return putList(dst, 4, last)
}

func progressText(dst []byte, r *reader) []byte {
	dst = appendInt(dst, " tool_uses=", r.int(1))
	dst = appendInt(dst, " input=", r.int(2))
	dst = appendInt(dst, " output=", r.int(3))
	if r.has(4) {
		dst = listText(append(dst, " last="...), 4, r)
	}
	return dst
}
