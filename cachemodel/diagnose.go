package cachemodel

import (
	"bytes"
	"slices"

	"agentsim/sim/llm"
)

// diagnose says why a request read less than the request it follows left to be
// read. Only a miss makes it look at the two conversations.
func (e *Anthropic) diagnose(a *Admission) {
	x := a.Request.Expect
	if x == nil || x.Mark == nil {
		return
	}
	expected := a.Request.Counts.At(x.Mark)
	if a.Usage.Read >= expected {
		return
	}
	m := &a.Report.Miss
	*m = llm.Miss{Expected: expected, Lost: expected - a.Usage.Read, Byte: -1}
	d := e.compare.run(x.Mark, a.Request.Head)
	m.Pos, m.Byte = d.pos, d.offset
	if m.Reason = markMiss(a, expected); m.Reason == llm.NotMissed {
		m.Reason = contentMiss(a, d)
	}
	if m.Reason == llm.NotMissed {
		m.Reason = e.storeMiss(a)
	}
}

// markMiss looks for the reason in the request's own breakpoints.
func markMiss(a *Admission, expected int64) llm.MissReason {
	if a.n == 0 {
		return llm.MissNoMarker
	}
	least, last := a.Request.Profile.Minimum, &a.marks[a.n-1]
	if expected < least || !last.Long {
		if last.Undecided || expected < least && expected+a.Request.Counts.Err(a.Request.Expect.Mark) >= least {
			return llm.MissUndecided
		}
		return llm.MissBelowMinimum
	}
	return llm.NotMissed
}

// contentMiss looks for the reason in what the two requests say.
func contentMiss(a *Admission, d difference) llm.MissReason {
	x := a.Request.Expect
	switch {
	case x.Model != a.Request.Model:
		return llm.MissModel
	case d.same:
		return llm.NotMissed
	case d.salted:
		return llm.MissSalt
	}
	return [...]llm.MissReason{llm.MissTools, llm.MissSystem, llm.MissMessages}[d.level]
}

// storeMiss looks for the reason in the store: the prefix is the same.
func (e *Anthropic) storeMiss(a *Admission) llm.MissReason {
	x := a.Request.Expect
	if a.noise != quiet {
		return a.noise.miss()
	}
	if a.marks[a.n-1].Node.Pos < x.Mark.Pos {
		return llm.MissNoMarker
	}
	if p := e.store.at(x.Mark.Hash); p != nil && p.live() {
		return llm.MissLookBack
	} else if p != nil && p.awaited > 0 {
		return llm.MissNotYetReadable
	}
	// Even where an hour was asked for, the entry may be an older one of five
	// minutes; before that, one that was written would be there.
	if x.Start.Add(e.store.classes[llm.TTL5m].life) < a.Start {
		return llm.MissExpired
	}
	return llm.MissNeverWritten
}

// difference is where two requests part.
type difference struct {
	same   bool // the earlier one's prefix is a prefix of the later one, salts included
	salted bool // they part at a border: scope or settings
	level  llm.Level
	pos    int32 // first position that differs; 0 for none
	offset int64 // first byte that differs; -1 for none
}

// comparison finds where requests part; it owns scratch space.
type comparison struct {
	old, now   []*llm.Node
	oldB, nowB []byte
}

// run compares the prefix that ends with mark with the request that ends with
// head.
func (c *comparison) run(mark, head *llm.Node) difference {
	c.old, c.now = path(c.old[:0], mark), path(c.now[:0], head)
	d := difference{offset: -1, same: true}
	for i, o := range c.old {
		if i >= len(c.now) {
			d.part(o.Level, false)
			d.at(head.Pos+1, head.Bytes)
			return d
		}
		n := c.now[i]
		if o.Hash != n.Hash {
			d.part(min(o.Level, n.Level), o.IsBorder() && n.IsBorder())
		}
		if d.pos == 0 && d.salted {
			d.pos = n.Pos + 1
		}
		if off := c.byteAt(o, n); off >= 0 {
			d.part(min(o.Level, n.Level), false)
			d.at(positionOf(n), start(n)+int64(off))
			return d
		}
	}
	return d
}

// part notes the first difference of the hashes.
func (d *difference) part(l llm.Level, salted bool) {
	if d.same {
		d.same, d.salted, d.level = false, salted, l
	}
}

// at notes the first difference of the bytes.
func (d *difference) at(pos int32, offset int64) {
	d.offset = offset
	if d.pos == 0 {
		d.pos = pos
	}
}

// positionOf is the position of a node.
func positionOf(n *llm.Node) int32 {
	if n.Parent == nil {
		return 1
	}
	return n.Parent.Pos + 1
}

// start is where the bytes of n begin.
func start(n *llm.Node) int64 {
	if n.Parent == nil {
		return 0
	}
	return n.Parent.Bytes
}

// byteAt is the offset within their bytes at which two nodes that follow equal
// bytes differ, -1 when they do not.
func (c *comparison) byteAt(o, n *llm.Node) int {
	if o == n || o.Block == n.Block && o.Level == n.Level && o.Role == n.Role {
		return -1
	}
	c.oldB, c.nowB = llm.AppendDelta(c.oldB[:0], o), llm.AppendDelta(c.nowB[:0], n)
	if bytes.Equal(c.oldB, c.nowB) {
		return -1
	}
	i := 0
	for i < len(c.oldB) && i < len(c.nowB) && c.oldB[i] == c.nowB[i] {
		i++
	}
	return i
}

// path lists the nodes from the root to n.
func path(dst []*llm.Node, n *llm.Node) []*llm.Node {
	for ; n != nil; n = n.Parent {
		dst = append(dst, n)
	}
	slices.Reverse(dst)
	return dst
}
