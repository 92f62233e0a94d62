package scenarios

import (
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// builder turns the parser's tree into nodes.
type builder struct {
	src *source
	err *Error // the first
}

func (b *builder) document(f *ast.File) (*node, *Error) {
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentGroupType {
			continue
		}
		if body != nil {
			return nil, newError(at(b.src, d.Body.GetToken()), "a second document", "a file holds one scenario")
		}
		body = d.Body
	}
	if body == nil {
		return nil, newError(pos{b.src, 1, 1}, "the file is empty", "a scenario begins with name:")
	}
	n := b.node(body)
	return n, b.err
}

func (b *builder) fail(p pos, msg, hint string) *node {
	if b.err == nil {
		b.err = newError(p, msg, hint)
	}
	return &node{pos: p}
}

func (b *builder) node(n ast.Node) *node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n.Values, at(b.src, n.GetToken()), n.IsFlowStyle)
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, at(b.src, n.GetToken()), false)
	case *ast.SequenceNode:
		return b.list(n)
	case *ast.LiteralNode:
		return &node{kind: kindString, text: n.Value.Value, quote: true, pos: at(b.src, n.Start)}
	}
	return b.scalar(n)
}

func (b *builder) scalar(n ast.Node) *node {
	t := n.GetToken()
	if t == nil {
		return b.fail(pos{b.src, 1, 1}, "this is not YAML that can be read", "")
	}
	out := &node{text: t.Value, pos: at(b.src, t)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = kindNull
	case *ast.BoolNode:
		out.kind = kindBool
	case *ast.IntegerNode:
		out.kind = kindInt
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind = kindFloat
	case *ast.StringNode:
		out.kind, out.text = kindString, n.Value
		out.quote = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		if !out.quote && isDigits(n.Value) {
			out.kind = kindInt
		}
	default:
		return b.fail(out.pos, "a value of this kind is not part of a scenario", "")
	}
	return out
}

// isDigits catches numbers that are too large for the parser to call numbers.
func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && s[i] != '_' {
			return false
		}
	}
	return s != "" && s[0] != '_'
}

func (b *builder) list(n *ast.SequenceNode) *node {
	out := &node{kind: kindList, pos: at(b.src, n.Start)}
	for _, v := range n.Values {
		item := b.node(v)
		if m, ok := v.(*ast.MappingNode); ok && n.IsFlowStyle && !m.IsFlowStyle && len(m.Values) == 1 {
			item = oneText(m.Values[0], item)
		}
		out.items = append(out.items, item)
	}
	return out
}

// oneText is the text that YAML 1.2 has for file:a.go in [file:a.go]: a colon with
// no blank behind it ends no key. Inside of braces the parser takes it for one.
func oneText(m *ast.MappingValueNode, n *node) *node {
	p := n.pairs[0]
	plain := func(n *node) bool { return n.kind != kindMap && n.kind != kindList && n.kind != kindNull && !n.quote }
	joined := p.pos.line == p.val.pos.line && p.val.pos.col == p.pos.col+utf8.RuneCountInString(p.key)+1
	quoted := m.Key.GetToken().Type == token.SingleQuoteType || m.Key.GetToken().Type == token.DoubleQuoteType
	if quoted || !joined || !plain(p.val) {
		return n
	}
	return &node{kind: kindString, text: p.key + ":" + p.val.text, pos: p.pos}
}

func (b *builder) mapping(values []*ast.MappingValueNode, start pos, flow bool) *node {
	out := &node{kind: kindMap, pos: start, pairs: make([]pair, 0, len(values))}
	seen := make(map[string]bool, len(values))
	for i, v := range values {
		k := b.scalar(v.Key)
		if k.kind == kindNull {
			b.fail(k.pos, "a key is missing", "")
		}
		if seen[k.text] {
			b.fail(k.pos, "key "+quoted(k.text)+" is given twice", "keep one of them")
		}
		seen[k.text] = true
		if i == 0 && !flow {
			out.pos = k.pos
		}
		out.pairs = append(out.pairs, pair{k.text, k.pos, b.node(v.Value)})
	}
	return out
}
