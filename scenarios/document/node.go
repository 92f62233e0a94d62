package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Elements are the elements of a list, none of anything else.
func (n *Node) Elements() []*Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// Limits bound the text of a document, so that a hostile file costs little.
type Limits struct {
	Of     string // what a document is, for messages
	Bytes  int
	Tokens int    // YAML tokens
	Depth  int    // levels of nesting
	Keys   int    // of one mapping: the YAML parser's time grows with their square; 0 is no bound
	Large  string // what to write in place of a large text
	Empty  string // what to write in an empty file; "" takes it for an empty mapping
}

// Kind is the shape of a node.
type Kind uint8

// The kinds.
const (
	Null   Kind = iota // nothing
	String             // quoted, or plain text that is no other scalar
	Int                // digits
	Float              // a fraction; .nan and .inf too
	Bool               // true or false
	Map                // a mapping
	List               // a list
)

var kindNames = [...]string{"nothing", "text", "a number", "a fraction", "true or false", "a mapping", "a list"}

func (k Kind) String() string { return kindNames[k] }

// Node is a YAML value with its place. Nodes are shared between trees and never
// changed once built.
type Node struct {
	Kind  Kind
	Text  string // of a scalar, as written or unquoted
	Quote bool
	Plain int // columns from Pos to the text's first character; -1 where the text is not on the line as it is
	Pairs []Pair
	Items []*Node
	Pos   Pos
}

// Pair is one entry of a mapping.
type Pair struct {
	Key string
	Pos Pos
	Val *Node
}

// Get is the value of a key, nil without one.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Pairs {
		if n.Pairs[i].Key == key {
			return n.Pairs[i].Val
		}
	}
	return nil
}

// Parse reads one YAML document. Anchors, aliases, tags, merges and further
// documents are refused: a document says each thing where it is.
func (l *Limits) Parse(src *Source, text string) (*Node, *Error) {
	if err := l.Check(src, text); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(text)
	if err := l.checkTokens(src, tokens); err != nil {
		return nil, err
	}
	file, err := parseTokens(src, tokens)
	if err != nil {
		return nil, err
	}
	b := &builder{src: src, limits: l}
	return b.document(file)
}

// grouped writes a number with a comma before each three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// costly is an error about a document that is refused for what reading it costs.
func costly(p Pos, hint, format string, args ...any) *Error {
	e := NewError(p, fmt.Sprintf(format, args...), hint)
	e.Costly = true
	return e
}

// Check refuses a text that is too large or is none.
func (l *Limits) Check(src *Source, text string) *Error {
	if len(text) > l.Bytes {
		return costly(Pos{src, 1, 1}, l.Large, "the file is larger than %d KiB", l.Bytes>>10)
	}
	for i, line := range src.Lines {
		if valid := len(line); !utf8.ValidString(line) {
			for !utf8.ValidString(line[:valid]) {
				valid--
			}
			return NewError(Pos{src, i + 1, utf8.RuneCountInString(line[:valid]) + 1}, "this is not UTF-8 text", "save the file as UTF-8")
		}
	}
	return nil
}

func at(src *Source, t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{src, 1, 1}
	}
	return Pos{src, t.Position.Line, t.Position.Column}
}

var refused = map[token.Type]string{
	token.AnchorType:     "anchors (&)",
	token.AliasType:      "aliases (*)",
	token.MergeKeyType:   "merge keys (<<)",
	token.TagType:        "tags (!)",
	token.DirectiveType:  "directives (%)",
	token.MappingKeyType: "complex keys (?)",
}

// checkTokens refuses what a document never needs and bounds the nesting before
// the recursive parser sees it.
func (l *Limits) checkTokens(src *Source, tokens token.Tokens) *Error {
	if len(tokens) > l.Tokens {
		return costly(Pos{src, 1, 1}, "", "more than %s YAML tokens", grouped(l.Tokens))
	}
	var d depth
	for _, t := range tokens {
		if what := refused[t.Type]; what != "" {
			return NewError(at(src, t), what+" are not part of a "+l.Of, "write the value out, or put text that begins so in quotes")
		}
		if d.step(t) > l.Depth {
			return costly(at(src, t), "", "nested more than %d levels deep", l.Depth)
		}
		if l.Keys > 0 && d.keys() > l.Keys {
			return costly(at(src, t), "", "a mapping of more than %s keys", grouped(l.Keys))
		}
	}
	return nil
}

