package transcript

// Finding is something that a reader should know and that is no error.
type Finding struct{ Rule, Detail string }

func (*Finding) Kind() Kind { return KindFinding }

func (b *Finding) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " rule=", b.Rule)
	return optStr(dst, " detail=", b.Detail)
}
