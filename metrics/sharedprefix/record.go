package sharedprefix

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agentsim/sim/llm"
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

// Place is where requests part.
type Place struct {
	Block   int    `json:"block"`    // the first block that differs, from 1
	Byte    int64  `json:"byte"`     // flat bytes before the first one that differs
	InBlock int64  `json:"in_block"` // the same, from the beginning of the block
	Level   string `json:"level,omitempty"`
	Role    string `json:"role,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Name    string `json:"name,omitempty"`
	// Same says that the bytes of the block are equal all the same: the requests
	// differ in their model or settings, which a cache key holds too.
	Same bool `json:"same_bytes,omitempty"`
}

// String is the place in words.
func (p Place) String() string {
	if p.Same {
		return fmt.Sprintf("block %d: the bytes are equal there, but not the model or the settings (effort, thinking, tool choice)", p.Block)
	}
	words := []string{fmt.Sprintf("block %d, byte %d (byte %d of the block)", p.Block, p.Byte, p.InBlock)}
	for _, w := range [...]string{p.Level, p.Role, p.Kind, p.Name} {
		if w != "" {
			words = append(words, w)
		}
	}
	if len(words) == 1 {
		return words[0]
	}
	return words[0] + ": " + strings.Join(words[1:], ", ")
}

func (p *Place) name(n *llm.Node) {
	p.Level = n.Level.String()
	if n.IsBorder() {
		return
	}
	p.Kind, p.Name = n.Block.Kind.String(), n.Block.Name
	if n.Level == llm.Messages {
		p.Role = n.Role.String()
	}
}

// parting is the first byte in which two openings differ behind n equal blocks.
func (r *Record) parting(a, b *Opening, n int) (p Place, inA, inB string) {
	x, y := r.path(a), r.path(b)
	var s, t string
	start := int64(0)
	if n < len(y) {
		t = r.text(y[n])
		p.describe(&r.Blocks[y[n]])
		start = r.Blocks[y[n]].Bytes - int64(len(t))
	}
	if n < len(x) {
		s = r.text(x[n])
		if p.Level != tools {
			p.describe(&r.Blocks[x[n]])
		}
		start = r.Blocks[x[n]].Bytes - int64(len(s))
	}
	at := 0
	for at < len(s) && at < len(t) && s[at] == t[at] {
		at++
	}
	p.Same = s == t && n < len(x) && n < len(y)
	p.Block, p.InBlock, p.Byte = n+1, int64(at), start+int64(at)
	return p, Excerpt(s, int64(at)), Excerpt(t, int64(at))
}

func (p *Place) describe(b *Block) { p.Level, p.Role, p.Kind, p.Name = b.Level, b.Role, b.Kind, b.Name }

// Excerpt shows a text around a byte.
func Excerpt(text string, at int64) string {
	const before, after = 20, 60
	from, to := min(max(int(at)-before, 0), len(text)), min(int(at)+after, len(text))
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	out := text[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
