package transcript

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// ToolResult is a tool use, done.
type ToolResult struct {
	Call, Index int
	ID          llm.ToolUseID
	Name        string
	IsError     bool
	RemovedBy   string // for a call outside the pool: the filter layer that removed it (FLT-09)
	Bytes       int    // of the result's text
	Took        vtime.Duration
	Dir         string   // where the agent's shell stands after a command; "" is its root
	Wrote       int      // files that it changed, each time counted
	Ran         llm.Hash // identity of the input that a user put in the place of the call's; zero where the call's own ran
}

func (*ToolResult) Kind() Kind { return KindToolResult }

func (b *ToolResult) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = appendInt(dst, " index=", b.Index)
	dst = optToolUse(dst, " id=", b.ID)
	dst = appendStr(dst, " name=", b.Name)
	dst = optFlag(dst, " error=", b.IsError)
	dst = optStr(dst, " removed_by=", b.RemovedBy)
	dst = appendInt(dst, " bytes=", b.Bytes)
	dst = optDuration(dst, " took=", b.Took)
	dst = optStr(dst, " dir=", b.Dir)
	dst = optInt(dst, " wrote=", b.Wrote)
	return optIdentity(dst, " ran=", b.Ran)
}
