package oracle

import (
	"slices"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Oracle is one Anthropic cache.
type Oracle struct {
	Options cachemodel.AnthropicOptions
	entries []*entry
}

type entry struct {
	prefix []llm.Hash // of every block up to the entry's end
	ttl    llm.TTL
	uses   []*use
}

type use struct {
	at     vtime.Instant
	undone bool
}

// Flight is one request.
type Flight struct {
	Status  int // 0, or the HTTP status of a refusal
	Read    int // position up to which it reads
	Written int // position up to which it writes, 0 for nowhere
	Usage   llm.Usage

	start  vtime.Instant
	blocks []*llm.Node
	marks  []llm.Breakpoint
	use    *use
	begun  bool
}

// Entries is the number of entries that were alive when last asked.
func (o *Oracle) Entries() int { return len(o.entries) }

func (o *Oracle) sweep(now vtime.Instant) {
	o.entries = slices.DeleteFunc(o.entries, func(e *entry) bool {
		for _, u := range e.uses {
			if !u.undone && now <= u.at.Add(e.ttl.Duration()+o.Options.LateExpiry) {
				return false
			}
		}
		return true
	})
}

// Admit looks a request up.
func (o *Oracle) Admit(now vtime.Instant, req *cachemodel.Request) *Flight {
	o.sweep(now)
	f := &Flight{start: now, blocks: blocks(req.Head), use: &use{at: now}}
	if !f.mark(req) {
		f.Status = 400
		return f
	}
	o.read(f, req)
	f.bill(req)
	o.live(f)
	for _, e := range o.entries {
		if n := len(e.prefix); n <= f.Read && f.blocks[n-1].Hash == e.prefix[n-1] {
			e.uses = append(e.uses, f.use)
		}
	}
	return f
}

// mark fills in the breakpoints; false says that the API refuses them.
func (f *Flight) mark(req *cachemodel.Request) bool {
	f.marks = slices.Clone(req.Breakpoints)
	if req.Automatic {
		i := len(f.blocks)
		for i > 0 && (f.blocks[i-1].Block.Kind == llm.Thinking || f.blocks[i-1].Block.Content.Raw() == "") {
			i--
		}
		auto := llm.Breakpoint{TTL: req.AutoTTL}
		if i > 0 {
			auto.Node = f.blocks[i-1]
		}
		last := len(f.marks) - 1
		switch {
		case auto.Node == nil:
		case last >= 0 && f.marks[last].Node == auto.Node:
			if f.marks[last].TTL != auto.TTL {
				return false
			}
		default:
			f.marks = append(f.marks, auto)
		}
	}
	short := false
	for _, m := range f.marks {
		if short && m.TTL == llm.TTL1h {
			return false
		}
		short = short || m.TTL == llm.TTL5m
	}
	if len(f.marks) > 4 {
		return false
	}
	f.marks = slices.DeleteFunc(f.marks, func(m llm.Breakpoint) bool {
		return req.Counts.At(m.Node) < req.Profile.Minimum
	})
	return true
}

// read finds the longest prefix that some breakpoint reaches.
func (o *Oracle) read(f *Flight, req *cachemodel.Request) {
	for _, m := range f.marks {
		for back := 0; back < 20 && back < int(m.Node.Pos); back++ {
			pos := int(m.Node.Pos) - back
			n := f.blocks[pos-1]
			if n.Level != m.Node.Level && !o.Options.LookbackCrossesLevels {
				break
			}
			if pos > f.Read && o.has(n.Hash) && req.Counts.At(n) >= req.Profile.Minimum {
				f.Read = pos
			}
		}
	}
}

// live gives each breakpoint within what is read the lifetime of what is read,
// when that has not the one asked for.
func (o *Oracle) live(f *Flight) {
	for i, m := range f.marks {
		if int(m.Node.Pos) > f.Read {
			continue
		}
		kept := false
		for _, e := range o.entries {
			if len(e.prefix) == f.Read && e.prefix[f.Read-1] == f.blocks[f.Read-1].Hash && e.ttl == m.TTL {
				kept = true
			}
		}
		if !kept {
			f.marks[i].TTL = 1 - m.TTL
		}
	}
}

func (o *Oracle) has(h llm.Hash) bool {
	for _, e := range o.entries {
		if e.prefix[len(e.prefix)-1] == h {
			return true
		}
	}
	return false
}

func (f *Flight) bill(req *cachemodel.Request) {
	at := func(pos int) int64 {
		if pos == 0 {
			return 0
		}
		return req.Counts.At(f.blocks[pos-1])
	}
	long := f.Read
	f.Written = f.Read
	for _, m := range f.marks {
		if pos := int(m.Node.Pos); pos > f.Written {
			f.Written = pos
			if m.TTL == llm.TTL1h {
				long = pos
			}
		}
	}
	f.Usage = llm.Usage{
		Read:    at(f.Read),
		Write1h: at(long) - at(f.Read),
		Write5m: at(f.Written) - at(long),
		Input:   at(len(f.blocks)) + req.Profile.Tail - at(f.Written),
	}
}

// Begin makes what the request writes readable.
func (o *Oracle) Begin(now vtime.Instant, f *Flight) {
	o.sweep(now)
	f.begun = true
	for _, m := range f.marks {
		if int(m.Node.Pos) > f.Read || !o.has(m.Node.Hash) {
			o.write(f, m)
		}
	}
	if f.Written <= f.Read {
		return
	}
	for _, e := range o.entries {
		if n := len(e.prefix); n <= f.Written && f.blocks[n-1].Hash == e.prefix[n-1] {
			e.uses = append(e.uses, &use{at: f.start})
		}
	}
}

// write adds an entry, which shares the uses of the longer ones that are there.
func (o *Oracle) write(f *Flight, m llm.Breakpoint) {
	fresh := &entry{ttl: m.TTL, uses: []*use{{at: f.start}}}
	for _, n := range f.blocks[:m.Node.Pos] {
		fresh.prefix = append(fresh.prefix, n.Hash)
	}
	for _, e := range o.entries {
		n := len(fresh.prefix)
		if len(e.prefix) < n || e.prefix[n-1] != m.Node.Hash {
			continue
		}
		if len(e.prefix) == n && e.ttl == m.TTL {
			return // it stands there; Begin notes the use
		}
		fresh.uses = append(fresh.uses, e.uses...)
	}
	o.entries = append(o.entries, fresh)
}

// End says what a request is billed for.
func (o *Oracle) End(f *Flight, output int64) llm.Usage {
	if !f.begun {
		f.use.undone = true
		return llm.Usage{}
	}
	f.Usage.Output = output
	return f.Usage
}

// blocks lists the blocks of a chain, first to last.
func blocks(n *llm.Node) []*llm.Node {
	var out []*llm.Node
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() {
			out = append(out, n)
		}
	}
	slices.Reverse(out)
	return out
}
