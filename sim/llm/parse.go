package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ParseRequest reads a whole request, as AppendRequest writes it or as a client
// would, back into a chain and returns its last node (the messages border when
// there are no messages). Scope and salts stand in no block, so they are given.
//
// Forms that mean one thing become one chain: a string content and one text
// block, adjacent messages of one role and one message, keys in any order, any
// escaping of the same text, cache_control or none. Tool definitions and
// tool_use inputs keep their bytes. Content classes do not stand in the bytes:
// results of tools are taken for code, other text for prose.
//
// An error names the place, such as messages[2].content[0], and what was expected
// there. Fields that the canonical form does not know are errors, since dropping
// them would give two requests one identity.
func ParseRequest(b *Builder, scope Scope, salts Salts, data []byte) (*Node, error) {
	if err := syntax(data); err != nil {
		return nil, err
	}
	p := parser{b: b, n: b.Root(scope, salts)}
	req := p.fields("request", "request", data, "tools", "system", "messages")
	for i, def := range p.list("tools", req["tools"]) {
		p.definition(fmt.Sprintf("tools[%d]", i), def)
	}
	p.n = b.Border(p.n, System, salts)
	p.content("system", NoRole, req["system"])
	p.n = b.Border(p.n, Messages, salts)
	for i, m := range p.list("messages", req["messages"]) {
		p.message(fmt.Sprintf("messages[%d]", i), m)
	}
	return p.n, p.err
}

// syntax checks that the data is UTF-8 and one JSON value.
func syntax(data []byte) error {
	for i, r := range string(data) {
		if r == utf8.RuneError && !bytes.HasPrefix(data[i:], []byte("\uFFFD")) {
			return fmt.Errorf("request byte %d: not UTF-8; a request is UTF-8 JSON", i)
		}
	}
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return fmt.Errorf("request byte %d: not JSON: %v", max(syn.Offset-1, 0), syn)
	}
	return err
}

// parser appends blocks to the chain that ends with n. It goes on after a mistake,
// with values that mean nothing.
type parser struct {
	b   *Builder
	n   *Node
	err error // the first
}

func (p *parser) wrong(at, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %s", at, fmt.Sprintf(format, args...))
	}
}

func (p *parser) append(role Role, blk *Block) {
	if p.err == nil {
		p.n = p.b.Append(p.n, role, blk)
	}
}

// member is a key and value of an object, and where its bytes end there.
type member struct {
	key   string
	value json.RawMessage
	end   int64
}

// members lists an object's members; what calls the object in errors.
func (p *parser) members(at, what string, raw json.RawMessage) (out []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := d.Token(); open != json.Delim('{') {
		p.wrong(at, "%s must be an object", what)
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		var m member
		key, _ := d.Token() // the syntax has been checked
		m.key, _ = key.(string)
		_ = d.Decode(&m.value)
		m.end = d.InputOffset()
		if seen[m.key] {
			p.wrong(at, "%s has %q twice", what, m.key)
		}
		seen[m.key] = true
		out = append(out, m)
	}
	return out
}

// fields are the values of an object's members, of which it may have those of
// names and, everywhere, cache_control, which is left out.
func (p *parser) fields(at, what string, raw json.RawMessage, names ...string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, m := range p.members(at, what, raw) {
		switch {
		case slices.Contains(names, m.key):
			out[m.key] = m.value
		case m.key != "cache_control":
			p.wrong(at, "%s has no field %q in the canonical form", what, m.key)
		}
	}
	return out
}

// list is an array's elements; none of what is not there.
func (p *parser) list(at string, raw json.RawMessage) (out []json.RawMessage) {
	if raw != nil && (raw[0] != '[' || json.Unmarshal(raw, &out) != nil) {
		p.wrong(at, "it must be a list")
	}
	return out
}

// text is a string value, unescaped.
func (p *parser) text(at string, raw json.RawMessage) (s string) {
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		p.wrong(at, "it must be a string")
	}
	return s
}

// object is a value kept byte for byte; it must be a JSON object.
func (p *parser) object(at string, raw json.RawMessage) *Payload {
	if raw[0] != '{' {
		p.wrong(at, "it must be an object")
	}
	return NewJSON(string(raw))
}

// definition appends a tool definition, byte for byte but for a cache_control
// member.
func (p *parser) definition(at string, raw json.RawMessage) {
	text, name, from := "{", "", int64(1)
	for _, m := range p.members(at, "tool definition", raw) {
		bytes := string(raw[from:m.end])
		from = m.end
		switch {
		case m.key == "cache_control":
			continue
		case m.key == "name":
			name = p.text(at+".name", m.value)
		}
		if text == "{" { // what stood before it may be gone
			bytes = strings.TrimLeft(bytes, ", \t\r\n")
		}
		text += bytes
	}
	if name == "" {
		p.wrong(at, "tool definition without a name")
		return
	}
	p.append(NoRole, &Block{Kind: ToolDef, Name: name, Content: NewJSON(text + string(raw[from:]))})
}

// message appends a message's blocks.
func (p *parser) message(at string, raw json.RawMessage) {
	f := p.fields(at, "message", raw, "role", "content")
	role := NoRole
	switch word := f["role"]; string(word) {
	case `"user"`:
		role = User
	case `"assistant"`:
		role = Assistant
	case `"system"`:
		role = Operator
	case "":
		p.wrong(at, "message without a role")
	default:
		p.wrong(at+".role", "%s; it must be user, assistant or system", word)
	}
	pos := p.n.Pos
	if p.content(at+".content", role, f["content"]); p.n.Pos == pos {
		p.wrong(at, "message without content; give a string or at least one block")
	}
}

// content appends a string, as one text block, or a list of blocks.
func (p *parser) content(at string, role Role, raw json.RawMessage) {
	switch {
	case raw == nil:
	case raw[0] == '"':
		p.append(role, &Block{Kind: Text, Content: NewText(Prose, p.text(at, raw))})
	case raw[0] != '[':
		p.wrong(at, "it must be a string or a list of blocks")
	default:
		for i, blk := range p.list(at, raw) {
			p.append(role, p.block(fmt.Sprintf("%s[%d]", at, i), blk))
		}
	}
}
