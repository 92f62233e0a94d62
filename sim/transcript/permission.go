package transcript

import "agentsim/sim/llm"

// Permission is a decision about a tool use.
type Permission struct {
	ID                        llm.ToolUseID // of the call
	Tool, Mode, Decision, Why string
	Terminal                  string   // lineage at whose terminal it is asked and answered
	Badge                     string   // the teammate on whose behalf it is asked
	Via                       string   // how its question came to the terminal: bridge or mailbox
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
	dst = optStr(dst, " badge=", b.Badge)
	dst = optStr(dst, " via=", b.Via)
	return optIdentity(dst, " input=", b.Input)
}
