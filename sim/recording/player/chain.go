package player

import (
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/vtime"
)

// staticKey is what decides the static prefix of a thread, as far as a recording
// tells.
type staticKey struct{ origin, version, model, kind string }

// static is a prefix of tools and system prompt.
type static struct {
	node   *llm.Node // the messages' border behind it
	block  *llm.Node
	tokens int64 // 0: not known yet
	least  int64 // the shortest prompt that began with it
}

// kind names the kind of a thread for its static prefix.
func kind(t *recording.Thread) string {
	if t.Kind == recording.Main {
		return "main"
	}
	return "agent:" + t.Type
}

// anyVersion is k for all versions of the client.
func (k staticKey) anyVersion() staticKey {
	k.version = ""
	return k
}

func (p *play) key(si int, r *recording.Request, model string) staticKey {
	s := p.sessions[si]
	return staticKey{s.Origin, r.Version, model, kind(&s.Threads[r.Thread])}
}

// staticOf is the static prefix that a conversation of request i's thread begins
// with.
func (p *play) staticOf(si, i int, model string) *static {
	r := &p.sessions[si].Requests[i]
	if p.opt.Known != nil {
		return p.knownStatic(si, i, model)
	}
	if st := p.threads[si][r.Thread][p.key(si, r, model)]; st != nil && st.tokens <= r.Usage.Read+r.Usage.Written() {
		return st
	}
	k := p.key(si, r, model)
	st := p.statics[k]
	if st == nil || st.tokens > r.Usage.Read+r.Usage.Written() {
		n := p.sizes[k.anyVersion()]
		if r.Pred < 0 || n > r.Usage.Read+r.Usage.Written() {
			n = 0
		}
		st = p.newStatic(k, n)
	}
	return st
}

