package sharedprefix

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"agentsim/sim/llm"
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
