package transcript

import "agentsim/sim/llm"

// Permission is a decision about a tool use.
type Permission struct {
	ID                        llm.ToolUseID // of the call
	Tool, Mode, Decision, Why string
	Terminal                  string   // lineage at whose terminal it is asked and answered
	Input                     llm.Hash // of decision edit: identity of the input that is to run
}

func (*Permission) Kind() Kind { return KindPermission }

func (b *Permission) AppendText(dst []byte) []byte {
	dst = optToolUse(dst, " id=", b.ID)
	dst = appendStr(dst, " tool=", b.Tool)
	dst = optStr(dst, " mode=", b.Mode)
	dst = appendStr(dst, " decision=", b.Decision)
	dst = optStr(dst, " why=", b.Why)
	dst = optStr(dst, " terminal=", b.Terminal)
	return optIdentity(dst, " input=", b.Input)
}
