package sharedprefix

import (
	"fmt"
	"slices"
	"strings"
)

// Block is one block of a request, or more than one's: equal beginnings stand in
// a record once.
type Block struct {
	Before int    `json:"b"` // index of the block before it; -1 for a first one
	Level  string `json:"l"` // tools, system, messages
	Role   string `json:"r,omitempty"`
	Kind   string `json:"k"`
	Name   string `json:"n,omitempty"`
	Text   int    `json:"t"` // index of its bytes
	Bytes  int64  `json:"e"` // flat bytes of the request up to its end
	Tokens int64  `json:"c"` // of the same, by estimate
}

// Opening is the first request of an agent.
type Opening struct {
	Who    string `json:"who"`    // its lineage
	Type   string `json:"type"`   // its definition's name
	Model  string `json:"model"`  // as requested
	Source string `json:"source"` // the message that started it, such as main#3; of a root its own name
	Last   int    `json:"last"`   // index of its last block
	Marks  []int  `json:"marks"`  // positions from 1 that it marks for the cache
	Hour   bool   `json:"hour,omitempty"`
	Count  int    `json:"count"` // agents of this type that the message started; 0 but for the first
}

// root reports whether nobody started the agent.
func (o *Opening) root() bool { return !strings.Contains(o.Source, "#") }

// Cut is a request that does not begin with the whole one before it of the same
// agent.
type Cut struct {
	Who    string `json:"who"` // such as main/1.2#3
	Type   string `json:"type"`
	Model  string `json:"model"`
	Place  Place  `json:"place"`
	Lost   int64  `json:"lost"`   // bytes of the earlier one
	Again  int64  `json:"again"`  // tokens of it that marks had made readable
	Before string `json:"before"` // excerpt of the earlier one
	After  string `json:"after"`
	Hour   bool   `json:"hour,omitempty"`
}

// Record is what is kept of a run.
type Record struct {
	Texts    []string  `json:"texts"`
	Blocks   []Block   `json:"blocks"`
	Openings []Opening `json:"openings"`
	Cuts     []Cut     `json:"cuts"`
}

// Check finds an index that points nowhere.
func (r *Record) Check() error {
	if r == nil {
		return nil
	}
	for i, b := range r.Blocks {
		if b.Before < -1 || b.Before >= i || b.Text < 0 || b.Text >= len(r.Texts) || b.Bytes < int64(len(r.Texts[b.Text])) {
			return fmt.Errorf("block %d points to what is not there", i)
		}
	}
	for _, o := range r.Openings {
		if o.Last < 0 || o.Last >= len(r.Blocks) {
			return fmt.Errorf("the opening of %s points to no block", o.Who)
		}
	}
	return nil
}

// path lists the blocks of an opening from its first one.
func (r *Record) path(o *Opening) []int {
	var out []int
	for i := o.Last; i >= 0; i = r.Blocks[i].Before {
		out = append(out, i)
	}
	slices.Reverse(out)
	return out
}

func (r *Record) text(block int) string { return r.Texts[r.Blocks[block].Text] }

// shared is how many blocks two openings have in common.
func (r *Record) shared(a, b *Opening) int {
	x, y := r.path(a), r.path(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// readable is how many tokens of an opening's first n blocks its marks let a
// cache keep, where it keeps prefixes of so many tokens at least.
func (r *Record) readable(o *Opening, n int, least int64) int64 {
	path := r.path(o)
	var most int64
	for _, m := range o.Marks {
		if m >= 1 && m <= n && m <= len(path) {
			if t := r.Blocks[path[m-1]].Tokens; t >= least {
				most = max(most, t)
			}
		}
	}
	return most
}

// Extent is how much of a request.
type Extent struct {
	Blocks int   `json:"blocks"`
	Bytes  int64 `json:"bytes"`
	Tokens int64 `json:"tokens"`
}

func (r *Record) extent(o *Opening, n int) Extent {
	path := r.path(o)
	if n == 0 || n > len(path) {
		return Extent{Blocks: n}
	}
	b := r.Blocks[path[n-1]]
	return Extent{n, b.Bytes, b.Tokens}
}

// front is how many blocks of an opening stand before its messages.
func (r *Record) front(o *Opening) int {
	n := 0
	for _, i := range r.path(o) {
		if r.Blocks[i].Level != messages {
			n++
		}
	}
	return n
}

// The levels that are asked for by name.
const (
	tools    = "tools"
	messages = "messages"
)