// depth follows the nesting of block and flow collections through the tokens.
type depth struct {
	blocks  []level // the lines that enclose this one
	flows   []level // open brackets
	line    int
	entries int // "- " on this line
}

// level is one level of nesting and how many keys it has so far.
type level struct{ column, keys int }

// step takes the next token and returns how deep it stands.
func (d *depth) step(t *token.Token) int {
	if t.Position.Line != d.line && t.Position.Column > 0 && t.Type != token.CommentType { // block text has no column
		d.newLine(t)
	}
	switch t.Type {
	case token.SequenceEntryType:
		d.entries++
	case token.SequenceStartType, token.MappingStartType:
		d.flows = append(d.flows, level{})
	case token.SequenceEndType, token.MappingEndType:
		d.flows = d.flows[:max(len(d.flows)-1, 0)]
	case token.MappingValueType:
		d.innermost().keys++
	}
	return len(d.blocks) + d.entries + len(d.flows)
}

func (d *depth) newLine(t *token.Token) {
	d.line, d.entries = t.Position.Line, 0
	for len(d.blocks) > 0 && d.blocks[len(d.blocks)-1].column > t.Position.Column {
		d.blocks = d.blocks[:len(d.blocks)-1]
	}
	if len(d.blocks) == 0 || d.blocks[len(d.blocks)-1].column < t.Position.Column {
		d.blocks = append(d.blocks, level{column: t.Position.Column})
	}
	if t.Type == token.SequenceEntryType { // a key behind the dash begins a mapping of its own
		d.blocks[len(d.blocks)-1].keys = 0
	}
}

func (d *depth) innermost() *level {
	if n := len(d.flows); n > 0 {
		return &d.flows[n-1]
	}
	return &d.blocks[len(d.blocks)-1]
}

func (d *depth) keys() int {
	if len(d.blocks) == 0 {
		return 0
	}
	return d.innermost().keys
}

// parseTokens runs the YAML parser. A panic of the parser on odd input is the
// input's fault here, and told as such.
func parseTokens(src *Source, tokens token.Tokens) (file *ast.File, bad *Error) {
	defer func() {
		if recover() != nil {
			file, bad = nil, NewError(Pos{src, 1, 1}, "this is not YAML that can be read", "")
		}
	}()
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	located, ok := err.(interface {
		GetMessage() string
		GetToken() *token.Token
	})
	if !ok {
		return nil, NewError(Pos{src, 1, 1}, "bad YAML: "+firstLine(err.Error()), "")
	}
	p, msg := at(src, located.GetToken()), firstLine(located.GetMessage())
	if line := src.Lines[min(p.Line, len(src.Lines))-1]; strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		return nil, NewError(p, "bad YAML: this line is indented with a tab", "indent with spaces")
	}
	return nil, NewError(p, "bad YAML: "+msg, yamlHint(msg))
}

func yamlHint(msg string) string {
	switch {
	case strings.Contains(msg, "tab character"):
		return "indent with spaces"
	case strings.Contains(msg, "mapping value is not allowed"):
		return "text that holds \": \" needs quotes"
	}
	return ""
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// With is a copy of a mapping with a value for a key, without the key where the
// value is nil.
func (n *Node) With(key string, val *Node) *Node {
	out := *n
	out.Pairs = append([]Pair(nil), n.Pairs...)
	p := Pair{Key: key, Pos: n.Pos}
	if val != nil {
		p.Pos = val.Pos
	}
	out.put(p, val)
	return &out
}

// Listing is a list of nodes in the place of a node.
func (n *Node) Listing(items []*Node) *Node { return &Node{Kind: List, Pos: n.Pos, Items: items} }
