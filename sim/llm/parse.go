package llm

import (
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
// An error names the byte offset, from 0, and what was expected there. Fields
// that the canonical form does not know are errors, since dropping them would
// give two requests one identity.
func ParseRequest(b *Builder, scope Scope, salts Salts, data []byte) (*Node, error) {
	p := parser{data: data}
	if err := p.syntax(); err != nil {
		return nil, err
	}
	f, err := p.fields(p.value(0), "request", "tools", "system", "messages")
	if err != nil {
		return nil, err
	}
	tools, system, messages := f[0], f[1], f[2]
	n := b.Root(scope, salts)
	if n, err = p.tools(b, n, tools); err != nil {
		return nil, err
	}
	n = b.Border(n, System, salts)
	if n, err = p.content(b, n, NoRole, system); err != nil {
		return nil, err
	}
	return p.messages(b, b.Border(n, Messages, salts), messages)
}

// span is where a value stands in the data; the zero span is no value.
type span struct{ from, to int }

func (s span) absent() bool { return s.to == 0 }

// parser walks data whose syntax has been checked.
type parser struct{ data []byte }

func at(offset int, format string, args ...any) error {
	return fmt.Errorf("request byte %d: %w", offset, fmt.Errorf(format, args...))
}

// syntax checks that the data is UTF-8 and one JSON value.
func (p *parser) syntax() error {
	for i := 0; i < len(p.data); {
		r, n := utf8.DecodeRune(p.data[i:])
		if r == utf8.RuneError && n == 1 {
			return at(i, "not UTF-8; a request is UTF-8 JSON")
		}
		i += n
	}
	var raw json.RawMessage
	err := json.Unmarshal(p.data, &raw)
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return at(max(int(syn.Offset)-1, 0), "not JSON: %v", syn)
	}
	return err
}

// tools appends each element of the tools array as a definition.
func (p *parser) tools(b *Builder, n *Node, v span) (*Node, error) {
	if v.absent() {
		return n, nil
	}
	items, err := p.items(v, "tools")
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		raw, name, err := p.definition(it)
		if err != nil {
			return nil, err
		}
		n = b.Append(n, NoRole, &Block{Kind: ToolDef, Name: name, Content: NewJSON(raw)})
	}
	return n, nil
}

// definition is a tool definition's bytes, without a cache_control member, and
// its name.
func (p *parser) definition(v span) (raw, name string, err error) {
	members, err := p.members(v, "tool definition")
	if err != nil {
		return "", "", err
	}
	raw = string(p.data[v.from:v.to])
	for i, m := range members {
		switch m.key {
		case "name":
			if name, err = p.text(m.value, "name"); err != nil {
				return "", "", err
			}
		case "cache_control":
			from, to := m.at, m.value.to
			if i > 0 {
				from = members[i-1].value.to // with the comma before it
			} else if len(members) > 1 {
				to = members[1].at // with the comma behind it
			}
			raw = string(p.data[v.from:from]) + string(p.data[to:v.to])
		}
	}
	if name == "" {
		return "", "", at(v.from, "tool definition without a name")
	}
	return raw, name, nil
}

// messages appends every message's blocks.
func (p *parser) messages(b *Builder, n *Node, v span) (*Node, error) {
	if v.absent() {
		return n, nil
	}
	items, err := p.items(v, "messages")
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		f, err := p.fields(it, "message", "role", "content")
		if err != nil {
			return nil, err
		}
		role, err := p.role(f[0], it)
		if err != nil {
			return nil, err
		}
		pos := n.Pos
		if n, err = p.content(b, n, role, f[1]); err != nil {
			return nil, err
		}
		if n.Pos == pos {
			return nil, at(it.from, "message without content; give a string or at least one block")
		}
	}
	return n, nil
}

func (p *parser) role(v, message span) (Role, error) {
	if v.absent() {
		return NoRole, at(message.from, "message without a role")
	}
	s, err := p.text(v, "role")
	if err != nil {
		return NoRole, err
	}
	for _, r := range [...]Role{User, Assistant, Operator} {
		if s == r.String() {
			return r, nil
		}
	}
	return NoRole, at(v.from, "role %q; it must be user, assistant or system", s)
}

// content appends a string, as one text block, or a list of blocks.
func (p *parser) content(b *Builder, n *Node, role Role, v span) (*Node, error) {
	if v.absent() {
		return n, nil
	}
	if p.data[v.from] == '"' {
		s, err := p.text(v, "content")
		return b.Append(n, role, &Block{Kind: Text, Content: NewText(Prose, s)}), err
	}
	if p.data[v.from] != '[' {
		return nil, at(v.from, "content must be a string or a list of blocks")
	}
	items, err := p.items(v, "content")
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		blk, err := p.block(it)
		if err != nil {
			return nil, err
		}
		n = b.Append(n, role, blk)
	}
	return n, nil
}

// The fields of content blocks, in the order in which fields returns them.
const (
	fType = iota
	fText
	fThinking
	fID
	fName
	fInput
	fToolUseID
	fContent
	fIsError
	fSource
	fTool
	fEffort
	fClearAt
	numFields
)

var fieldNames = [numFields]string{"type", "text", "thinking", "id", "name", "input", "tool_use_id", "content", "is_error", "source",
	"tool", "effort", "clear_at"}

