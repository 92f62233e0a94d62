package transcript

// Notification is a task notification on its way.
type Notification struct {
	TaskID     string     `text:"task"`
	Op         string     `text:"op"`        // queued, delivered, dropped
	Place      string     `text:"place,opt"` // loop (after tool results), idle (wakes the parent)
	Status     TaskStatus `text:"status,opt"`
	Activation int        `text:"activation,opt"`
	Bytes      int        `text:"bytes,opt"`
	Wrote      int        `text:"wrote,opt"` // files that a command has changed by its end, each time counted; with the first of its notification
}

func (*Notification) Kind() Kind { return KindNotification }
