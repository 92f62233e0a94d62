package llm

import (
	"encoding/json"
	"strings"
)

// blockFields are the fields of each kind of content block beside its type; those
// with a question mark may be missing.
var blockFields = map[Kind]string{
	Text:             "text clear_at?",
	Thinking:         "thinking",
	ToolUse:          "id name input",
	ToolResult:       "tool_use_id content? is_error?",
	Image:            "source",
	Document:         "source",
	ServerToolUse:    "id name input",
	ServerToolResult: "tool_use_id content",
	ToolAddition:     "tool",
	ToolRemoval:      "tool",
	ToolReference:    "tool",
	EffortChange:     "effort",
}

// resultSuffix ends the type of a server tool's result; before it stands the
// tool's name.
const resultSuffix = "_tool_result"

// block reads one content block.
func (p *parser) block(at string, raw json.RawMessage) *Block {
	blk := p.kind(at, raw)
	if p.err != nil {
		return blk
	}
	words := strings.Fields(strings.ReplaceAll(blockFields[blk.Kind], "?", ""))
	f := p.fields(at, blk.Kind.String()+" block", raw, append(words, "type")...)
	for _, word := range strings.Fields(blockFields[blk.Kind]) {
		if f[word] == nil && !strings.HasSuffix(word, "?") {
			p.wrong(at, "%s block without %s", blk.Kind, word)
		}
	}
	if p.err == nil {
		p.fill(at, blk, f)
	}
	return blk
}

// kind makes a block of its type alone, which is the name of the tool too where
// that is a server's.
func (p *parser) kind(at string, raw json.RawMessage) *Block {
	typ := ""
	for _, m := range p.members(at, "block", raw) {
		if m.key == "type" {
			typ = p.text(at+".type", m.value)
		}
	}
	if typ == "" {
		p.wrong(at, "block without a type")
	}
	for kind := range blockFields { // order: no two have one name
		if kind.String() == typ {
			return &Block{Kind: kind}
		}
	}
	tool, is := strings.CutSuffix(typ, resultSuffix)
	if !is || tool == "" {
		p.wrong(at+".type", "block of unknown type %q", typ)
	}
	return &Block{Kind: ServerToolResult, Name: tool}
}

// fill takes in a block's fields, which are those of its kind.
func (p *parser) fill(at string, blk *Block, f map[string]json.RawMessage) {
	prose := func(field string) *Payload { return NewText(Prose, p.text(at+"."+field, f[field])) }
	switch blk.Kind {
	case Text:
		blk.Content = prose("text")
		if when := f["clear_at"]; when != nil {
			blk.Kind = Passing
			if string(when) != `"next_user_message"` {
				p.wrong(at+".clear_at", "%s; it must be next_user_message", when)
			}
		}
	case Thinking:
		blk.Content = prose("thinking")
	case EffortChange:
		blk.Content = prose("effort")
	case ToolUse, ServerToolUse:
		blk.ID = p.toolUseID(at+".id", blk.Kind, f["id"])
		blk.Name, blk.Content = p.text(at+".name", f["name"]), p.object(at+".input", f["input"])
	case ToolResult:
		blk.ID, blk.Content = p.toolUseID(at+".tool_use_id", blk.Kind, f["tool_use_id"]), p.result(at+".content", f["content"])
		if v := f["is_error"]; v != nil && json.Unmarshal(v, &blk.IsError) != nil {
			p.wrong(at+".is_error", "it must be true or false")
		}
	case ServerToolResult:
		blk.ID, blk.Content = p.toolUseID(at+".tool_use_id", blk.Kind, f["tool_use_id"]), NewJSON(string(f["content"]))
	case Image, Document:
		blk.Content = p.object(at+".source", f["source"])
	case ToolAddition, ToolRemoval, ToolReference:
		blk.Content = p.object(at+".tool", f["tool"])
	}
}

// result is a tool_result's content: a string, a list of one text block, or none.
func (p *parser) result(at string, raw json.RawMessage) *Payload {
	if raw == nil {
		return NewText(Code, "")
	}
	if raw[0] == '[' {
		items := p.list(at, raw)
		if len(items) != 1 {
			p.wrong(at, "tool_result of %d blocks; the canonical form holds a string or one text block", len(items))
			return nil
		}
		f := p.fields(at, "block", items[0], "type", "text")
		if string(f["type"]) != `"text"` || f["text"] == nil {
			p.wrong(at, "tool_result of something else than text")
			return nil
		}
		raw = f["text"]
	}
	return NewText(Code, p.text(at, raw))
}

// toolUseID reads an id, which begins with srv where a server's tool is used.
func (p *parser) toolUseID(at string, kind Kind, raw json.RawMessage) ToolUseID {
	prefix := ""
	if kind == ServerToolUse || kind == ServerToolResult {
		prefix = "srv"
	}
	s := p.text(at, raw)
	rest, cut := strings.CutPrefix(s, prefix)
	id, ok := ParseToolUseID(rest)
	if !ok || !cut {
		p.wrong(at, "tool use id %q; it must be %stoolu_ and 24 lower-case hex digits", s, prefix)
	}
	return id
}
