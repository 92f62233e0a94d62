package transcript

// UserMessage is a message of the user's script.
type UserMessage struct {
	Bytes   int
	Dropped bool // its root had ended: nobody heard it
}

func (*UserMessage) Kind() Kind { return KindUserMessage }

func (b *UserMessage) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " bytes=", b.Bytes)
	return optFlag(dst, " dropped=", b.Dropped)
}
