package transcript

// RunEnd closes a run.
type RunEnd struct {
	Outcome string // completed, limit, deadlock, interrupted
	Detail  string
}

// Kind is KindRunEnd.
func (*RunEnd) Kind() Kind { return KindRunEnd }

// AppendText appends the canonical fields.
func (b *RunEnd) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " outcome=", b.Outcome)
	return optStr(dst, " detail=", b.Detail)
}
