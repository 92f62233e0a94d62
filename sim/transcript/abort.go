package transcript

// Abort is the instant at which an agent's controller fired.
type Abort struct {
	Target int32
	Why    string // user-interrupt, parent, task-stop, kill-agents, limit
}

// Kind is KindAbort.
func (*Abort) Kind() Kind { return KindAbort }

// AppendText appends the canonical fields.
func (b *Abort) AppendText(dst []byte) []byte {
	dst = appendRef(dst, " target=", b.Target)
	return appendStr(dst, " why=", b.Why)
}
