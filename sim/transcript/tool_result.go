package transcript

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// ToolResult is a tool use, done.
type ToolResult struct {
	Call      int            `text:"call"`
	Index     int            `text:"index"`
	ID        llm.ToolUseID  `text:"id,opt"`
	Name      string         `text:"name"`
	IsError   bool           `text:"error,opt"`
	RemovedBy string         `text:"removed_by,opt"` // for a call outside the pool: the filter layer that removed it (FLT-09)
	Bytes     int            `text:"bytes"`          // of the result's text
	Took      vtime.Duration `text:"took,opt"`
	Dir       string         `text:"dir,opt"`   // where the agent's shell stands after a command; "" is its root
	Wrote     int            `text:"wrote,opt"` // files that it changed, each time counted
	Ran       llm.Hash       `text:"ran,opt"`   // identity of the input that a user put in the place of the call's; zero where the call's own ran
}

func (*ToolResult) Kind() Kind { return KindToolResult }

func (b *ToolResult) appendForm(dst []byte) []byte {
	dst = putInt(dst, 1, b.Call)
	dst = putInt(dst, 2, b.Index)
	dst = putToolUse(dst, 3, b.ID)
	dst = putText(dst, 4, b.Name)
	dst = putFlag(dst, 5, b.IsError)
	dst = putText(dst, 6, b.RemovedBy)
	dst = putInt(dst, 7, b.Bytes)
	dst = putInt(dst, 8, b.Took)
	dst = putText(dst, 9, b.Dir)
	dst = putInt(dst, 10, b.Wrote)
	return putHash(dst, 11, b.Ran)
}
