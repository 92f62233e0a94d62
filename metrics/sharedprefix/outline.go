package sharedprefix

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
)

// Outline is a transcript.Sink that keeps what stood in a run's requests, block by
// block: where, what, how long, and six digits of a hash of the bytes. Equal
// beginnings are kept once.
type Outline struct {
	Parts []Part `json:"parts"`
	Ends  []int  `json:"ends"` // by request event that has a prompt: the index of its last block, -1 for none
	known map[llm.Hash]int
}

// Part is one block.
type Part struct {
	Before int    `json:"b"` // index of the block before it; -1 for a first one
	Level  string `json:"l"` // tools, system, messages
	What   string `json:"w"` // a tool's name, or role and kind of a block of a message
	Tokens int64  `json:"t"` // its own, by estimate
	Sum    string `json:"s"` // six hex digits of its bytes
}

// Emit takes one event in.
func (o *Outline) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.Request); ok && b.Head != nil {
		o.Ends = append(o.Ends, o.enter(b.Head, b.Model))
	}
}

// OutlineOf is the outline of a run of which one request is known, the n-th that has
// a prompt, from 1.
func OutlineOf(head *llm.Node, model string, n int) *Outline {
	o := &Outline{Ends: make([]int, n)}
	o.Ends[n-1] = o.enter(head, model)
	return o
}

// enter keeps a node and all before it, and gives its index.
func (o *Outline) enter(head *llm.Node, model string) int {
	if o.known == nil {
		o.known = map[llm.Hash]int{}
	}
	path, at := unseen(head, o.known)
	counter := tokens.Approx(model)
	for _, n := range path {
		p := Part{Before: at, Level: n.Level.String(), What: what(n), Sum: sum(n), Tokens: counter.Tokens(own(n))}
		at = len(o.Parts)
		o.known[n.Hash], o.Parts = at, append(o.Parts, p)
	}
	return at
}

// unseen lists the blocks of a request that are not known, the first one first, and
// gives the index of the last one that is; -1 for none.
func unseen(head *llm.Node, known map[llm.Hash]int) (path []*llm.Node, at int) {
	for n := head; n != nil; n = n.Parent {
		if i, ok := known[n.Hash]; ok {
			slices.Reverse(path)
			return path, i
		}
		if !n.IsBorder() {
			path = append(path, n)
		}
	}
	slices.Reverse(path)
	return path, -1
}

// own is what a block holds, without the frame that a request puts around it.
func own(n *llm.Node) llm.Measure {
	m := n.Cum
	m.Frames = 0
	for i := range m.Bytes {
		if n.Parent != nil {
			m.Bytes[i] -= n.Parent.Cum.Bytes[i]
		}
	}
	return m
}

// what names a block among those of its level.
func what(n *llm.Node) string {
	switch {
	case n.Level == llm.Tools:
		return n.Block.Name
	case n.Level == llm.Messages && n.Block.Name != "":
		return n.Role.String() + " " + n.Block.Kind.String() + " " + n.Block.Name
	case n.Level == llm.Messages:
		return n.Role.String() + " " + n.Block.Kind.String()
	}
	return n.Block.Kind.String()
}

func sum(n *llm.Node) string {
	h := fnv.New64a()
	_, _ = h.Write(llm.AppendDelta(nil, n)) // a hash never fails
	return fmt.Sprintf("%06x", h.Sum64()&0xffffff)
}

// Check finds an index that points nowhere.
func (o *Outline) Check() error {
	if o == nil {
		return nil
	}
	for i, p := range o.Parts {
		if p.Before < -1 || p.Before >= i {
			return fmt.Errorf("block %d of its requests follows none", i)
		}
	}
	for k, end := range o.Ends {
		if end < -1 || end >= len(o.Parts) {
			return fmt.Errorf("its request %d ends at no block", k)
		}
	}
	return nil
}

// path is the blocks of request k, the first one first.
func (o *Outline) path(k int) (out []*Part) {
	for i := o.Ends[k]; i >= 0; i = o.Parts[i].Before {
		out = append(out, &o.Parts[i])
	}
	slices.Reverse(out)
	return out
}

func (p *Part) same(q *Part) bool { return p.Level == q.Level && p.What == q.What && p.Sum == q.Sum }

// Settings is what Parted says where no block is another.
const Settings = "the same blocks under other settings (effort, thinking, tool choice)"

// Parted says where request event j of one run and k of another part, such as system
// block 7: 4,000 → 60,000 tokens; "" where one of them does not have so many.
func Parted(was, is *Outline, j, k int) string {
	if was == nil || is == nil || j >= len(was.Ends) || k >= len(is.Ends) {
		return ""
	}
	x, y := was.path(j), is.path(k)
	i := 0
	for i < len(x) && i < len(y) && x[i].same(y[i]) {
		i++
	}
	at := func(p *Part) string { return fmt.Sprintf("%s block %d", p.Level, i+1) }
	switch {
	case i == len(x) && i == len(y):
		return Settings
	case i == len(x) || i+1 < len(y) && x[i].same(y[i+1]):
		return fmt.Sprintf("%s is new: %s", at(y[i]), y[i])
	case i == len(y) || i+1 < len(x) && x[i+1].same(y[i]):
		return fmt.Sprintf("%s is gone: %s", at(x[i]), x[i])
	case x[i].Level != y[i].Level || x[i].What != y[i].What:
		return fmt.Sprintf("%s: %s → %s", at(x[i]), x[i], y[i])
	case x[i].Tokens == y[i].Tokens:
		return fmt.Sprintf("%s: another %s of %s tokens", x[i].named(at), x[i].kind(), Grouped(x[i].Tokens))
	}
	return fmt.Sprintf("%s: %s → %s tokens", x[i].named(at), Grouped(x[i].Tokens), Grouped(y[i].Tokens))
}

// String is the block with its size.
func (p *Part) String() string { return p.What + ", " + Grouped(p.Tokens) + " tokens" }

// named is the place with what stands there, where that is not said by the level.
func (p *Part) named(at func(*Part) string) string {
	if p.Level == llm.System.String() {
		return at(p)
	}
	return at(p) + " (" + p.What + ")"
}

func (p *Part) kind() string {
	if p.Level == llm.Tools.String() {
		return "definition"
	}
	return "text"
}

// Grouped prints a number with commas between its thousands.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
