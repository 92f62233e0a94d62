package transcript

// Link is what becomes of a frame between a remote agent and the one that started it.
type Link struct {
	Op      string // sent, lost, arrived, or discarded where it had arrived before
	Way     string // out: to the remote agent; home: from it
	N       int    // of the frames of this way, from 1
	What    string // prompt, message or result
	Attempt int    // from 1
	Bytes   int    // of what is said
}

func (*Link) Kind() Kind { return KindLink }

func (b *Link) AppendText(dst []byte) []byte {
	dst = appendStr(dst, " op=", b.Op)
	dst = appendStr(dst, " way=", b.Way)
	dst = appendInt(dst, " n=", int64(b.N))
	dst = appendStr(dst, " what=", b.What)
	dst = appendInt(dst, " attempt=", int64(b.Attempt))
	return appendInt(dst, " bytes=", int64(b.Bytes))
}
