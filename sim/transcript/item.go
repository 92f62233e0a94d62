package transcript

import "strconv"

// Item is a work item's outcome as an agent reported it.
type Item struct {
	Item    string         `text:"item"`
	Outcome Outcome        `text:"outcome"`
	Missing []string       `text:"missing,opt"`
	Reads   int            `text:"reads,opt"`  // files that the scenario says the item reads
	Unread  []string       `text:"unread,opt"` // of these, those whose content whoever did the item never had
	Rereads map[string]int // further reads by cause: lazy, stale, compaction, truncated; not in the text when empty
}

func (*Item) Kind() Kind { return KindItem }

func (b *Item) AppendText(dst []byte) []byte {
	dst = appendTagged(dst, b)
	return b.appendRereads(dst)
}

// appendRereads prints cause:count pairs in the order of the causes.
func (b *Item) appendRereads(dst []byte) []byte {
	key, last := " rereads=", ""
	for range b.Rereads {
		last = nextKey(b.Rereads, last)
		dst = append(dst, key...)
		dst = appendValue(dst, last)
		dst = append(dst, ':')
		dst = strconv.AppendInt(dst, int64(b.Rereads[last]), 10)
		key = ","
	}
	return dst
}

// nextKey is the smallest key greater than last: a map of a few keys is walked
// in order without a copy of them.
func nextKey(m map[string]int, last string) string {
	next, found := "", false
	// order: the smallest key of all is taken, whichever comes first.
	for k := range m {
		if k > last && (!found || k < next) {
			next, found = k, true
		}
	}
	return next
}
