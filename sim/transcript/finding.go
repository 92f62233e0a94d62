package transcript

// Finding is something that a reader should know and that is no error.
type Finding struct {
	Rule   string `text:"rule"`
	Detail string `text:"detail,opt"`
}

func (*Finding) Kind() Kind { return KindFinding }
