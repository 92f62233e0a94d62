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
func (p *parser) part(v value) (*content, error) {
	members, err := p.members(v, "a block")
	if err != nil {
		return nil, err
	}
	c := &content{value: v, members: members}
	if c.typ, err = c.text("type"); err != nil {
		return nil, at(v.at, "a block without a type, which is a string")
	}
	known := false
	if c.form, known = forms[c.typ]; !known && strings.HasSuffix(c.typ, resultSuffix) {
		c.form, known = forms[resultSuffix], true
	}
	if !known {
		c.form.kind = llm.Opaque
		if err := p.unknown("block type", c.typ, v.at); err != nil {
			return nil, err
		}
	}
	c.whole = c.form.kind == llm.Opaque
	for _, m := range members {
		switch {
		case m.key == "cache_control":
			c.mark = m.value
		case m.key == "type" || slices.Contains(c.form.fields, m.key) || slices.Contains(c.form.more, m.key) && string(m.text) == "null":
		default:
			c.whole = true
			if !known || slices.Contains(c.form.more, m.key) {
				continue
			}
			if err := p.unknown("field of a block of type "+c.known(), m.key, m.at); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
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

// text is a field that must be there and be a string.
func (c *content) text(key string) (string, error) {
	v := c.field(key)
	if v.text == nil {
		return "", at(c.at, "a block of type %q without %s", word(c.typ), key)
	}
	return text(v, key)
}

// raw is a field that must be there, as it is written.
func (c *content) raw(key string) (*llm.Payload, error) {
	v := c.field(key)
	if v.text == nil {
		return nil, at(c.at, "a block of type %q without %s", word(c.typ), key)
	}
	return llm.NewJSON(string(v.text)), nil
}

// block appends one content block, and after it the definitions of deferred tools
// that it names.
func (p *parser) block(role llm.Role, v value) error {
	p.written = v.text
	c, err := p.part(v)
	if err != nil {
		return err
	}
	b := &llm.Block{Kind: c.form.kind}
	var named []string
	switch b.Kind {
	case llm.Text:
		err = c.say(b, "text")
		if err == nil && c.field("clear_at").text != nil {
			b.Kind = llm.Passing
		}
	case llm.Thinking:
		err = p.thought(b, c)
	case llm.ToolUse, llm.ServerToolUse:
		err = p.use(b, c)
	case llm.ToolResult:
		named, err = p.result(b, c)
	case llm.ServerToolResult:
		named, err = p.serverResult(b, c)
	case llm.Image, llm.Document:
		b.Content, err = c.raw("source")
	case llm.ToolAddition, llm.ToolRemoval:
		b.Content, err = c.raw("tool")
	case llm.EffortChange:
		err = c.say(b, "effort")
	case llm.ToolReference:
		if c.whole {
			return p.reference(role, c)
		}
		b.Content, err = c.raw("tool")
	default:
		b.Name, b.Content = c.typ, llm.NewJSON(string(c.appendWritten(nil)))
	}
	if err != nil {
		return err
	}
	if c.whole {
		b.Content = llm.NewWhole(string(c.appendWritten(nil)), b.Content)
	}
	if err := p.append(role, b, c.mark); err != nil {
		return err
	}
	return p.bring(role, c, named)
}

// say makes a field's text the block's content.
func (c *content) say(b *llm.Block, key string) error {
	s, err := c.text(key)
	b.Content = llm.NewText(llm.Prose, s)
	return err
}

// thought reads a thinking block: what was signed is what the provider has,
// whatever text the client shows of it.
func (p *parser) thought(b *llm.Block, c *content) error {
	for _, key := range c.form.more {
		if v := c.field(key); v.text != nil && p.opt.holds(SignatureOnly) {
			signature, err := text(v, key)
			b.Content, c.whole = llm.NewText(llm.Prose, signature), false
			return err
		}
	}
	if c.typ != "thinking" {
		return c.say(b, "data")
	}
	return c.say(b, "thinking")
}

// use reads a tool use; its input keeps its bytes.
func (p *parser) use(b *llm.Block, c *content) (err error) {
	if b.ID, err = c.id("id"); err != nil {
		return err
	}
	if b.Name, err = c.text("name"); err != nil {
		return err
	}
	v := c.field("input")
	if v.text == nil || v.text[0] != '{' {
		return at(v.at, "input must be an object")
	}
	b.Content = llm.NewJSON(string(v.text))
	return nil
}

// id is the number of a tool use's id. Another client's ids stay in the block's
// bytes and give a number that equals no other one's.
func (c *content) id(key string) (llm.ToolUseID, error) {
	s, err := c.text(key)
	if err != nil {
		return llm.ToolUseID{}, err
	}
	own := s
	if c.form.kind != llm.ToolUse && c.form.kind != llm.ToolResult {
		own = strings.TrimPrefix(s, "srv")
	}
	id, ok := llm.ParseToolUseID(own)
	if !ok || (own == s) != (c.form.kind == llm.ToolUse || c.form.kind == llm.ToolResult) {
		c.whole = true
		return ToolUseID(s), nil
	}
	return id, nil
}

// result reads a tool's result: a string, or a list of blocks. named are the
// deferred tools in it.
func (p *parser) result(b *llm.Block, c *content) (named []string, err error) {
	if b.ID, err = c.id("tool_use_id"); err != nil {
		return nil, err
	}
	if v := c.field("is_error"); v.text != nil {
		if b.IsError = string(v.text) == "true"; !b.IsError && string(v.text) != "false" {
			return nil, at(v.at, "is_error must be true or false")
		}
	}
	said, v := "", c.field("content")
	switch {
	case v.text == nil:
		c.inner = `""`
	case v.text[0] == '"':
		said = unquoted(v)
	default:
		said, named, err = p.inner(c, v)
	}
	b.Content = llm.NewText(llm.Code, said)
	return named, err
}

// inner reads the blocks of a tool's result. One text block is its string.
func (p *parser) inner(c *content, v value) (said string, named []string, err error) {
	items, err := p.items(v, "content")
	if err != nil {
		return "", nil, err
	}
	texts, list := 0, []byte{'['}
	for i, it := range items {
		in, err := p.part(it)
		if err != nil {
			return "", nil, err
		}
		c.whole = c.whole || in.whole || in.form.kind != llm.Text
		switch in.form.kind {
		case llm.Text:
			s, err := in.text("text")
			if err != nil {
				return "", nil, err
			}
			said += s
			texts++
		case llm.ToolReference:
			name, err := in.text("tool_name")
			if err != nil {
				return "", nil, err
			}
			named = append(named, name)
		default:
			said += string(in.appendWritten(nil))
		}
		if in.mark.text != nil && c.mark.text == nil {
			c.mark = in.mark // a marker inside a result lies at its end
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = in.appendWritten(list)
	}
	if c.whole = c.whole || texts != 1; texts != 1 || len(items) > 1 {
		c.inner = string(append(list, ']'))
	} else {
		c.inner = string(llm.AppendQuoted(nil, said))
	}
	return said, named, nil
}

// serverResult reads what a tool of the server answered, as it is written.
func (p *parser) serverResult(b *llm.Block, c *content) (named []string, err error) {
	if b.ID, err = c.id("tool_use_id"); err != nil {
		return nil, err
	}
	b.Name = strings.TrimSuffix(c.typ, resultSuffix)
	if b.Content, err = c.raw("content"); err != nil {
		return nil, err
	}
	var found struct {
		References []struct {
			Name string `json:"tool_name"`
		} `json:"tool_references"`
	}
	if v := c.field("content"); v.text[0] == '{' {
		if err := decode(member{key: "content", value: v}, &found); err != nil {
			return nil, err
		}
	}
	for _, r := range found.References {
		named = append(named, r.Name)
	}
	return named, nil
}

// reference appends the definition of the tool that a block of its own names.
func (p *parser) reference(role llm.Role, c *content) error {
	name, err := c.text("tool_name")
	if err != nil {
		return err
	}
	return p.bring(role, c, []string{name})
}

// bring appends the definitions of deferred tools that c names.
func (p *parser) bring(role llm.Role, c *content, named []string) error {
	for _, name := range named {
		def, ok := p.deferred[name]
		if !ok {
			continue // it stands in front already
		}
		if err := p.append(role, &llm.Block{Kind: llm.ToolReference, Name: name, Content: llm.NewJSON(def)}, value{}); err != nil {
			return err
		}
	}
	return nil
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
