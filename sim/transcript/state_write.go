package transcript

// StateWrite is an attempt to write application state.
type StateWrite struct {
	Field  string
	Effect string // shared, no-op, root
	Why    string // what brought it about, where that is not plain
}

func (*StateWrite) Kind() Kind { return KindStateWrite }

func (b *StateWrite) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " field=", b.Field)
	dst = appendStr(dst, " effect=", b.Effect)
	return optStr(dst, " why=", b.Why)
}
