package scenarios

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of the text of a scenario, so that a hostile file costs little.
const (
	MaxFileBytes = 1 << 20 // size of a scenario file
	MaxTokens    = 200_000 // YAML tokens in it
	MaxDepth     = 48      // levels of nesting
	MaxKeys      = 2_000   // keys of one mapping; the YAML parser's time grows with their square
)

// kind is the shape of a node.
type kind uint8

const (
	kindNull   kind = iota
	kindString      // quoted, or plain text that is no other scalar
	kindInt
	kindFloat // .nan and .inf too
	kindBool
	kindMap
	kindList
)

var kindNames = [...]string{"nothing", "text", "a number", "a fraction", "true or false", "a mapping", "a list"}

func (k kind) String() string { return kindNames[k] }

// node is a YAML value with its place. Nodes are shared between trees and never
// changed once built.
type node struct {
	kind  kind
	text  string // of a scalar, as written or unquoted
	quote bool
	pairs []pair
	items []*node
	pos   pos
}

type pair struct {
	key string
	pos pos
	val *node
}

func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return n.pairs[i].val
		}
	}
	return nil
}

// parseNode reads one YAML document. Anchors, aliases, tags, merges and further
// documents are refused: a scenario says each thing where it stands.
func parseNode(src *source, text string) (*node, *Error) {
	if err := checkText(src, text); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(text)
	if err := checkTokens(src, tokens); err != nil {
		return nil, err
	}
	file, err := parseTokens(src, tokens)
	if err != nil {
		return nil, err
	}
	b := &builder{src: src}
	return b.document(file)
}

func checkText(src *source, text string) *Error {
	if len(text) > MaxFileBytes {
		return newError(pos{src, 1, 1}, "the file is larger than 1 MiB", "give bulk content as {tokens: n}")
	}
	if utf8.ValidString(text) {
		return nil
	}
	for i, l := range src.lines {
		if !utf8.ValidString(l) {
			return newError(pos{src, i + 1, 1}, "this line is not UTF-8 text", "save the file as UTF-8")
		}
	}
	return newError(pos{src, 1, 1}, "the file is not UTF-8 text", "")
}

func at(src *source, t *token.Token) pos {
	if t == nil || t.Position == nil {
		return pos{src, 1, 1}
	}
	return pos{src, t.Position.Line, t.Position.Column}
}

var refused = map[token.Type]string{
	token.AnchorType:     "anchors (&) are not part of a scenario",
	token.AliasType:      "aliases (*) are not part of a scenario",
	token.MergeKeyType:   "merge keys (<<) are not part of a scenario",
	token.TagType:        "tags (!) are not part of a scenario",
	token.DirectiveType:  "directives (%) are not part of a scenario",
	token.MappingKeyType: "complex keys (?) are not part of a scenario",
}

// checkTokens refuses what a scenario never needs and bounds the nesting before
// the recursive parser sees it.
func checkTokens(src *source, tokens token.Tokens) *Error {
	if len(tokens) > MaxTokens {
		return newError(pos{src, 1, 1}, "the file has more than 200,000 YAML tokens", "")
	}
	var d depth
	for _, t := range tokens {
		if why := refused[t.Type]; why != "" {
			return newError(at(src, t), why, "write the value out, or put text that begins so in quotes")
		}
		if d.step(t) > MaxDepth {
			return newError(at(src, t), "nested more than 48 levels deep", "")
		}
		if d.keys() > MaxKeys {
			return newError(at(src, t), "a mapping of more than 2,000 keys", "")
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
func parseTokens(src *source, tokens token.Tokens) (file *ast.File, bad *Error) {
	defer func() {
		if recover() != nil {
			file, bad = nil, newError(pos{src, 1, 1}, "this is not YAML that can be read", "")
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
		return nil, newError(pos{src, 1, 1}, "bad YAML: "+firstLine(err.Error()), "")
	}
	p, msg := at(src, located.GetToken()), firstLine(located.GetMessage())
	if line := src.lines[min(p.line, len(src.lines))-1]; strings.HasPrefix(strings.TrimLeft(line, " "), "\t") {
		return nil, newError(p, "bad YAML: this line is indented with a tab", "indent with spaces")
	}
	return nil, newError(p, "bad YAML: "+msg, yamlHint(msg))
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
