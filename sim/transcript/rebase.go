package transcript

// Rebase is a history whose bytes were made anew: what stood before no longer
// is a prefix of what is sent.
type Rebase struct {
	Why      string   // settings, model, re-render, tools
	Position int32    // first position that changed; 0 at a border
	Detail   string   // of tools: what became of which server
	Tools    []string // of tools: names of those that requests define from here on, in order
}

func (*Rebase) Kind() Kind { return KindRebase }

func (b *Rebase) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " why=", b.Why)
	dst = appendInt(dst, " position=", b.Position)
	dst = optStr(dst, " detail=", b.Detail)
	return optList(dst, " tools=", b.Tools)
}
