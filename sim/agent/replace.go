package agent

import (
	"strconv"
	"strings"

	"agentsim/sim/llm"
)

// Replacements are the decisions of content replacement (LOOP-11): a tool
// result over a named size stands in the bytes as a preview, if that is shorter. A decision is
// taken once per tool use and never revised. The state is a value: copying it
// clones it at no cost, since decisions are a persistent list (ISO-08).
type Replacements struct {
	Over    int // bytes of a result above which it is replaced; 0 is off
	Preview int // bytes of it that the preview keeps
	last    *decision
	known   map[llm.ToolUseID]*llm.Block // only while a history is rendered anew
	// OnReplace, if set, is told each new decision to replace.
	OnReplace func(id llm.ToolUseID, from, to int)
}

type decision struct {
	prev  *decision
	id    llm.ToolUseID
	block *llm.Block // the block that stands in the bytes
	n     int        // decisions up to this one
}

// Len is the number of decisions taken.
func (r *Replacements) Len() int {
	if r.last == nil {
		return 0
	}
	return r.last.n
}

// orNil spares conversations without replacement the work.
func (r *Replacements) orNil() *Replacements {
	if r.Over == 0 && r.last == nil {
		return nil
	}
	return r
}

// recall makes the decisions taken so far answerable by id.
func (r *Replacements) recall() {
	r.known = make(map[llm.ToolUseID]*llm.Block)
	for d := r.last; d != nil; d = d.prev {
		r.known[d.id] = d.block
	}
}

// forget ends what recall began.
func (r *Replacements) forget() { r.known = nil }

// apply returns the block that stands in the bytes for a tool result.
func (r *Replacements) apply(blk *llm.Block) *llm.Block {
	if b, ok := r.known[blk.ID]; ok {
		return b
	}
	out := blk
	if n := size(blk.Content); r.Over > 0 && n > r.Over {
		short := r.preview(blk.Content)
		if size(short) < n {
			out = &llm.Block{Kind: blk.Kind, IsError: blk.IsError, ID: blk.ID, Content: short}
			if r.OnReplace != nil {
				r.OnReplace(blk.ID, n, size(short))
			}
		}
	}
	r.last = &decision{prev: r.last, id: blk.ID, block: out, n: r.Len() + 1}
	return out
}

// preview keeps whole lines from the start, and says so.
func (r *Replacements) preview(p *llm.Payload) *llm.Payload {
	kept := llm.CutCounted(p.Raw(), r.Preview)
	kept = kept[:strings.LastIndexByte(kept, '\n')+1]
	return llm.NewText(llm.Prose, kept+"[result of "+strconv.Itoa(size(p))+" bytes replaced by this preview]")
}

// size is how many bytes of a content count: how long a run took must not decide
// what is replaced.
func size(p *llm.Payload) int {
	m := p.Measure()
	return int(m.Total())
}
