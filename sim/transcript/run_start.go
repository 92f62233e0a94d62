package transcript

// RunStart opens a run.
type RunStart struct {
	Scenario, Variant string
	Seed              uint64
	Policy            string // scheduling policy
	Spec              string // hex SHA-256 of the effective spec, files included
	Semantics         int    // version of what runs mean
}

func (*RunStart) Kind() Kind { return KindRunStart }

func (b *RunStart) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " scenario=", b.Scenario)
	dst = optStr(dst, " variant=", b.Variant)
	dst = appendUint(dst, " seed=", b.Seed)
	dst = optStr(dst, " policy=", b.Policy)
	dst = optStr(dst, " spec=", b.Spec)
	return appendInt(dst, " semantics=", b.Semantics)
}
