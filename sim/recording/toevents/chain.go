package toevents

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/recording/judge"
)

// mode is what the blocks of a session are made from.
type mode uint8

const (
	fromUsage mode = iota
	fromNames
	fromContent
)

func modeOf(s *recording.Session) mode {
	m := fromUsage
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Said != nil || r.Answer != nil {
			return fromContent
		}
		if len(r.Blocks) > 0 && (s.BlockTokens > 0 || len(r.BlockBytes) > 0) {
			m = fromNames
		}
	}
	return m
}

// link is the conversation of one request.
type link struct {
	head   *llm.Node // the prompt
	mark   *llm.Node // last block of what the request leaves to be read; nil for nothing
	next   *llm.Node // node that a request which goes on from all of that is built on
	answer *llm.Node // the prompt with the answer
	readTo *llm.Node // nil when nothing was read, or where it ends is not known
}

// chains makes the conversations of a session, in the order of its requests.
type chains struct {
	s        *recording.Session
	verdicts []judge.Verdict
	mode     mode
	b        llm.Builder
	scope    llm.Scope
	links    []link
	// tokens is how many tokens the prefix that ends with a node has, where blocks
	// are made from usage or from names.
	tokens map[*llm.Node]int64
	named  map[namedKey]*llm.Node
	fronts map[string]*llm.Node // by model, for named blocks
}

type namedKey struct {
	parent *llm.Node
	id     uint64
}

func newChains(s *recording.Session, verdicts []judge.Verdict) *chains {
	return &chains{s: s, verdicts: verdicts, mode: modeOf(s), links: make([]link, len(s.Requests)),
		scope:  llm.Scope{Organisation: s.Origin, Workspace: s.Format + "/" + s.ID},
		tokens: map[*llm.Node]int64{}, named: map[namedKey]*llm.Node{}, fronts: map[string]*llm.Node{}}
}

// of makes the conversation of request i; those before it were made.
func (c *chains) of(i int) *link {
	l := &c.links[i]
	switch c.mode {
	case fromContent:
		c.content(i, l)
	case fromNames:
		c.names(i, l)
	default:
		c.usage(i, l)
	}
	return l
}

// kept reports whether request i's prompt begins with all that its predecessor
// left to be read, so far as the recording tells.
func (c *chains) kept(i int) bool {
	r := &c.s.Requests[i]
	if r.Pred < 0 || r.Compacted {
		return false
	}
	switch c.cause(i) {
	case recording.CompactCause, recording.HistoryCause, recording.ThinkingCause, recording.ToolsCause, recording.SystemCause:
		return false
	}
	return true
}

func (c *chains) cause(i int) recording.Cause {
	if i < len(c.verdicts) {
		return c.verdicts[i].Cause
	}
	return recording.NoCause
}

// sameModel reports whether a request and its predecessor share a cache.
func (c *chains) sameModel(i int) bool {
	r := &c.s.Requests[i]
	return r.Pred >= 0 && c.s.Requests[r.Pred].Model == r.Model
}

// opaque is a block that stands for something not in the recording. Its text is
// what is known of it.
func opaque(format string, args ...any) *llm.Block {
	return &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, fmt.Sprintf(format, args...))}
}

// add appends an opaque block of n tokens, made of purpose and the request's id;
// no block for none.
func (c *chains) add(at *llm.Node, role llm.Role, n int64, purpose string, r *recording.Request) *llm.Node {
	if n <= 0 {
		return at
	}
	node := c.b.Append(at, role, opaque("[%d tokens, %s %s]", n, purpose, r.ID))
	c.tokens[node] = c.tokens[at] + n
	return node
}

// base is the front of a request that goes on from none: tools and system prompt
// up to the border before the messages. where names what the two blocks belong
// to. most is how many tokens they may have; blocks of unknown size are left out
// unless always.
func (c *chains) base(r *recording.Request, where string, most int64, always bool) *llm.Node {
	t, n := &c.s.Threads[r.Thread], c.root(r.Model)
	level := func(what string, size int64) {
		size = min(size, most)
		most -= size
		blk := opaque("[%d tokens, %s of %s]", size, what, where)
		switch {
		case size > 0:
		case always:
			blk = opaque("[%s of %s, of unknown size]", what, where)
		default:
			return
		}
		if n.Level == llm.Tools {
			blk = toolBlock(blk)
		}
		node := c.b.Append(n, llm.NoRole, blk)
		if size > 0 {
			c.tokens[node] = c.tokens[n] + size
		}
		n = node
	}
	level("tool definitions", t.ToolTokens)
	n = c.border(n, llm.System)
	level("system prompt", t.SystemTokens)
	return c.border(n, llm.Messages)
}

func (c *chains) border(n *llm.Node, l llm.Level) *llm.Node {
	b := c.b.Border(n, l, llm.Salts{})
	c.tokens[b] = c.tokens[n]
	return b
}

// toolBlock makes a tool definition of a text, so that the request stays JSON.
func toolBlock(text *llm.Block) *llm.Block {
	return &llm.Block{Kind: llm.ToolDef, Name: "tools", Content: llm.NewJSON(fmt.Sprintf(`{"name":"tools","description":%q}`, text.Content.Raw()))}
}

// front names the tools and system prompt of a thread: those of one type are
// taken to be equal.
func (c *chains) front(r *recording.Request) string {
	t := &c.s.Threads[r.Thread]
	switch kind := t.Kind.String(); {
	case t.Type != "":
		return kind + " " + t.Type
	case t.Name != kind:
		return kind + " " + t.Name
	}
	return t.Name
}

// move makes the chain that ends with n anew under another model: the same
// blocks, in another cache.
func (c *chains) move(n *llm.Node, model string) *llm.Node {
	var path []*llm.Node
	for ; n.Parent != nil; n = n.Parent {
		path = append(path, n)
	}
	at := c.root(model)
	for _, p := range slices.Backward(path) {
		if p.IsBorder() {
			at = c.border(at, p.Level)
			continue
		}
		next := c.b.Append(at, p.Role, p.Block)
		c.tokens[next] = c.tokens[p]
		at = next
	}
	return at
}

// root is where a model's chains begin.
func (c *chains) root(model string) *llm.Node {
	scope := c.scope
	scope.Model = model
	return c.b.Root(scope, llm.Salts{})
}

// within is the last block of the chain that ends with n of which all that
// stands up to its end is no more than tokens; nil for none.
func (c *chains) within(n *llm.Node, tokens int64) *llm.Node {
	for ; n != nil; n = n.Parent {
		if !n.IsBorder() && c.tokens[n] <= tokens {
			return n
		}
	}
	return nil
}
