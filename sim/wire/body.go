package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// Rules are what becomes of some forms on their way to the model, as a set.
type Rules uint8

// The rules.
const (
	// StringIsBlock: a string is one text block.
	StringIsBlock Rules = 1 << iota
	// BillingAside: a first system block that begins with billingPrefix is no part of
	// the prompt, all of it. Elsewhere it counts.
	BillingAside
	// DeferredAside: a tool with defer_loading is no part of the prefix; its definition
	// stands where a tool_reference names it.
	DeferredAside
	// SignatureOnly: a thinking block is its signature, whether its text is there or
	// not.
	SignatureOnly
)

// billingPrefix begins the line with which Claude Code tells the vendor about
// itself. The vendor strips it when it is first.
const billingPrefix = "x-anthropic-billing-header:"

// Options say how a body is read. The zero value reads a request as the provider
// does.
type Options struct {
	Strict  bool  // refuse what is not known
	Logged  bool  // a client's file of what it sent: take off what it adds
	Literal Rules // these do not hold: what they are about counts as it is written
	Scope   llm.Scope
	Seen    *Seen // of bodies that came before, nil for none; Salts may be others
	// Salts are the salts of a model's settings; nil for none, which compares blocks
	// alone.
	Salts func(model string, s llm.Settings) llm.Salts
}

func (o *Options) holds(r Rules) bool { return o.Literal&r == 0 }

// Unread is something unknown that was kept as bytes.
type Unread struct {
	What  string // such as block type
	Name  string // as the body has it
	Count int
	At    int // byte, from 0, where it was met first
}

// maxUnread is how many unknown things of a body are told apart.
const maxUnread = 100

func (u *Unread) String() string { return u.What + ": " + u.Name }

// Body is a request as a client sent it.
type Body struct {
	Model       string // "" when it names none
	MaxTokens   int64
	Head        *llm.Node // the last block
	Settings    llm.Settings
	Breakpoints []llm.Breakpoint // explicit markers in order, however many
	Automatic   bool
	AutoTTL     llm.TTL
	Billing     string   // the billing line, which is no part of the prompt
	Betas       []string // that a file of the body names
	Deferred    []string // names of tools that are no part of the prefix
	Fields      []Field  // beside tools, system and messages, by name
	Unread      []Unread // in the order in which they were met
	// Written is each block as it is written, by its position less one: an object, or
	// the string that is a content by itself. It keeps the whole body in memory.
	Written [][]byte
	spots   []spot // of the same blocks
}

// spot is where a block is in the body: the index of its tool, system block or message,
// and that in the message's content; -1 where there is no list.
type spot struct{ item, part int }

// Path is where one of the body's blocks is in it: messages[3].content[1].
func (b *Body) Path(n *llm.Node) string {
	s := b.spots[n.Pos-1]
	path := n.Level.String()
	if s.item >= 0 {
		path += "[" + strconv.Itoa(s.item) + "]"
	}
	switch {
	case n.Level != llm.Messages || n.Block.Kind == llm.EffortChange || n.Block.Kind == llm.Opaque && n.Block.Name == "message":
		return path
	case s.part < 0:
		return path + ".content"
	}
	return path + ".content[" + strconv.Itoa(s.part) + "]"
}

// Differs is the first byte in which a block of the body, as it is written, is another
// than a block of an earlier one that is in its place; 0 where the role alone is.
func (b *Body) Differs(was, is *llm.Node) int64 {
	x, y := was.Block.AppendJSON(nil), is.Block.AppendJSON(nil)
	at := 0
	for at < min(len(x), len(y)) && x[at] == y[at] {
		at++
	}
	if at == len(y) {
		return 0
	}
	return int64(Place(y, b.Written[is.Pos-1], at))
}

