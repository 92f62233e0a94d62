package transcript

import "agentsim/sim/llm"

// Hook is a hook of an agent's definition: that it began or ceased to hear the
// agent, or what it did about an event.
type Hook struct {
	Op      string // add, run, remove
	Event   string // PreToolUse, PostToolUse, Stop
	Command string
	Tool    string        // the tool it ran for; "" for Stop, add and remove
	ID      llm.ToolUseID // the call it ran for
	Outcome string        // of a run: pass, record or block
	Reason  string
}

func (*Hook) Kind() Kind { return KindHook }

func (b *Hook) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " op=", b.Op)
	dst = appendStr(dst, " event=", b.Event)
	dst = appendStr(dst, " command=", b.Command)
	dst = optStr(dst, " tool=", b.Tool)
	dst = optToolUse(dst, " id=", b.ID)
	dst = optStr(dst, " outcome=", b.Outcome)
	return optStr(dst, " reason=", b.Reason)
}
