package transcript

// Item is a work item's outcome as an agent reported it.
type Item struct {
	Item    string         `text:"item"`
	Outcome Outcome        `text:"outcome"`
	Missing []string       `text:"missing,opt"`
	Reads   int            `text:"reads,opt"`   // files that the scenario says the item reads
	Unread  []string       `text:"unread,opt"`  // of these, those whose content whoever did the item never had
	Rereads map[string]int `text:"rereads,opt"` // further reads by cause: lazy, stale, compaction, truncated
}

func (*Item) Kind() Kind { return KindItem }
