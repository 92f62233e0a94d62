package transcript

import "agentsim/sim/llm"

// ToolCall is a tool use, about to run.
type ToolCall struct {
	Call, Index int
	ID          llm.ToolUseID
	Name        string
	Input       llm.Hash // identity of the input's bytes
	Cause       string   // why it had to be made again, if it had to: lazy, stale, truncated, compaction; or that it is a detour
}

func (*ToolCall) Kind() Kind { return KindToolCall }

func (b *ToolCall) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = appendInt(dst, " index=", b.Index)
	dst = optToolUse(dst, " id=", b.ID)
	dst = appendStr(dst, " name=", b.Name)
	dst = appendHash(dst, " input=", b.Input)
	return optStr(dst, " cause=", b.Cause)
}
