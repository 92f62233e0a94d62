package transcript

// WakeUp is an idle agent that goes on.
type WakeUp struct {
	Why    string `text:"why"`    // notification, user
	Prefix int64  `text:"prefix"` // tokens of the prefix it wakes at
}

func (*WakeUp) Kind() Kind { return KindWakeUp }
