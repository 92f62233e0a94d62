package transcript

// StateWrite is an attempt to write application state.
type StateWrite struct {
	Field  string
	Effect string // applied, no-op, root
}

// Kind is KindStateWrite.
func (*StateWrite) Kind() Kind { return KindStateWrite }

// AppendText appends the canonical fields.
func (b *StateWrite) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " field=", b.Field)
	return appendStr(dst, " effect=", b.Effect)
}
