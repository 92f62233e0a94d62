package transcript

// UserMessage is a message of the user's script.
type UserMessage struct {
	Bytes   int  `text:"bytes"`
	Dropped bool `text:"dropped,opt"` // its root had ended: nobody heard it
}

func (*UserMessage) Kind() Kind { return KindUserMessage }
