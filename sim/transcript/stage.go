package transcript

// Stage is one of the five stages of a spawn (SUB-06).
type Stage struct {
	Lineage string // of the child to be
	N       int    // 1 type, 2 pool, 3 prompt, 4 context, 5 branch
	Name    string
	Detail  string
}

func (*Stage) Kind() Kind { return KindStage }

func (b *Stage) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " lineage=", b.Lineage)
	dst = appendInt(dst, " n=", b.N)
	dst = optStr(dst, " name=", b.Name)
	return optStr(dst, " detail=", b.Detail)
}
