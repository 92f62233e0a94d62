package transcript

// RunEnd closes a run.
type RunEnd struct {
	Outcome RunOutcome
	Detail  string
}

func (*RunEnd) Kind() Kind { return KindRunEnd }

func (b *RunEnd) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " outcome=", string(b.Outcome))
	return optStr(dst, " detail=", b.Detail)
}
