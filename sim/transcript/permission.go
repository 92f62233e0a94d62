package transcript

import "agentsim/sim/llm"

// Permission is a decision about a tool use.
type Permission struct {
	ID       llm.ToolUseID `text:"id,opt"` // of the call
	Tool     string        `text:"tool"`
	Mode     string        `text:"mode,opt"`
	Decision string        `text:"decision"`
	Why      string        `text:"why,opt"`
	Terminal string        `text:"terminal,opt"` // lineage at whose terminal it is asked and answered
	Badge    string        `text:"badge,opt"`    // the teammate on whose behalf it is asked
	Via      string        `text:"via,opt"`      // how its question came to the terminal: bridge or mailbox
	Input    llm.Hash      `text:"input,opt"`    // of decision edit: identity of the input that is to run
}

func (*Permission) Kind() Kind { return KindPermission }

func (b *Permission) appendForm(dst []byte) []byte {
	dst = putToolUse(dst, 1, b.ID)
	dst = putText(dst, 2, b.Tool)
	dst = putText(dst, 3, b.Mode)
	dst = putText(dst, 4, b.Decision)
	dst = putText(dst, 5, b.Why)
	dst = putText(dst, 6, b.Terminal)
	dst = putText(dst, 7, b.Badge)
	dst = putText(dst, 8, b.Via)
	return putHash(dst, 9, b.Input)
}
