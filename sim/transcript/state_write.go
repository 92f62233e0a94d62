package transcript

// StateWrite is an attempt to write application state.
type StateWrite struct {
	Field  string `text:"field"`
	Effect string `text:"effect"`  // shared, no-op, root
	Why    string `text:"why,opt"` // what brought it about, where that is not plain
}

func (*StateWrite) Kind() Kind { return KindStateWrite }
