package transcript

// Compact is a history that became a summary (LOOP-07).
type Compact struct {
	Call     int      // the one that was asked for the summary
	Tokens   int64    // of the last request before it and its answer
	FullAt   int64    // tokens from which on the window was full
	Blocks   int      // of the messages that are gone
	Bytes    int64    // of them
	After    int64    // bytes of the messages that stand in their place
	Kept     int      // facts that stood in the history and still stand
	Lost     []string // facts that stand no more, sorted
	Versions int      // versions of files whose content is gone
	Cache    int      // files that the agent believed to know
}

func (*Compact) Kind() Kind { return KindCompact }

func (b *Compact) AppendText(dst []byte) []byte {
	dst = appendInt(dst, " call=", b.Call)
	dst = appendInt(dst, " tokens=", b.Tokens)
	dst = appendInt(dst, " full_at=", b.FullAt)
	dst = appendInt(dst, " blocks=", b.Blocks)
	dst = appendInt(dst, " bytes=", b.Bytes)
	dst = appendInt(dst, " after=", b.After)
	dst = appendInt(dst, " kept=", b.Kept)
	dst = optList(dst, " lost=", b.Lost)
	dst = appendInt(dst, " versions=", b.Versions)
	return appendInt(dst, " cache=", b.Cache)
}