// kindFields lists each kind's fields; those of optional may be missing.
var kindFields = [...]struct {
	kind               Kind
	required, optional []int
}{
	{Text, []int{fText}, []int{fClearAt}},
	{Thinking, []int{fThinking}, nil},
	{ToolUse, []int{fID, fName, fInput}, nil},
	{ToolResult, []int{fToolUseID}, []int{fContent, fIsError}},
	{Image, []int{fSource}, nil},
	{Document, []int{fSource}, nil},
	{ServerToolUse, []int{fID, fName, fInput}, nil},
	{ServerToolResult, []int{fToolUseID, fContent}, nil},
	{ToolAddition, []int{fTool}, nil},
	{ToolRemoval, []int{fTool}, nil},
	{ToolReference, []int{fTool}, nil},
	{EffortChange, []int{fEffort}, nil},
}

// block reads one content block.
func (p *parser) block(v span) (*Block, error) {
	f, err := p.fields(v, "block", fieldNames[:]...)
	if err != nil {
		return nil, err
	}
	blk := &Block{}
	if blk.Kind, err = p.kind(v, f); err != nil {
		return nil, err
	}
	switch blk.Kind {
	case Text:
		blk.Content, err = p.payload(f[fText], "text", Prose)
		if err == nil && !f[fClearAt].absent() {
			blk.Kind, err = Passing, p.clearAt(f[fClearAt])
		}
	case Thinking:
		blk.Content, err = p.payload(f[fThinking], "thinking", Prose)
	case ToolUse:
		err = p.toolUse(blk, f)
	case ToolResult:
		err = p.toolResult(blk, f)
	case Image, Document:
		blk.Content, err = p.object(f[fSource], "source")
	default:
		err = p.later(blk, f)
	}
	return blk, err
}

// kind reads the type and checks that the block has this kind's fields and no
// others.
func (p *parser) kind(v span, f []span) (Kind, error) {
	if f[fType].absent() {
		return 0, at(v.from, "block without a type")
	}
	s, err := p.text(f[fType], "type")
	if err != nil {
		return 0, err
	}
	if strings.HasSuffix(s, resultSuffix) && s != resultSuffix {
		s = ServerToolResult.String()
	}
	for _, k := range kindFields {
		if k.kind.String() != s {
			continue
		}
		for i := fText; i < numFields; i++ {
			switch required := slices.Contains(k.required, i); {
			case required && f[i].absent():
				return 0, at(v.from, "%s block without %s", s, fieldNames[i])
			case !required && !f[i].absent() && !slices.Contains(k.optional, i):
				return 0, at(f[i].from, "%s in a %s block, which has no such field", fieldNames[i], s)
			}
		}
		return k.kind, nil
	}
	return 0, at(f[fType].from, "block of unknown type %q", s)
}

func (p *parser) toolUse(blk *Block, f []span) (err error) {
	if blk.ID, err = p.toolUseID(f[fID]); err != nil {
		return err
	}
	if blk.Name, err = p.text(f[fName], "name"); err != nil {
		return err
	}
	blk.Content, err = p.object(f[fInput], "input")
	return err
}

func (p *parser) toolResult(blk *Block, f []span) (err error) {
	if blk.ID, err = p.toolUseID(f[fToolUseID]); err != nil {
		return err
	}
	if v := f[fIsError]; !v.absent() {
		switch string(p.data[v.from:v.to]) {
		case "true":
			blk.IsError = true
		case "false":
		default:
			return at(v.from, "is_error must be true or false")
		}
	}
	v := f[fContent]
	if v.absent() {
		blk.Content = NewText(Code, "")
		return nil
	}
	if p.data[v.from] == '[' {
		if v, err = p.onlyText(v); err != nil {
			return err
		}
	}
	blk.Content, err = p.payload(v, "content", Code)
	return err
}

// onlyText is the text of a tool_result's content that is a list of one text
// block.
func (p *parser) onlyText(v span) (span, error) {
	items, err := p.items(v, "content")
	if err != nil {
		return span{}, err
	}
	if len(items) != 1 {
		return span{}, at(v.from, "tool_result of %d blocks; the canonical form holds a string or one text block", len(items))
	}
	f, err := p.fields(items[0], "block", "type", "text")
	if err != nil {
		return span{}, err
	}
	if f[0].absent() || f[1].absent() || string(p.data[f[0].from:f[0].to]) != `"text"` {
		return span{}, at(items[0].from, "tool_result of something else than text")
	}
	return f[1], nil
}

func (p *parser) toolUseID(v span) (ToolUseID, error) {
	s, err := p.text(v, "id")
	if err != nil {
		return ToolUseID{}, err
	}
	id, ok := ParseToolUseID(s)
	if !ok {
		return id, at(v.from, "tool use id %q; it must be toolu_ and 24 lower-case hex digits", s)
	}
	return id, nil
}

func (p *parser) payload(v span, what string, c Class) (*Payload, error) {
	s, err := p.text(v, what)
	return NewText(c, s), err
}

// object is a value kept byte for byte; it must be a JSON object.
func (p *parser) object(v span, what string) (*Payload, error) {
	if p.data[v.from] != '{' {
		return nil, at(v.from, "%s must be an object", what)
	}
	return NewJSON(string(p.data[v.from:v.to])), nil
}
