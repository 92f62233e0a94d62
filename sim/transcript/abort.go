package transcript

// Abort is the instant at which an agent's controller fired.
type Abort struct {
	Target int32  `text:"target,agent"`
	Why    string `text:"why"` // user-interrupt, parent, task-stop, kill-agents, limit
}

func (*Abort) Kind() Kind { return KindAbort }
