package transcript

import "agentsim/sim/llm"

// Hook is a hook of an agent's definition: that it began or ceased to hear the
// agent, or what it did about an event.
type Hook struct {
	Op      string        `text:"op"`    // add, run, remove
	Event   string        `text:"event"` // PreToolUse, PostToolUse, Stop
	Command string        `text:"command"`
	Tool    string        `text:"tool,opt"`    // the tool it ran for; "" for Stop, add and remove
	ID      llm.ToolUseID `text:"id,opt"`      // the call it ran for
	Outcome string        `text:"outcome,opt"` // of a run: pass, record or block
	Reason  string        `text:"reason,opt"`
}

func (*Hook) Kind() Kind { return KindHook }
