package transcript

// Link is what becomes of a frame between a remote agent and the one that started it.
type Link struct {
	Op      string `text:"op"`      // sent, lost, arrived, or discarded where it had arrived before
	Way     string `text:"way"`     // out: to the remote agent; home: from it
	N       int    `text:"n"`       // of the frames of this way, from 1
	What    string `text:"what"`    // prompt, message or result
	Attempt int    `text:"attempt"` // from 1
	Bytes   int    `text:"bytes"`   // of what is said
}

func (*Link) Kind() Kind { return KindLink }
