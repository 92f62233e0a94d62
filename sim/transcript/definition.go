package transcript

// Definition is an agent definition that a run found beside its built-in ones,
// or a built-in that gave way to one.
type Definition struct {
	Type    string `text:"type"`
	Source  string `text:"source"`    // by its wire name, such as projectSettings
	Place   string `text:"place,opt"` // file and line; "" of a built-in
	Outcome string `text:"outcome"`   // loaded, overridden, refused, shadowed, shadows the built-in
	By      string `text:"by,opt"`    // the place of the one that overrides or shadows it
}

func (*Definition) Kind() Kind { return KindDefinition }