// Notes are what a reader of figures must know of how the body was read, a line
// each.
func (b *Body) Notes() (out []string) {
	if b.Billing != "" {
		out = append(out, "the billing line is no part of the prompt")
	}
	if n := len(b.Deferred); n > 0 {
		out = append(out, fmt.Sprintf("deferred tools (%d) are no part of the prefix until they are named", n))
	}
	for _, f := range b.Fields {
		if f.Treatment == NotModelled {
			out = append(out, fmt.Sprintf("%s is %v", f.Name, f.Treatment))
		}
	}
	for _, u := range b.Unread {
		out = append(out, fmt.Sprintf("unknown %v (%d, from byte %d)", &u, u.Count, u.At))
	}
	return out
}

// keyed are the fields beside the blocks that a cached prefix belongs to.
var keyed = [...]string{"model", "speed", "thinking", "output_config", "output_format", "tool_choice"}

// Changed names the fields beside the blocks in which o differs and that a cached
// prefix belongs to, the model first.
func (b *Body) Changed(o *Body) (out []string) {
	for _, name := range keyed {
		if b.value(name) != o.value(name) {
			out = append(out, name)
		}
	}
	return out
}

// Beside names the fields in which o differs of which it is not known what they do to a
// cached prefix: those that are not modelled, where the request is served, and whether any
// that the API does not have are others.
func (b *Body) Beside(o *Body) (out []string) {
	names := map[string]bool{}
	for _, f := range slices.Concat(b.Fields, o.Fields) {
		names[f.Name] = f.Treatment == Unknown
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch unknown := names[name]; {
		case b.value(name) == o.value(name):
		case unknown && !slices.Contains(out, UnknownField):
			out = append(out, UnknownField)
		case !unknown && (treatments[name] == NotModelled || name == "inference_geo"):
			out = append(out, name)
		}
	}
	return out
}

// UnknownField stands for the names of fields that the API does not have.
const UnknownField = "unknown field"