// newStatic makes the present static prefix of k.
func (p *play) newStatic(k staticKey, tokens int64) *static {
	root := p.builder.Root(llm.Scope{Organisation: k.origin, Model: k.model}, llm.Salts{})
	system := p.builder.Border(root, llm.System, llm.Salts{})
	text := k.version + " " + k.kind + " " + strconv.FormatInt(tokens, 10)
	block := p.builder.Append(system, llm.NoRole, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	st := &static{node: p.builder.Border(block, llm.Messages, llm.Salts{}), block: block, tokens: tokens, least: -1}
	p.counts[block.Hash] = tokens
	p.statics[k] = st
	return st
}

// learn takes from an answered request what it tells of its static prefix: a
// thread's first one reads nothing else, and neither does one that lost its
// history. What was read is there, whoever wrote it.
func (p *play) learn(si, i int, now vtime.Instant) error {
	if p.opt.Known != nil {
		return p.recall(si, i, now)
	}
	s := p.sessions[si]
	r := &s.Requests[i]
	read, f := r.Usage.Read, &p.flights[si][i]
	if f.ask.Model != r.Model || r.Orphan || r.Pred >= 0 && read*2 >= s.Expected(i) {
		return nil // what an orphan goes on from is not known, so neither is what its read is
	}
	switch alone := p.out[si][i].alone; {
	case alone && read > 0:
		p.shared[s.Origin]++
	case alone:
		p.shared[s.Origin]--
	}
	if read == 0 {
		return nil
	}
	st := f.static
	p.sizes[p.key(si, r, r.Model).anyVersion()] = read
	if st == nil || st.tokens != read {
		st = p.staticPrefix(si, r, read)
	}
	if p.threads[si][r.Thread] == nil {
		p.threads[si][r.Thread] = map[staticKey]*static{}
	}
	p.threads[si][r.Thread][p.key(si, r, r.Model)] = st
	_, err := p.send(now, &flight{static: st, end: st.block}, &f.ask)
	return err
}

// staticPrefix finds or makes the static prefix of so many tokens.
func (p *play) staticPrefix(si int, r *recording.Request, tokens int64) *static {
	k := p.key(si, r, r.Model)
	st := p.statics[k]
	switch {
	case st != nil && st.tokens == tokens:
	case st != nil && st.tokens == 0 && (st.least < 0 || tokens <= st.least):
		st.tokens = tokens
		p.counts[st.block.Hash] = tokens
	default:
		st = p.newStatic(k, tokens)
	}
	return st
}

// build appends what request i leaves to be read to its conversation, once.
func (p *play) build(si, i int) *flight {
	f := &p.flights[si][i]
	if f.end != nil {
		return f
	}
	s := p.sessions[si]
	r := &s.Requests[i]
	model, size := p.ask(si, i).Model, r.Usage.Read+r.Usage.Written()
	base, tokens, st := p.base(si, i, model, size)
	f.static = st
	if base == nil {
		f.static = p.staticOf(si, i, model)
		base, tokens = f.static.node, f.static.tokens
		p.out[si][i].Cut = r.Pred >= 0
		if f.static.least < 0 || size < f.static.least {
			f.static.least = size
		}
	}
	p.out[si][i].Static = f.static.tokens
	if size <= tokens && !base.IsBorder() {
		f.end = base // it added nothing that can be read
		return f
	}
	left := int64(0)
	if !base.IsBorder() {
		f.went = base
		base = p.answered(base, tokens, s, r)
		left = aside(s, r)
	}
	if k := p.opt.Known; k != nil && k.Left != nil {
		left = k.Left[si][i]
	}
	if left > tokens && left <= size {
		f.aside = p.block(base, s.ID+" aside "+strconv.Itoa(i), left)
		f.went, base = f.aside, p.block(f.aside, "answer", left)
	}
	f.end = p.block(base, s.ID+" "+strconv.Itoa(i), size)
	return f
}

// asideTail is how much of a prompt the client's own request does not leave
// behind: of 19 recorded ones whose answer's length is known, each left all but two
// tokens of it.
const asideTail = 2

// aside is how many tokens are left by a request of the client's own that a line
// tells of: it went on from the whole answer. 0 where none is told, or the length
// of the answer is not.
func aside(s *recording.Session, r *recording.Request) int64 {
	_, told := r.Tells(recording.AwayTold)
	p := &s.Requests[r.Pred]
	if !told || !p.OutputKnown || p.Model != r.Model {
		return 0
	}
	return p.Usage.Read + p.Usage.Written() + max(p.Usage.Input-asideTail, 0) + p.Usage.Output
}

// answered appends the blocks of the answers between base and request r: no
// breakpoint stands on them, so only their number counts, for the look-back.
func (p *play) answered(base *llm.Node, tokens int64, s *recording.Session, r *recording.Request) *llm.Node {
	for range max(s.Requests[r.Pred].AnswerBlocks, 1) {
		base = p.block(base, "answer", tokens)
	}
	return base
}

func (p *play) block(parent *llm.Node, text string, tokens int64) *llm.Node {
	n := p.builder.Append(parent, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	p.counts[n.Hash] = tokens
	return n
}

// beginsAnew reports whether lines tell of something that loses the history.
func beginsAnew(r *recording.Request) bool {
	_, ok := r.Tells(recording.ResumeTold, recording.MicrocompactTold, recording.VersionTold)
	return ok
}

// base is the end of the conversation that request i goes on from, or nil when
// it begins anew behind the static prefix: a thread's first request, one after a
// compaction, one whose prompt is shorter than what it would go on from, and a
// model's first.
func (p *play) base(si, i int, model string, size int64) (*llm.Node, int64, *static) {
	if n, tokens, st, ok := p.knownBase(si, i, model, size); ok {
		return n, tokens, st
	}
	s := p.sessions[si]
	for j := i; ; {
		r := &s.Requests[j]
		if r.Compacted || r.Pred < 0 || p.opt.Known == nil && beginsAnew(r) {
			return nil, 0, nil
		}
		j = int(r.Pred)
		if p.ask(si, j).Model != model || p.opt.Known == nil && !s.Requests[i].SameKey(&s.Requests[j]) {
			continue
		}
		f := p.build(si, j)
		if n := p.counts.At(f.end); n <= size {
			return f.end, n, f.static
		}
		return nil, 0, nil
	}
}
