package toevents

import (
	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// usage makes the conversation of a request from what was billed (IMP-04): what
// its predecessor left to be read, what was read beyond that, what was written,
// and the plain input behind it.
func (c *chains) usage(i int, l *link) {
	r := &c.s.Requests[i]
	u := r.Usage
	left := u.Read + u.Written()
	if !r.WritesKnown {
		left = u.Prompt()
	}
	at := c.usageFrom(i, r, left)
	at = c.add(at, llm.User, min(u.Read, left)-c.tokens[at], "read by request", r)
	at = c.add(at, llm.User, left-c.tokens[at], "added by request", r)
	l.next, l.mark = at, c.within(at, c.tokens[at])
	l.head = c.add(at, llm.User, u.Prompt()-left, "plain input of request", r)
	l.answer = c.add(l.head, llm.Assistant, u.Output, "answer to request", r)
	if u.Read > 0 {
		l.readTo = c.within(at, u.Read)
	}
}

// usageFrom is where a request's conversation begins: behind all that its
// predecessor left, behind as much of it as was read where the rest is known to
// have changed, or at the front.
func (c *chains) usageFrom(i int, r *recording.Request, left int64) *llm.Node {
	if r.Pred >= 0 {
		before := c.links[r.Pred].next
		kept := c.kept(i) && c.tokens[before] <= left
		if kept && c.sameModel(i) {
			return before
		}
		if kept {
			return c.move(before, r.Model)
		}
		if n := c.messages(before, r.Usage.Read); n != nil && c.sameModel(i) {
			return n
		}
		return c.base(r, "request "+r.ID, left, false)
	}
	return c.base(r, c.front(r), left, false)
}

// messages is the last node among the messages, the border before them included,
// up to which no more than tokens stand; nil for none.
func (c *chains) messages(n *llm.Node, tokens int64) *llm.Node {
	for ; n != nil && n.Level == llm.Messages; n = n.Parent {
		if c.tokens[n] <= tokens {
			return n
		}
	}
	return nil
}

// names makes the conversation of the blocks that the recording names, and of
// what stands behind the last full one.
func (c *chains) names(i int, l *link) {
	r := &c.s.Requests[i]
	at := c.frontOf(r.Model)
	for k, id := range r.Blocks {
		key := namedKey{at, id}
		n := c.named[key]
		if n == nil {
			n = c.b.Append(at, llm.User, opaque("%s%016x", NamedBlock, id))
			c.tokens[n] = c.tokens[at] + c.size(r, k, c.tokens[at])
			c.named[key] = n
		}
		at = n
	}
	l.mark = c.within(at, c.tokens[at])
	l.head = c.add(at, llm.User, r.Usage.Prompt()-c.tokens[at], "behind the last full block of request", r)
	l.answer = c.add(l.head, llm.Assistant, r.Usage.Output, "answer to request", r)
	if r.Usage.Read > 0 {
		l.readTo = c.within(at, r.Usage.Read)
	}
}

// size is how many tokens a named block has. Where its bytes are known and not its
// tokens, what is left of the prompt is shared out by bytes.
func (c *chains) size(r *recording.Request, k int, before int64) int64 {
	if len(r.BlockBytes) == 0 {
		return c.s.BlockTokens
	}
	var left int64
	for _, n := range r.BlockBytes[k:] {
		left += n
	}
	return max(r.Usage.Prompt()-before, 0) * r.BlockBytes[k] / max(left, 1)
}

// NamedBlock is what the text of a block begins with that a recording names; its
// id follows in 16 hex digits.
const NamedBlock = "block "

// frontOf is the empty front of a model's chains; there is one for each model,
// so that named blocks are found again.
func (c *chains) frontOf(model string) *llm.Node {
	n := c.fronts[model]
	if n == nil {
		n = c.border(c.border(c.root(model), llm.System), llm.Messages)
		c.fronts[model] = n
	}
	return n
}

// content makes the conversation of the recorded messages.
func (c *chains) content(i int, l *link) {
	r := &c.s.Requests[i]
	at := c.contentFrom(i, r)
	for m := range r.Said {
		at = c.say(at, r.Said[m].Role, r.Said[m].Blocks)
	}
	l.head = at
	if r.Usage.Read+r.Usage.Written() > 0 || !r.WritesKnown {
		l.mark = at
	}
	l.answer = c.say(at, llm.Assistant, r.Answer)
	l.readTo = c.contentRead(i, r, l)
}

func (c *chains) say(at *llm.Node, role llm.Role, blocks []llm.Block) *llm.Node {
	for k := range blocks {
		at = c.b.Append(at, role, &blocks[k])
	}
	return at
}

// contentFrom is the conversation that a request's own messages follow.
func (c *chains) contentFrom(i int, r *recording.Request) *llm.Node {
	switch {
	case r.Front != nil:
		return c.whole(r)
	case r.Pred < 0 || r.Compacted:
		return c.base(r, c.front(r), r.Usage.Prompt(), true)
	case !c.kept(i):
		where := c.front(r)
		if cause := c.cause(i); cause == recording.ToolsCause || cause == recording.SystemCause {
			where = "request " + r.ID
		}
		at := c.base(r, where, r.Usage.Prompt(), true)
		return c.b.Append(at, llm.User, opaque("[earlier messages, changed before request %s]", r.ID))
	case !c.sameModel(i):
		return c.move(c.links[r.Pred].answer, r.Model)
	}
	return c.links[r.Pred].answer
}

// whole is the front of a request whose tools and system blocks are recorded.
func (c *chains) whole(r *recording.Request) *llm.Node {
	n := c.root(r.Model)
	for k := range r.Front {
		if n.Level == llm.Tools && r.Front[k].Kind != llm.ToolDef {
			n = c.border(n, llm.System)
		}
		n = c.b.Append(n, llm.NoRole, &r.Front[k])
	}
	for n.Level < llm.Messages {
		n = c.border(n, n.Level+1)
	}
	return n
}

// contentRead is where what was read ends, as far as it can be told: the sizes of
// recorded messages are not known, those of whole requests are.
func (c *chains) contentRead(i int, r *recording.Request, l *link) *llm.Node {
	if r.Usage.Read == 0 {
		return nil
	}
	if r.Pred >= 0 && c.kept(i) && c.sameModel(i) {
		p := &c.links[r.Pred]
		switch before := c.s.Requests[r.Pred].Usage; {
		case r.Usage.Read > c.s.Expected(i):
			return p.answer
		case r.Usage.Read == c.s.Expected(i):
			return p.head
		case r.Usage.Read == before.Read:
			return p.readTo
		}
	}
	return c.system(l.head)
}

// system is the last block before the messages; nil for none.
func (c *chains) system(n *llm.Node) *llm.Node {
	for ; n != nil; n = n.Parent {
		if n.Level != llm.Messages && !n.IsBorder() {
			return n
		}
	}
	return nil
}
