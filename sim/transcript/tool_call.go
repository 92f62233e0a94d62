package transcript

import "agentsim/sim/llm"

// ToolCall is a tool use, about to run.
type ToolCall struct {
	Call  int           `text:"call"`
	Index int           `text:"index"`
	ID    llm.ToolUseID `text:"id,opt"`
	Name  string        `text:"name"`
	Input llm.Hash      `text:"input"`     // identity of the input's bytes
	Cause string        `text:"cause,opt"` // why it had to be made again, if it had to: lazy, stale, truncated, compaction; or that it is a detour
}

func (*ToolCall) Kind() Kind { return KindToolCall }

func (b *ToolCall) appendForm(dst []byte) []byte {
	dst = putInt(dst, 1, b.Call)
	dst = putInt(dst, 2, b.Index)
	dst = putToolUse(dst, 3, b.ID)
	dst = putText(dst, 4, b.Name)
	dst = putHash(dst, 5, b.Input)
	return putText(dst, 6, b.Cause)
}
