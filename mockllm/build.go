package mockllm

import (
	"encoding/json"
	"sort"
	"strings"
	"unicode/utf8"

	"agentsim/mockllm/fault"
	"agentsim/sim/llm"
)

// build appends the answer to the conversation and counts its tokens by block. A
// literal output is spread over the blocks in order; the last one has the rest.
// An answer of more than max_tokens is cut there.
func (c *call) build(counts llm.Counts) {
	most := c.shape()
	blocks := c.s.keep(c.answer.Blocks)
	head, before := c.req.Head, int64(0)
	literal, total := c.answer.Output, int64(0)
	if len(blocks) > 0 {
		before = counts.At(head)
	}
	c.stream.Tokens, c.head, c.passes, c.passed, c.short = c.stream.Tokens[:0], head, c.passes[:0], 0, false
	for i := range blocks {
		if blocks[i].Kind == llm.Thinking && c.in.Profile.BindsThinking {
			blocks[i].Bind(head.Said) // the model's signature (CACHE-35)
		}
		next := c.s.cfg.Builder.Append(head, llm.Assistant, &blocks[i])
		after := counts.At(next)
		n := after - before
		if literal >= 0 {
			if n = min(n, literal-total); i == len(blocks)-1 {
				n = literal - total
			}
		}
		if blocks[i].Kind == llm.ServerToolResult { // the server's words, not the model's
			n = 0
			c.notePass(next, total, i == len(blocks)-1)
		}
		if total+n > most {
			blocks = blocks[:c.cut(counts, head, blocks[:i+1], most-total)]
			total, literal, c.short = most, -1, true
			break
		}
		c.stream.Tokens = append(c.stream.Tokens, n)
		total, before, head = total+n, after, next
		c.head = head
	}
	if c.output = total; literal >= 0 {
		c.output = min(literal, most)
	}
	c.resp.Blocks, c.resp.Stop = blocks, c.answer.Stop
	if len(c.answer.Causes) > 0 {
		c.resp.Causes = append(make([]string, 0, len(c.answer.Causes)), c.answer.Causes[:min(len(c.answer.Causes), len(blocks))]...)
	}
}

// cut ends the answer in the last of the blocks, which follows head and has room
// for fewer tokens than it takes: of a text as much stays as fits, a tool use is
// left out. It returns how many blocks remain.
func (c *call) cut(counts llm.Counts, head *llm.Node, blocks []llm.Block, room int64) int {
	if c.answer.Stop != llm.Refusal {
		c.answer.Stop = llm.MaxTokens
	}
	c.head = head
	last := &blocks[len(blocks)-1]
	if last.Kind == llm.ToolUse {
		return len(blocks) - 1
	}
	raw, before := last.Content.Raw(), counts.At(head)
	shorter := func(n int) *llm.Block {
		b := *last
		b.Content = prefix(last.Content, n)
		return &b
	}
	fits := sort.Search(len(raw), func(n int) bool {
		return counts.At(c.s.cfg.Builder.Append(head, llm.Assistant, shorter(n+1)))-before > room
	})
	b := shorter(fits)
	if b.Content.Raw() == "" {
		return len(blocks) - 1
	}
	*last = *b
	c.head = c.s.cfg.Builder.Append(head, llm.Assistant, last)
	c.stream.Tokens = append(c.stream.Tokens, room)
	return len(blocks)
}

// prefix is the first n bytes of a text, or fewer so as to cut no character.
func prefix(p *llm.Payload, n int) *llm.Payload {
	raw := p.Raw()
	for n > 0 && n < len(raw) && !utf8.RuneStart(raw[n]) {
		n--
	}
	return llm.NewText(classOf(p), raw[:n])
}

// classOf is the class that a text was made with: the one that most of it has.
func classOf(p *llm.Payload) llm.Class {
	m, class := p.Measure(), llm.Prose
	for _, k := range [...]llm.Class{llm.Code, llm.JSON} {
		if m.Bytes[k] > m.Bytes[class] {
			class = k
		}
	}
	return class
}

// shape lets the call's fault act on the answer, if it is one that does, and
// returns the most tokens that the answer may have.
func (c *call) shape() (most int64) {
	most = c.req.MaxTokens
	r := c.rule
	if r == nil || most == 0 {
		return most
	}
	a := &c.answer
	switch {
	case r.Kind.HitsTool():
		if use := toolUse(a.Blocks, r.Tool); use != nil {
			spoil(use, r)
		}
	case r.Kind == fault.Empty:
		a.Blocks, a.Causes, a.Stop, a.Output = a.Blocks[:0], a.Causes[:0], llm.EndTurn, 0
	case r.Kind == fault.Refusal:
		a.Stop, a.Output, most = llm.Refusal, -1, min(most, int64(r.Keep))
	case r.Kind == fault.MaxTokens:
		a.Output, most = -1, min(most, int64(r.Keep))
	}
	return most
}

// struck reports whether the answer that was built has what the call's fault changes.
func (c *call) struck() bool {
	switch r := c.rule; {
	case r.Kind.HitsTool():
		return toolUse(c.answer.Blocks, r.Tool) != nil
	case r.Kind == fault.MaxTokens:
		return c.short && int64(r.Keep) < c.req.MaxTokens
	case r.Kind == fault.Slow:
		return r.Times > 1
	}
	return true
}

// toolUse is tool use n of an answer, from 0; nil when it has fewer.
func toolUse(blocks []llm.Block, n int) *llm.Block {
	for i := range blocks {
		if blocks[i].Kind != llm.ToolUse {
			continue
		}
		if n == 0 {
			return &blocks[i]
		}
		n--
	}
	return nil
}

// spoil makes a tool use one that no tool can run.
func spoil(use *llm.Block, r *fault.Rule) {
	raw := use.Content.Raw()
	switch r.Kind {
	case fault.Truncate:
		// The client, which cannot parse what came, keeps the text as a JSON string,
		// so that the conversation stays well formed and the tool says what is wrong.
		cut := raw[:min(r.Keep, max(len(raw)-1, 0))]
		use.Content = llm.NewJSON(string(llm.AppendQuoted(nil, cut)))
	case fault.UnknownTool:
		use.Name += unknownSuffix
	case fault.WrongType:
		use.Content = llm.NewJSON(wrongType(raw))
	}
}

// unknownSuffix makes of a tool's name one that no tool has.
const unknownSuffix = "_v2"

// wrongType puts the first field of an object into a list, and what has no field
// as well.
func wrongType(raw string) string {
	d := json.NewDecoder(strings.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') || !d.More() {
		return "[" + raw + "]"
	}
	var value json.RawMessage
	if _, err := d.Token(); err != nil || d.Decode(&value) != nil {
		return "[" + raw + "]"
	}
	end := int(d.InputOffset())
	return raw[:end-len(value)] + "[" + string(value) + "]" + raw[end:]
}
