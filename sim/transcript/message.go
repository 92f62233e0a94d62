package transcript

// Message is a message from one agent to another on its way. Its events stand on
// the receiver's record.
type Message struct {
	TaskID     string // the receiver's
	Op         string // sent, delivered, dropped
	Place      string // loop (after tool results), idle (wakes the receiver), resume (begins an activation)
	From       int32  // ordinal of the sender
	N          int    // number of the message among those to the receiver, from 1
	Activation int    // that the receiver is in, or was in last
	Bytes      int
}

func (*Message) Kind() Kind { return KindMessage }

func (b *Message) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " task=", b.TaskID)
	dst = appendStr(dst, " op=", b.Op)
	dst = optStr(dst, " place=", b.Place)
	dst = appendRef(dst, " from=", b.From)
	dst = appendInt(dst, " n=", b.N)
	dst = optInt(dst, " activation=", b.Activation)
	return optInt(dst, " bytes=", b.Bytes)
}
