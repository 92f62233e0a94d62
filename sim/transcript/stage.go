package transcript

// Stage is one of the five stages of a spawn (SUB-06).
type Stage struct {
	Lineage string `text:"lineage"` // of the child to be
	N       int    `text:"n"`       // 1 type, 2 pool, 3 prompt, 4 context, 5 branch
	Name    string `text:"name,opt"`
	Detail  string `text:"detail,opt"`
}

func (*Stage) Kind() Kind { return KindStage }

func (b *Stage) appendForm(dst []byte) []byte {
	dst = putText(dst, 1, b.Lineage)
	dst = putInt(dst, 2, b.N)
	dst = putText(dst, 3, b.Name)
	return putText(dst, 4, b.Detail)
}
