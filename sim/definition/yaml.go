package definition

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// mistake is why a text is no value.
type mistake struct {
	pos       pos
	msg, hint string
	costly    bool // it is refused for what reading it would cost
}

// parseYAML reads the one mapping of a frontmatter. Lines count from the first
// line of src. A panic of the parser on odd input is the input's fault here, and
// told as such.
func parseYAML(src string) (out *node, bad *mistake) {
	defer func() {
		if recover() != nil {
			out, bad = nil, &mistake{pos: pos{1, 1}, msg: "this is not YAML that can be read"}
		}
	}()
	tokens := lexer.Tokenize(src)
	if bad := bounded(tokens); bad != nil {
		return nil, bad
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, yamlMistake(err)
	}
	b := &builder{}
	out = b.document(file)
	return out, b.bad
}

func yamlMistake(err error) *mistake {
	located, ok := err.(interface {
		GetMessage() string
		GetToken() *token.Token
	})
	if !ok {
		msg, _, _ := strings.Cut(err.Error(), "\n")
		return &mistake{pos: pos{1, 1}, msg: "bad YAML: " + msg}
	}
	msg, _, _ := strings.Cut(located.GetMessage(), "\n")
	hint := ""
	switch {
	case strings.Contains(msg, "tab character"):
		hint = "indent with spaces"
	case strings.Contains(msg, "mapping value is not allowed"):
		hint = `text that holds ": " needs quotes`
	}
	return &mistake{pos: placeOf(located.GetToken()), msg: "bad YAML: " + msg, hint: hint}
}

func placeOf(t *token.Token) pos {
	if t == nil || t.Position == nil {
		return pos{1, 1}
	}
	return pos{t.Position.Line, t.Position.Column}
}

// bounded refuses what would cost much, before the parser sees it. Nesting in
// blocks is bounded by the size of a file: each level indents its lines.
func bounded(tokens token.Tokens) *mistake {
	if len(tokens) > maxTokens {
		return &mistake{pos: pos{1, 1}, msg: "the frontmatter has more than 4,000 YAML tokens", costly: true}
	}
	depth, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			entries++
		}
		if depth+entries > maxDepth {
			return &mistake{pos: placeOf(t), msg: "nested more than 32 levels deep", costly: true}
		}
	}
	return nil
}

// builder turns the parser's tree into nodes.
type builder struct {
	bad   *mistake // the first
	depth int
}

func (b *builder) fail(p pos, msg, hint string) *node {
	if b.bad == nil {
		b.bad = &mistake{pos: p, msg: msg, hint: hint}
	}
	return &node{pos: p}
}

func (b *builder) document(f *ast.File) *node {
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentGroupType {
			continue
		}
		if body != nil {
			return b.fail(placeOf(d.Body.GetToken()), "a second document", "a file holds one definition")
		}
		body = d.Body
	}
	if body == nil {
		return &node{kind: isMap, pos: pos{1, 1}}
	}
	return b.node(body)
}

func (b *builder) node(n ast.Node) *node {
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > maxDepth {
		return b.fail(placeOf(n.GetToken()), "nested more than 32 levels deep", "")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n.Values, placeOf(n.GetToken()))
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, placeOf(n.GetToken()))
	case *ast.SequenceNode:
		out := &node{kind: isList, pos: placeOf(n.Start)}
		for _, v := range n.Values {
			out.items = append(out.items, b.node(v))
		}
		return out
	case *ast.LiteralNode:
		return &node{kind: isText, text: n.Value.Value, plain: -1, pos: placeOf(n.Start)}
	}
	return b.scalar(n)
}

func (b *builder) mapping(values []*ast.MappingValueNode, start pos) *node {
	out := &node{kind: isMap, pos: start}
	for _, v := range values {
		k := b.scalar(v.Key)
		if out.get(k.text) != nil {
			b.fail(k.pos, `key "`+k.text+`" is given twice`, "keep one of them")
			continue
		}
		out.pairs = append(out.pairs, pair{k.text, k.pos, b.node(v.Value)})
	}
	return out
}

func (b *builder) scalar(n ast.Node) *node {
	t := n.GetToken()
	if t == nil {
		return b.fail(pos{1, 1}, "this is not YAML that can be read", "")
	}
	out := &node{text: t.Value, pos: placeOf(t)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = isNull
	case *ast.BoolNode:
		out.kind = isBool
	case *ast.IntegerNode:
		out.kind = isInt
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind = isFraction
	case *ast.StringNode:
		out.kind, out.text = isText, n.Value
		switch {
		case t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType:
			out.plain = 1
		case strings.Contains(t.Origin, "\n") && strings.Contains(strings.Trim(t.Origin, " \n"), "\n"):
			out.plain = -1
		}
	default:
		return b.fail(out.pos, "a value of this kind is not part of a definition", "put text that begins so in quotes")
	}
	return out
}
