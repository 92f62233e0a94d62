package transcript

// Plan is an agent that enters or leaves plan mode.
type Plan struct {
	Op       string   `text:"op"` // enter or leave
	From     string   `text:"from"`
	To       string   `text:"to"`           // permission modes
	File     string   `text:"file"`         // of the plan
	Stripped []string `text:"stripped,opt"` // rules to allow that do not hold while it plans: taken away, or given back
}

func (*Plan) Kind() Kind { return KindPlan }
