package transcript

// Definition is an agent definition that a run found beside its built-in ones,
// or a built-in that gave way to one.
type Definition struct {
	Type    string
	Source  string // by its wire name, such as projectSettings
	Place   string // file and line; "" of a built-in
	Outcome string // loaded, overridden, refused, shadowed, shadows the built-in
	By      string // the place of the one that overrides or shadows it
}

func (*Definition) Kind() Kind { return KindDefinition }

func (b *Definition) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " type=", b.Type)
	dst = appendStr(dst, " source=", b.Source)
	dst = optStr(dst, " place=", b.Place)
	dst = appendStr(dst, " outcome=", b.Outcome)
	return optStr(dst, " by=", b.By)
}
