package transcript

// Listener is an abort listener added to or removed from another agent.
type Listener struct {
	Op string // add, remove
	On int32
}

func (*Listener) Kind() Kind { return KindListener }

func (b *Listener) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " op=", b.Op)
	return appendRef(dst, " on=", b.On)
}
