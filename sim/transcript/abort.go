package transcript

// Abort is the instant at which an agent's controller fired.
type Abort struct {
	Target int32
	Why    string // user-interrupt, parent, task-stop, kill-agents, limit
}

func (*Abort) Kind() Kind { return KindAbort }

func (b *Abort) AppendText(dst []byte) []byte {
	dst = appendRef(dst, " target=", b.Target)
	return appendStr(dst, " why=", b.Why)
}
