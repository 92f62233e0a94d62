package transcript

// Output is what becomes of a task's output in memory. It stands on the record of
// the agent that the task is.
type Output struct {
	TaskID     string `text:"task"`
	Op         string `text:"op"` // shown, hidden: on the user's screen or off it again; evicted
	Activation int    `text:"activation,opt"`
	Bytes      int    `text:"bytes,opt"`    // of the output, when it is evicted
	Messages   int    `text:"messages,opt"` // of a teammate that is shown: those that its view holds
}

func (*Output) Kind() Kind { return KindOutput }
