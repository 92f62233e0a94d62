package transcript

// Listener is an abort listener added to or removed from another agent.
type Listener struct {
	Op string `text:"op"` // add, remove
	On int32  `text:"on,agent"`
}

func (*Listener) Kind() Kind { return KindListener }

func (b *Listener) appendForm(dst []byte) []byte {
	return putInt(putText(dst, 1, b.Op), 2, b.On)
}
