package importer

import (
	"encoding/json"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

// ccText is a block of a persistent list, newest last.
type ccText struct {
	before *ccText
	block  llm.Block
}

// take reports whether n more bytes of content may be held. When they are too
// many, all content of the session goes: one with a hole would be another
// conversation.
func (c *claudeCodeReader) take(n int) bool {
	if !c.opt.Content || c.full {
		return false
	}
	most := c.opt.MaxContent
	if most <= 0 {
		most = defaultMaxContent
	}
	if c.content += int64(n); c.content <= most {
		return true
	}
	c.full = true
	c.skip("content of a session that holds more than may be kept: all of it")
	for i := range c.requests {
		r := &c.requests[i]
		r.Said, r.Answer, r.results, r.beside = nil, nil, nil, nil
	}
	for id, n := range c.nodes { // order: each entry is changed by itself
		n.said = nil
		c.nodes[id] = n
	}
	for i := range c.threads {
		c.threads[i].tail.said = nil
	}
	return false
}

// keep appends a block of a user's message.
func (c *claudeCodeReader) keep(to []llm.Block, b *ccBlock) []llm.Block {
	if block, ok := c.block(b); ok {
		to = append(to, block)
	}
	return to
}

// text appends a block of a user's message to what was said.
func (c *claudeCodeReader) text(said *ccText, b *ccBlock) *ccText {
	block, ok := c.block(b)
	if !ok {
		return said
	}
	return &ccText{said, block}
}

// block is a block as it stands in content; ok is false for one that is not kept.
func (c *claudeCodeReader) block(b *ccBlock) (out llm.Block, ok bool) {
	if !c.opt.Content {
		return out, false
	}
	switch b.Type {
	case "text":
		return llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, b.Text)}, c.take(len(b.Text))
	case "thinking":
		return llm.Block{Kind: llm.Thinking, Content: llm.NewText(llm.Prose, b.Thinking)}, c.take(len(b.Thinking))
	case "image", "document":
		if none(b.Source) {
			break
		}
		kind := llm.Image
		if b.Type == "document" {
			kind = llm.Document
		}
		return llm.Block{Kind: kind, Content: llm.NewJSON(string(b.Source))}, c.take(len(b.Source))
	case "tool_use":
		input := b.Input
		if none(input) {
			input = json.RawMessage("{}")
		}
		return llm.Block{Kind: llm.ToolUse, ID: recording.ToolUseID(b.ID), Name: c.word(b.Name), Content: llm.NewJSON(string(input))},
			c.take(len(input))
	}
	c.skip("content of a block of type " + quoted(b.Type))
	return out, false
}

// answered takes in a block of an answer.
func (c *claudeCodeReader) answered(i int32, b *ccBlock) {
	switch b.Type {
	case "text", "thinking", "tool_use":
		r := &c.requests[i]
		r.Answer = c.keep(r.Answer, b)
		if c.full {
			r.Answer = nil
		}
	default:
		c.skip("block of an answer of unknown type " + quoted(b.Type))
	}
}

// result keeps a tool's result with the request that it answers and returns the
// bytes of its text.
func (c *claudeCodeReader) result(r *ccRequest, b *ccBlock, tool string) int64 {
	var text []byte
	for _, part := range c.blocks(b.Content) {
		if part.Type == "text" {
			text = append(text, part.Text...)
			continue
		}
		r.beside = c.keep(r.beside, &part)
	}
	if c.take(len(text)) {
		class := llm.Code
		switch tool {
		case "Task", "Agent", "WebFetch", "WebSearch":
			class = llm.Prose
		}
		r.results = append(r.results, llm.Block{
			Kind: llm.ToolResult, ID: recording.ToolUseID(b.Answers), IsError: b.IsError, Content: llm.NewText(class, string(text)),
		})
	}
	return int64(len(text))
}

// said is what the conversation gained between the request that n names and the
// one that goes on from n: results first, as the API wants them, then the rest in
// the order in which it was said.
func (c *claudeCodeReader) said(n ccNode) []llm.Msg {
	var blocks []llm.Block
	for t := n.said; t != nil; t = t.before {
		blocks = append(blocks, t.block)
	}
	slices.Reverse(blocks)
	if n.request >= 0 && !n.compact {
		r := &c.requests[n.request]
		blocks = slices.Concat(r.results, r.beside, blocks)
	}
	if len(blocks) == 0 {
		return nil
	}
	return []llm.Msg{{Role: llm.User, Blocks: blocks}}
}

// attachment takes in what a client adds to a conversation by itself. Its wording
// is not recorded, but for messages of the user that waited their turn.
func (c *claudeCodeReader) attachment(l *ccLine, n ccNode) ccNode {
	if !c.opt.Content {
		return n
	}
	a := &l.Attachment
	if a.Type != "queued_command" {
		c.skip("content of an attachment of type " + quoted(a.Type))
		return n
	}
	for _, b := range c.blocks(a.Prompt) {
		n.said = c.text(n.said, &b)
	}
	return n
}
