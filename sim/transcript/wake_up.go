package transcript

// WakeUp is an idle agent that goes on.
type WakeUp struct {
	Why    string // notification, user
	Prefix int64  // tokens of the prefix it wakes at
}

func (*WakeUp) Kind() Kind { return KindWakeUp }

func (b *WakeUp) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " why=", b.Why)
	return appendInt(dst, " prefix=", b.Prefix)
}
