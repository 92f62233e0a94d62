package transcript

// Notification is a task notification on its way.
type Notification struct {
	TaskID     string
	Op         string // queued, delivered, dropped
	Place      string // loop (after tool results), idle (wakes the parent)
	Status     string
	Activation int
	Bytes      int
}

func (*Notification) Kind() Kind { return KindNotification }

func (b *Notification) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " task=", b.TaskID)
	dst = appendStr(dst, " op=", b.Op)
	dst = optStr(dst, " place=", b.Place)
	dst = optStr(dst, " status=", b.Status)
	dst = optInt(dst, " activation=", b.Activation)
	return optInt(dst, " bytes=", b.Bytes)
}
