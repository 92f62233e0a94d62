package wire

import (
	"slices"
	"strings"

	"agentsim/sim/llm"
)

// form is a type of block: the fields that its canonical form has, and those that
// the API has besides.
type form struct {
	kind         llm.Kind
	fields, more []string
}

// resultSuffix ends the type of a server tool's result, after the tool's name.
const resultSuffix = "_tool_result"

var forms = map[string]form{
	"text":              {llm.Text, []string{"text", "clear_at"}, []string{"citations"}},
	"thinking":          {llm.Thinking, []string{"thinking"}, []string{"signature"}},
	"redacted_thinking": {llm.Thinking, nil, []string{"data"}},
	"tool_use":          {llm.ToolUse, []string{"id", "name", "input"}, []string{"caller", "toolset_name"}},
	"tool_result":       {llm.ToolResult, []string{"tool_use_id", "content", "is_error"}, []string{"toolset_name"}},
	"image":             {llm.Image, []string{"source"}, []string{"transformations"}},
	"document":          {llm.Document, []string{"source"}, []string{"title", "context", "citations"}},
	"server_tool_use":   {llm.ServerToolUse, []string{"id", "name", "input"}, []string{"caller"}},
	resultSuffix:        {llm.ServerToolResult, []string{"tool_use_id", "content"}, []string{"caller"}},
	"tool_addition":     {llm.ToolAddition, []string{"tool"}, nil},
	"tool_removal":      {llm.ToolRemoval, []string{"tool"}, nil},
	"tool_reference":    {llm.ToolReference, []string{"tool"}, []string{"tool_name"}},
	"effort":            {llm.EffortChange, []string{"effort"}, nil},
	"search_result":     {llm.Opaque, nil, []string{"source", "title", "content", "citations"}},
	"compaction":        {llm.Opaque, nil, []string{"content", "encrypted_content", "signature", "tool_changes"}},
	"container_upload":  {llm.Opaque, nil, []string{"file_id"}},
	"mcp_tool_use":      {llm.Opaque, nil, []string{"id", "name", "server_name", "input"}},
	"mcp_tool_listing":  {llm.Opaque, nil, []string{"mcp_server_name", "tools"}},
	"fallback":          {llm.Opaque, nil, []string{"from", "to", "trigger"}},
}

// content is one block taken apart.
type content struct {
	*parser
	value
	typ     string
	form    form
	members []member
	mark    value
	whole   bool   // its canonical form would lack a part
	inner   string // how the content of a tool's result is hashed, where it is a list
}

// field is a member's value; its text is nil where it is missing or null.
func (c *content) field(key string) value {
	for _, m := range c.members {
		if m.key == key && string(m.text) != "null" {
			return m.value
		}
	}
	return value{at: c.at}
}

// part takes a block apart.
func (p *parser) part(v value) *content {
	c := &content{parser: p, value: v, members: p.members(v, "a block")}
	if typ := c.field("type"); typ.first() == '"' {
		c.typ = unquoted(typ)
	} else {
		p.fail(v.at, "a block without a type, which is a string")
	}
	known := false
	if c.form, known = forms[c.typ]; !known && strings.HasSuffix(c.typ, resultSuffix) {
		c.form, known = forms[resultSuffix], true
	}
	if !known {
		c.form.kind = llm.Opaque
		p.unknown("block type", c.typ, v.at)
	}
	c.whole = c.form.kind == llm.Opaque
	for _, m := range c.members {
		switch {
		case m.key == "cache_control":
			c.mark = m.value
		case m.key == "type" || slices.Contains(c.form.fields, m.key) || slices.Contains(c.form.more, m.key) && string(m.text) == "null":
		default:
			c.whole = true
			if !known || slices.Contains(c.form.more, m.key) {
				continue
			}
			p.unknown("field of a block of type "+c.known(), m.key, m.at)
		}
	}
	return c
}

// KnownBlock reports whether the API has a type of block.
func KnownBlock(typ string) bool { _, ok := forms[typ]; return ok }

// known is the block's type as the API has it, which names no tool of the body.
func (c *content) known() string {
	if KnownBlock(c.typ) {
		return c.typ
	}
	return "*" + resultSuffix
}

// needs is a field that must be there.
func (c *content) needs(key string) value {
	v := c.field(key)
	if v.text == nil {
		c.fail(c.at, "a block of type %q without %s", word(c.typ), key)
	}
	return v
}

// string is a field that must be there and be a string.
func (c *content) string(key string) string { return c.parser.text(c.needs(key), key) }

// raw is a field that must be there, as it is written.
func (c *content) raw(key string) *llm.Payload { return llm.NewJSON(string(c.needs(key).text)) }

// block appends one content block, and after it the definitions of deferred tools
// that it names.
func (p *parser) block(role llm.Role, v value) {
	p.written = v
	c := p.part(v)
	if p.err != nil {
		return
	}
	b := &llm.Block{Kind: c.form.kind}
	var named []string
	switch b.Kind {
	case llm.Text:
		c.say(b, "text")
		if c.field("clear_at").text != nil {
			b.Kind = llm.Passing
		}
	case llm.Thinking:
		c.thought(b)
	case llm.ToolUse, llm.ServerToolUse:
		c.use(b)
	case llm.ToolResult:
		named = c.result(b)
	case llm.ServerToolResult:
		named = c.serverResult(b)
	case llm.Image, llm.Document:
		b.Content = c.raw("source")
	case llm.ToolAddition, llm.ToolRemoval:
		b.Content = c.raw("tool")
	case llm.EffortChange:
		c.say(b, "effort")
	case llm.ToolReference:
		if c.whole { // by its name
			p.bring(role, []string{c.string("tool_name")})
			return
		}
		b.Content = c.raw("tool")
	default:
		b.Name, b.Content = c.typ, llm.NewJSON(string(c.appendWritten(nil)))
	}
	if c.whole && p.err == nil {
		b.Content = llm.NewWhole(string(c.appendWritten(nil)), b.Content)
	}
	p.append(role, b, c.mark)
	p.bring(role, named)
}

