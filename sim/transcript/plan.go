package transcript

// Plan is an agent that enters or leaves plan mode.
type Plan struct {
	Op       string   // enter or leave
	From, To string   // permission modes
	File     string   // of the plan
	Stripped []string // rules to allow that do not hold while it plans: taken away, or given back
}

func (*Plan) Kind() Kind { return KindPlan }

func (b *Plan) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " op=", b.Op)
	dst = appendStr(dst, " from=", b.From)
	dst = appendStr(dst, " to=", b.To)
	dst = appendStr(dst, " file=", b.File)
	return optList(dst, " stripped=", b.Stripped)
}
