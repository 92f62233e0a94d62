package transcript

// Compact is a history that became a summary (LOOP-07).
type Compact struct {
	Call     int      `text:"call"`     // the one that was asked for the summary
	Tokens   int64    `text:"tokens"`   // of the last request before it and its answer
	FullAt   int64    `text:"full_at"`  // tokens from which on the window was full
	Blocks   int      `text:"blocks"`   // of the messages that are gone
	Bytes    int64    `text:"bytes"`    // of them
	After    int64    `text:"after"`    // bytes of the messages that stand in their place
	Kept     int      `text:"kept"`     // facts that stood in the history and still stand
	Lost     []string `text:"lost,opt"` // facts that stand no more, sorted
	Versions int      `text:"versions"` // versions of files whose content is gone
	Cache    int      `text:"cache"`    // files that the agent believed to know
}

func (*Compact) Kind() Kind { return KindCompact }