func (b *Body) value(name string) string {
	for _, f := range b.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// ToolUseID is the number by which blocks of a chain name a tool use.
func ToolUseID(s string) llm.ToolUseID {
	if id, ok := llm.ParseToolUseID(s); ok {
		return id
	}
	return llm.NewToolUseID(rng.Root(0).Sub(s))
}

// Read reads the body of a request.
//
// A body that is compressed by gzip is read as what it expands to, of which at most
// MaxBytes; offsets in errors are in that.
func Read(b *llm.Builder, data []byte, opt Options) (*Body, error) {
	data, err := plain(data)
	if err != nil {
		return nil, err
	}
	if err := check(data); err != nil {
		return nil, err
	}
	p := &parser{body: &Body{}, opt: &opt, build: b, deferred: map[string]*llm.Block{}}
	whole := bytes.TrimLeft(data, " \t\r\n")
	top := p.members(value{bytes.TrimRight(whole, " \t\r\n"), len(data) - len(whole)}, "the request")
	p.fields(top)
	p.blocks(top)
	if p.err != nil {
		return nil, p.err
	}
	p.body.Head = p.head
	return p.body, nil
}

// blocks appends tools, system and messages to a new chain.
func (p *parser) blocks(top []member) {
	var parts [3]value
	for _, m := range top {
		for l := llm.Tools; l <= llm.Messages; l++ {
			if m.key == l.String() && string(m.text) != "null" {
				parts[l] = m.value
			}
		}
	}
	if parts[llm.Messages].text == nil {
		p.fail(0, "the request has no messages")
		return
	}
	p.images(parts[llm.Messages].text)
	var salts llm.Salts
	if p.opt.Salts != nil {
		salts = p.opt.Salts(p.body.Model, p.body.Settings)
	}
	p.head = p.build.Root(p.opt.Scope, salts)
	p.tools(parts[llm.Tools])
	p.head = p.build.Border(p.head, llm.System, salts)
	p.system(parts[llm.System])
	p.head = p.build.Border(p.head, llm.Messages, salts)
	for i, it := range p.items(parts[llm.Messages], "messages") {
		p.spot = spot{i, -1}
		p.once(llm.Messages, it, func() { p.message(it) })
	}
}

// images notes whether there are any, which is a setting of the whole request. A
// text that quotes such a block has its quotes escaped.
func (p *parser) images(messages []byte) {
	var short bytes.Buffer
	if bytes.Contains(messages, []byte(`"image"`)) && json.Compact(&short, messages) == nil {
		p.body.Settings.Images = bytes.Contains(short.Bytes(), []byte(`"type":"image"`))
	}
}

// unknown counts something that is kept as bytes, or refuses it.
func (p *parser) unknown(what, name string, offset int) {
	p.alone = true
	if p.err == nil && p.opt.Strict {
		p.err = &Error{Offset: offset, Unknown: true, format: "unknown %s: %s", args: []any{what, word(name)}}
	}
	if len(p.body.Unread) >= maxUnread {
		what, name = "thing", "others"
	}
	for i := range p.body.Unread {
		if u := &p.body.Unread[i]; u.What == what && u.Name == name {
			u.Count++
			return
		}
	}
	p.body.Unread = append(p.body.Unread, Unread{what, name, 1, offset})
}

// tools appends the definitions that are part of the prefix.
func (p *parser) tools(v value) {
	if v.text == nil {
		return
	}
	items := p.items(v, "tools")
	for i, it := range items {
		p.spot = spot{i, -1}
		p.once(llm.Tools, it, func() { p.tool(it) })
	}
	if len(p.deferred) > 0 && len(p.deferred) == len(items) {
		p.fail(v.at, "all tools are deferred; at least one must not be")
	}
}

// tool appends one definition, whose bytes are kept but for what changes no token.
func (p *parser) tool(v value) {
	p.written = v
	members := p.members(v, "a tool")
	var name, kind string
	aside, mark := false, value{}
	for _, m := range members {
		switch m.key {
		case "name":
			name = p.text(m.value, "name")
		case "type":
			kind = p.text(m.value, "type")
		case "defer_loading":
			aside = string(m.text) == "true" && p.opt.holds(DeferredAside)
		case "cache_control":
			mark = m.value
		}
	}
	for _, r := range refusedTools {
		if strings.HasPrefix(kind, r) {
			p.fail(v.at, "a tool of type %s, which the server runs itself: that is not simulated", word(kind))
		}
	}
	p.only("a tool", members)
	if kind != "" && !slices.Contains(toolTypes, kind) {
		p.unknown("tool type", kind, v.at)
	}
	if name = cmp.Or(name, kind); name == "" { // a set of tools has its type alone
		p.fail(v.at, "a tool without a name")
	}
	if p.err != nil {
		return
	}
	def := without(v, members, func(key string) bool {
		return key == "cache_control" || key == "eager_input_streaming" || key == "defer_loading" && p.opt.holds(DeferredAside)
	})
	if aside {
		p.alone = true
		p.deferred[name] = &llm.Block{Kind: llm.ToolReference, Name: name, Content: llm.NewJSON(def)}
		p.body.Deferred = append(p.body.Deferred, name)
		if mark.text != nil {
			p.fail(mark.at, "tool %q is deferred and marked with cache_control; it can be one of the two", word(name))
		}
		return
	}
	p.append(llm.NoRole, &llm.Block{Kind: llm.ToolDef, Name: name, Content: llm.NewJSON(def)}, mark)
}

// append adds a block to the chain, and a breakpoint where it is marked.
func (p *parser) append(role llm.Role, b *llm.Block, mark value) {
	if p.err != nil {
		return
	}
	p.head = p.build.Append(p.head, role, b)
	p.body.Written, p.body.spots = append(p.body.Written, p.written.text), append(p.body.spots, p.spot)
	if p.opt.Seen != nil {
		p.appended = append(p.appended, seenBlock{role, b, p.reading.span(p.written), p.reading.span(mark), p.spot.part})
	}
	if mark.text != nil && string(mark.text) != "null" {
		p.body.Breakpoints = append(p.body.Breakpoints, llm.Breakpoint{Node: p.head, TTL: p.lifetime(mark)})
	}
}

// system appends the system prompt, without a billing line at its front.
func (p *parser) system(v value) {
	p.spot = spot{-1, -1}
	switch v.first() {
	case 0:
		return
	case '"':
		p.once(llm.System, v, func() { p.content(llm.NoRole, v) })
		return
	}
	for i, it := range p.items(v, "system") {
		p.spot.item = i
		if line := p.billing(it); i == 0 && line != "" && p.opt.holds(BillingAside) {
			p.body.Billing = line
			continue
		}
		p.once(llm.System, it, func() { p.block(llm.NoRole, it) })
	}
}

// billing is a block's text where that is a billing line.
func (p *parser) billing(v value) string {
	var b struct{ Text string }
	if !bytes.Contains(v.text, []byte(billingPrefix)) || json.Unmarshal(v.text, &b) != nil || !strings.HasPrefix(b.Text, billingPrefix) {
		return ""
	}
	return b.Text
}

// message appends one message's blocks.
func (p *parser) message(v value) {
	p.written = v // of what stands in no block
	members := p.members(v, "a message")
	role, content := llm.NoRole, value{}
	var settings member
	for _, m := range members {
		switch m.key {
		case "role":
			role = p.role(m.value)
		case "content":
			content = m.value
		case "output_config", "output_format":
			settings = m
		case "clear_at": // whether later requests show the message
			p.passing(m)
		default:
			p.unknown("field of a message", m.key, m.at)
		}
	}
	if role == llm.NoRole {
		p.fail(v.at, "a message without a role")
	}
	p.beside(role, members)
	before := p.head
	if content.text != nil {
		p.content(role, content)
	}
	if settings.text == nil {
		if p.head == before {
			p.fail(v.at, "a message without content; give a string or at least one block")
		}
	} else if e := p.effort(settings); e != "" {
		p.written = v
		p.append(role, &llm.Block{Kind: llm.EffortChange, Content: llm.NewText(llm.Prose, e)}, value{})
	}
}

// passing notes that a message is not shown for good, once, behind the body's own fields.
func (p *parser) passing(m member) {
	p.alone = true
	f, n := Field{m.key, NotModelled, compact(m.value)}, len(p.body.Fields)
	told := n > 0 && p.body.Fields[n-1].Name == f.Name && p.body.Fields[n-1].Treatment == f.Treatment
	if !told && string(m.text) != `"never"` {
		p.body.Fields = append(p.body.Fields, f)
	}
}

// beside appends a message's unknown fields, ahead of its blocks.
func (p *parser) beside(role llm.Role, members []member) {
	extra := []byte(`{"type":"message"`)
	begun := len(extra)
	for _, m := range members {
		switch m.key {
		case "role", "content", "output_config", "output_format":
		default:
			extra = appendMember(extra, m.key, m.value)
		}
	}
	if len(extra) > begun {
		p.append(role, &llm.Block{Kind: llm.Opaque, Name: "message", Content: llm.NewJSON(string(append(extra, '}')))}, value{})
	}
}

func (p *parser) role(v value) llm.Role {
	s := p.text(v, "role")
	for r := llm.User; r <= llm.Operator; r++ {
		if s == r.String() {
			return r
		}
	}
	p.fail(v.at, "role %q; it must be user, assistant or system", word(s))
	return llm.NoRole
}

// content appends a string, as one text block, or a list of blocks.
func (p *parser) content(role llm.Role, v value) {
	if v.first() == '"' {
		p.written = v
		b := &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, unquoted(v))}
		if !p.opt.holds(StringIsBlock) {
			b.Content = llm.NewWhole(string(v.text), b.Content)
		}
		p.append(role, b, value{})
		return
	}
	if v.first() != '[' {
		p.fail(v.at, "content must be a string or a list of blocks")
	}
	for i, it := range p.items(v, "content") {
		p.spot.part = i
		p.block(role, it)
	}
}

// compact is a value without white space.
func compact(v value) string {
	var b bytes.Buffer
	json.Compact(&b, v.text) // it is JSON
	return b.String()
}
