package transcript

// Task is a change of a task's state.
type Task struct {
	ID         string     `text:"id"`
	Type       string     `text:"type,opt"`
	From       TaskStatus `text:"from,opt"`
	To         TaskStatus `text:"to"`
	Activation int        `text:"activation,opt"`
	Exit       int        `text:"exit,opt"` // of a command that has come to its end
}

func (*Task) Kind() Kind { return KindTask }
