package transcript

// Message is a message from one agent to another on its way. Its events stand on
// the receiver's record.
type Message struct {
	TaskID     string `text:"task"`           // the receiver's
	Op         string `text:"op"`             // sent, delivered, dropped
	Place      string `text:"place,opt"`      // loop (after tool results), idle (wakes the receiver), resume (begins an activation)
	From       int32  `text:"from,agent"`     // ordinal of the sender
	N          int    `text:"n"`              // number of the message among those to the receiver, from 1
	Activation int    `text:"activation,opt"` // that the receiver is in, or was in last
	Bytes      int    `text:"bytes,opt"`
}

func (*Message) Kind() Kind { return KindMessage }
