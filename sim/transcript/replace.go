package transcript

import "agentsim/sim/llm"

// Replace is a decision of content replacement (LOOP-11).
type Replace struct {
	ID   llm.ToolUseID `text:"id,opt"`
	From int           `text:"from"`
	To   int           `text:"to"` // bytes
}

func (*Replace) Kind() Kind { return KindReplace }
