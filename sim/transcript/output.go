package transcript

// Output is what becomes of a task's output in memory. It stands on the record of
// the agent that the task is.
type Output struct {
	TaskID     string
	Op         string // shown, hidden: on the user's screen or off it again; evicted
	Activation int
	Bytes      int // of the output, when it is evicted
	Messages   int // of a teammate that is shown: those that its view holds
}

func (*Output) Kind() Kind { return KindOutput }

func (b *Output) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " task=", b.TaskID)
	dst = appendStr(dst, " op=", b.Op)
	dst = optInt(dst, " activation=", b.Activation)
	dst = optInt(dst, " bytes=", b.Bytes)
	return optInt(dst, " messages=", b.Messages)
}
