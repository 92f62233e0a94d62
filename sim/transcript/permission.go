package transcript

// Permission is a decision about a tool use.
type Permission struct {
	Tool, Mode, Decision, Why string
}

// Kind is KindPermission.
func (*Permission) Kind() Kind { return KindPermission }

// AppendText appends the canonical fields.
func (b *Permission) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " tool=", b.Tool)
	dst = optStr(dst, " mode=", b.Mode)
	dst = appendStr(dst, " decision=", b.Decision)
	return optStr(dst, " why=", b.Why)
}
