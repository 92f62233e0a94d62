package tool

import (
	"cmp"
	"slices"
	"strings"

	"agentsim/sim/ahead"
	"agentsim/sim/vtime"
)

// Entry is what an agent remembers of reading one file.
type Entry struct {
	ReadAt   vtime.Instant
	Hash     string // of the version read
	From, To int32  // the lines it has seen of that version, both included, from 1; 0-0 of an empty file
}

// Cache is the files that one agent has read (ISO-02). A clone starts with what
// its origin knows; afterwards neither sees the other's reads. The zero value
// is empty and ready.
//
// It is a stack of layers: its own, which alone changes, over frozen ones that
// clones share. A layer is at least twice as long as the one above it, so there
// are few of them and a clone costs nothing that grows with the cache, but for
// merges that pay themselves off over many clones.
type Cache struct {
	own    []item
	frozen *layer
	n      int
	last   Change
}

// Change is what the last Put of a cache took the place of.
type Change struct {
	path  string
	was   Entry
	known bool
}

type item struct {
	path string
	Entry
}

// layer is a frozen list of items sorted by path.
type layer struct {
	items []item
	below *layer
}

// Lead fetches what the agent itself has read, a few files of it.
func (c *Cache) Lead() {
	if len(c.own) > 0 {
		ahead.Fetch(&c.own[0], 4)
	}
}

// Get is the entry of a path; ok is false when the agent has not read it.
func (c *Cache) Get(path string) (e Entry, ok bool) {
	if i, found := search(c.own, path); found {
		return c.own[i].Entry, true
	}
	for l := c.frozen; l != nil; l = l.below {
		if i, found := search(l.items, path); found {
			return l.items[i].Entry, true
		}
	}
	return Entry{}, false
}

// Put sets the entry of a path.
func (c *Cache) Put(path string, e Entry) {
	was, known := c.Get(path)
	c.last = Change{path, was, known}
	i, found := search(c.own, path)
	if found {
		c.own[i].Entry = e
		return
	}
	if !known {
		c.n++
	}
	c.own = slices.Insert(c.own, i, item{path, e})
}

// TakeLast is the change that the last Put made, once.
func (c *Cache) TakeLast() Change {
	out := c.last
	c.last = Change{}
	return out
}

// Undo takes back a change. What was cloned since knows it still.
func (c *Cache) Undo(ch Change) {
	i, found := search(c.own, ch.path)
	switch {
	case ch.path == "":
	case ch.known:
		c.Put(ch.path, ch.was)
	case found:
		c.own = slices.Delete(c.own, i, i+1)
		c.n--
	}
}

// Clone is a cache of its own with the same content.
func (c *Cache) Clone() *Cache {
	c.freeze()
	return &Cache{frozen: c.frozen, n: c.n}
}

// Len is the number of files read.
func (c *Cache) Len() int { return c.n }

// Clear forgets everything, as compaction does.
func (c *Cache) Clear() { *c = Cache{} }

// freeze moves the agent's own entries to the frozen layers.
func (c *Cache) freeze() {
	if len(c.own) == 0 {
		return
	}
	top := &layer{items: c.own, below: c.frozen}
	for top.below != nil && len(top.below.items) < 2*len(top.items) {
		top = &layer{items: merge(top.items, top.below.items), below: top.below.below}
	}
	c.frozen, c.own = top, nil
}

// merge joins two sorted lists; where both hold a path the upper one counts.
func merge(upper, lower []item) []item {
	out := slices.Concat(upper, lower)
	slices.SortStableFunc(out, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return slices.CompactFunc(out, func(a, b item) bool { return a.path == b.path })
}

func search(items []item, path string) (int, bool) {
	return slices.BinarySearchFunc(items, path, func(it item, p string) int { return cmp.Compare(it.path, p) })
}

// saw notes that the agent has seen lines from…to of a version now. Ranges of
// the same version that touch are joined; of two apart the later one is kept.
func (c *Cache) saw(path, hash string, from, to int32, now vtime.Instant) {
	e := Entry{ReadAt: now, Hash: hash, From: from, To: to}
	if old, ok := c.Get(path); ok && old.Hash == hash && old.From <= to+1 && from <= old.To+1 {
		e.From, e.To = min(old.From, from), max(old.To, to)
	}
	c.Put(path, e)
}