// say makes a field's text the block's content.
func (c *content) say(b *llm.Block, key string) {
	b.Content = llm.NewText(llm.Prose, c.string(key))
}

// thought reads a thinking block: what was signed is what the provider has,
// whatever text the client shows of it.
func (c *content) thought(b *llm.Block) {
	for _, key := range c.form.more {
		if c.field(key).text != nil && c.opt.holds(SignatureOnly) {
			c.say(b, key)
			c.whole = false
			return
		}
	}
	if c.typ != "thinking" {
		c.say(b, "data")
		return
	}
	c.say(b, "thinking")
}

// use reads a tool use; its input keeps its bytes.
func (c *content) use(b *llm.Block) {
	b.ID, b.Name = c.id("id"), c.string("name")
	v := c.field("input")
	if v.first() != '{' {
		c.fail(v.at, "input must be an object")
	}
	b.Content = llm.NewJSON(string(v.text))
}

// id is the number of a tool use's id. Another client's ids stay in the block's
// bytes and give a number that equals no other one's.
func (c *content) id(key string) llm.ToolUseID {
	s := c.string(key)
	own := s
	if c.form.kind != llm.ToolUse && c.form.kind != llm.ToolResult {
		own = strings.TrimPrefix(s, "srv")
	}
	id, ok := llm.ParseToolUseID(own)
	if !ok || (own == s) != (c.form.kind == llm.ToolUse || c.form.kind == llm.ToolResult) {
		c.whole = true
		return ToolUseID(s)
	}
	return id
}

// result reads a tool's result: a string, or a list of blocks. named are the
// deferred tools in it.
func (c *content) result(b *llm.Block) (named []string) {
	b.ID = c.id("tool_use_id")
	if v := c.field("is_error"); v.text != nil {
		if b.IsError = string(v.text) == "true"; !b.IsError && string(v.text) != "false" {
			c.fail(v.at, "is_error must be true or false")
		}
	}
	said, v := "", c.field("content")
	switch v.first() {
	case 0:
		c.inner = `""`
	case '"':
		said = unquoted(v)
	default:
		said, named = c.blocks(v)
	}
	b.Content = llm.NewText(llm.Code, said)
	return named
}

// blocks reads the blocks of a tool's result. One text block is its string.
func (c *content) blocks(v value) (_ string, named []string) {
	items := c.items(v, "content")
	var said []byte
	texts, odd, list := 0, false, []byte{'['}
	for i, it := range items {
		in := c.part(it)
		odd = odd || in.whole || in.form.kind != llm.Text
		switch in.form.kind {
		case llm.Text:
			said = append(said, in.string("text")...)
			texts++
		case llm.ToolReference:
			named = append(named, in.string("tool_name"))
		default:
			said = in.appendWritten(said)
		}
		if in.mark.text != nil && c.mark.text == nil {
			c.mark = in.mark // a marker inside a result lies at its end
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = in.appendWritten(list)
	}
	odd = odd || len(items) != 1
	if c.whole = c.whole || odd; odd {
		c.inner = string(append(list, ']'))
	} else {
		c.inner = string(llm.AppendQuoted(nil, string(said)))
	}
	return string(said), named
}

// serverResult reads what a tool of the server answered, as it is written.
func (c *content) serverResult(b *llm.Block) (named []string) {
	b.ID = c.id("tool_use_id")
	b.Name, b.Content = strings.TrimSuffix(c.typ, resultSuffix), c.raw("content")
	var found struct {
		References []struct {
			Name string `json:"tool_name"`
		} `json:"tool_references"`
	}
	if v := c.field("content"); v.first() == '{' {
		c.decode(member{key: "content", value: v}, &found)
	}
	for _, r := range found.References {
		named = append(named, r.Name)
	}
	return named
}

// bring appends the definitions of deferred tools that are named; others are in front
// already.
func (p *parser) bring(role llm.Role, named []string) {
	for _, name := range named {
		p.alone = true // what it is depends on the request's tools
		if def, ok := p.deferred[name]; ok {
			p.append(role, def, value{})
		}
	}
}

// appendWritten appends the block as it is hashed: its type, its fields in the order
// of its form with strings escaped in one way, and then what is unknown, as it
// stands.
func (c *content) appendWritten(out []byte) []byte {
	out = llm.AppendQuoted(append(out, `{"type":`...), c.typ)
	order := slices.Concat(c.form.fields, c.form.more)
	for _, key := range order {
		if v := c.field(key); key == "content" && c.inner != "" {
			out = append(append(out, `,"content":`...), c.inner...)
		} else if v.text != nil {
			out = appendMember(out, key, v)
		}
	}
	for _, m := range c.members {
		if m.key != "type" && m.key != "cache_control" && !slices.Contains(order, m.key) {
			out = appendMember(out, m.key, m.value)
		}
	}
	return append(out, '}')
}

func appendMember(out []byte, key string, v value) []byte {
	out = append(llm.AppendQuoted(append(out, ','), key), ':')
	if v.text[0] == '"' {
		return llm.AppendQuoted(out, unquoted(v))
	}
	return append(out, v.text...)
}
