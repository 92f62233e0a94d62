package transcript

// RunStart opens a run.
type RunStart struct {
	Scenario  string `text:"scenario"`
	Variant   string `text:"variant,opt"`
	Seed      uint64 `text:"seed"`
	Policy    string `text:"policy,opt"` // scheduling policy
	Spec      string `text:"spec,opt"`   // hex SHA-256 of the effective spec, files included
	Semantics int    `text:"semantics"`  // version of what runs mean
}

func (*RunStart) Kind() Kind { return KindRunStart }
