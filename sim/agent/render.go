package agent

import (
	"slices"

	"agentsim/sim/llm"
)

// Prefix is what stands before the messages in every request of an agent:
// scope, settings, tool definitions and system blocks. It is made once and
// never changed; a change of settings makes another.
type Prefix struct {
	Scope    llm.Scope
	Settings llm.Settings
	Rules    llm.SaltRules
	Tools    []llm.Block
	System   []llm.Block
	// Static is the number of leading system blocks that the agent shares with
	// others: all types of sub-agents, a root's next session (LOOP-12).
	Static int
}

// Salts are those of the prefix's settings.
func (p *Prefix) Salts() llm.Salts { return p.Settings.Salts(p.Rules) }

// renderMessages appends every message up to last; decisions of r that have been
// taken stand. With renderPrefix it is the one way from structured messages to
// bytes: turns, forks and re-renders differ only in where they start.
func renderMessages(b *llm.Builder, head *llm.Node, last *llm.Msg, r *Replacements) *llm.Node {
	if r != nil {
		r.recall()
		defer r.forget()
	}
	for _, m := range messages(last) {
		head = renderMessage(b, head, m, r)
	}
	return head
}

// renderPrefix makes the nodes up to the border before the messages.
func renderPrefix(b *llm.Builder, p *Prefix) *llm.Node {
	salts := p.Salts()
	n := b.Root(p.Scope, salts)
	for i := range p.Tools {
		n = b.Append(n, llm.NoRole, &p.Tools[i])
	}
	n = b.Border(n, llm.System, salts)
	for i := range p.System {
		n = b.Append(n, llm.NoRole, &p.System[i])
	}
	return b.Border(n, llm.Messages, salts)
}

// renderMessage appends one message's blocks.
func renderMessage(b *llm.Builder, head *llm.Node, m *llm.Msg, r *Replacements) *llm.Node {
	for i := range m.Blocks {
		blk := &m.Blocks[i]
		if blk.Kind == llm.ToolResult && r != nil {
			blk = r.apply(blk)
		}
		head = b.Append(head, m.Role, blk)
	}
	return head
}

// messages lists a persistent list oldest first.
func messages(last *llm.Msg) []*llm.Msg {
	var out []*llm.Msg
	for m := last; m != nil; m = m.Prev {
		out = append(out, m)
	}
	slices.Reverse(out)
	return out
}

// Conversation is an agent's messages in both forms: structured, and as the
// chain of nodes that its requests send.
type Conversation struct {
	Prefix *Prefix
	Border *llm.Node // the border before the messages
	Last   *llm.Msg
	Head   *llm.Node
	Repl   Replacements
	open   int // tool uses without a result
}

// say appends a message.
func (c *Conversation) say(b *llm.Builder, m *llm.Msg) {
	c.link(m)
	c.Head = renderMessage(b, c.Head, m, c.Repl.orNil())
}

// hear appends an answer. head is the chain with its blocks, where the server
// has made it already: the same bytes have the same nodes, whoever makes them.
func (c *Conversation) hear(b *llm.Builder, m *llm.Msg, head *llm.Node) {
	if head == nil {
		c.say(b, m)
		return
	}
	c.link(m)
	c.Head = head
}

// link makes a message the last one.
func (c *Conversation) link(m *llm.Msg) {
	m.Prev, c.Last = c.Last, m
	for i := range m.Blocks {
		switch m.Blocks[i].Kind {
		case llm.ToolUse:
			c.open++
		case llm.ToolResult:
			c.open--
		}
	}
}

// dropUnanswered leaves out every tool use without a result that stands before the last
// message, which stays as it is (FRK-13), and reports the position from which on
// the conversation is another; 0 when nothing was left out. Messages that change
// are copies: others share the old ones.
func (c *Conversation) dropUnanswered(b *llm.Builder) (from int32) {
	last := c.Last
	if last == nil || c.open == countUses(last) {
		return 0
	}
	answered := map[llm.ToolUseID]bool{}
	var kept *llm.Msg
	for _, m := range messages(last) {
		for i := range m.Blocks {
			if m.Blocks[i].Kind == llm.ToolResult {
				answered[m.Blocks[i].ID] = true
			}
		}
	}
	old := c.Head
	c.Last, c.open = nil, 0
	for _, m := range messages(last) {
		kept = &llm.Msg{Role: m.Role, Blocks: m.Blocks}
		if m != last {
			kept.Blocks = withoutUses(m.Blocks, answered)
		}
		if len(kept.Blocks) > 0 {
			c.link(kept)
		}
	}
	c.Head = renderMessages(b, c.Border, c.Last, c.Repl.orNil())
	return llm.Common(old, c.Head).Pos + 1
}

// rebase renders the whole conversation anew behind another prefix.
func (c *Conversation) rebase(b *llm.Builder, p *Prefix) {
	c.Prefix = p
	c.Border = renderPrefix(b, p)
	c.Head = renderMessages(b, c.Border, c.Last, c.Repl.orNil())
}

// withoutUses is an answer's blocks without its tool uses, but for those that
// are answered.
func withoutUses(blocks []llm.Block, answered map[llm.ToolUseID]bool) []llm.Block {
	var out []llm.Block
	for i := range blocks {
		if blocks[i].Kind != llm.ToolUse || answered[blocks[i].ID] {
			out = append(out, blocks[i])
		}
	}
	return out
}
