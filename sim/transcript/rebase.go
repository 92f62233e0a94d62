package transcript

// Rebase is a history whose bytes were made anew: what stood before no longer
// is a prefix of what is sent.
type Rebase struct {
	Why      string // settings, model, re-render
	Position int32  // first position that changed; 0 at a border
}

func (*Rebase) Kind() Kind { return KindRebase }

func (b *Rebase) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " why=", b.Why)
	return appendInt(dst, " position=", b.Position)
}
