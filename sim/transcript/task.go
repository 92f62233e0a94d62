package transcript

// Task is a change of a task's state.
type Task struct {
	ID         string
	Type       string
	From, To   string
	Activation int
	Exit       int // of a command that has come to its end
}

func (*Task) Kind() Kind { return KindTask }

func (b *Task) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " id=", b.ID)
	dst = optStr(dst, " type=", b.Type)
	dst = optStr(dst, " from=", b.From)
	dst = appendStr(dst, " to=", b.To)
	dst = optInt(dst, " activation=", b.Activation)
	return optInt(dst, " exit=", b.Exit)
}
