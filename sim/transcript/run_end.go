package transcript

// RunEnd closes a run.
type RunEnd struct {
	Outcome RunOutcome `text:"outcome"`
	Detail  string     `text:"detail,opt"`
}

func (*RunEnd) Kind() Kind { return KindRunEnd }
