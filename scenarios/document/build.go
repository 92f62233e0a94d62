package document

import (
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// builder turns the parser's tree into nodes.
type builder struct {
	src    *Source
	limits *Limits
	err    *Error // the first
}

func (b *builder) document(f *ast.File) (*Node, *Error) {
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentGroupType {
			continue
		}
		if body != nil {
			return nil, NewError(at(b.src, d.Body.GetToken()), "a second document", "a file holds one "+b.limits.Of)
		}
		body = d.Body
	}
	if body == nil && b.limits.Empty == "" {
		return &Node{Kind: Map, Pos: Pos{b.src, 1, 1}}, nil
	}
	if body == nil {
		return nil, NewError(Pos{b.src, 1, 1}, "the file is empty", b.limits.Empty)
	}
	n := b.node(body)
	return n, b.err
}

func (b *builder) fail(p Pos, msg, hint string) *Node {
	if b.err == nil {
		b.err = NewError(p, msg, hint)
	}
	return &Node{Pos: p}
}

func (b *builder) node(n ast.Node) *Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n.Values, at(b.src, n.GetToken()), n.IsFlowStyle)
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, at(b.src, n.GetToken()), false)
	case *ast.SequenceNode:
		return b.list(n)
	case *ast.LiteralNode:
		return &Node{Kind: String, Text: n.Value.Value, Quote: true, Plain: -1, Pos: at(b.src, n.Start)}
	}
	return b.scalar(n)
}

func (b *builder) scalar(n ast.Node) *Node {
	t := n.GetToken()
	if t == nil {
		return b.fail(Pos{b.src, 1, 1}, "this is not YAML that can be read", "")
	}
	out := &Node{Text: t.Value, Pos: at(b.src, t)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.Kind = Null
	case *ast.BoolNode:
		out.Kind = Bool
	case *ast.IntegerNode:
		out.Kind = Int
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.Kind = Float
	case *ast.StringNode:
		out.Kind, out.Text = String, n.Value
		out.Quote = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
		switch {
		case out.Quote:
			out.Plain = 1
		case isDigits(n.Value):
			out.Kind = Int
		case strings.Contains(strings.Trim(t.Origin, " \n"), "\n"):
			out.Plain = -1
		}
	default:
		return b.fail(out.Pos, "a value of this kind is not part of a "+b.limits.Of, "put text that begins so in quotes")
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

func (b *builder) list(n *ast.SequenceNode) *Node {
	out := &Node{Kind: List, Pos: at(b.src, n.Start)}
	for _, v := range n.Values {
		item := b.node(v)
		if m, ok := v.(*ast.MappingNode); ok && n.IsFlowStyle && !m.IsFlowStyle && len(m.Values) == 1 {
			item = oneText(m.Values[0], item)
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// oneText is the text that YAML 1.2 has for file:a.go in [file:a.go]: a colon with
// no blank behind it ends no key. Inside of braces the parser takes it for one.
func oneText(m *ast.MappingValueNode, n *Node) *Node {
	p := n.Pairs[0]
	plain := func(n *Node) bool { return n.Kind != Map && n.Kind != List && n.Kind != Null && !n.Quote }
	joined := p.Pos.Line == p.Val.Pos.Line && p.Val.Pos.Col == p.Pos.Col+utf8.RuneCountInString(p.Key)+1
	quoted := m.Key.GetToken().Type == token.SingleQuoteType || m.Key.GetToken().Type == token.DoubleQuoteType
	if quoted || !joined || !plain(p.Val) {
		return n
	}
	return &Node{Kind: String, Text: p.Key + ":" + p.Val.Text, Pos: p.Pos}
}

func (b *builder) mapping(values []*ast.MappingValueNode, start Pos, flow bool) *Node {
	out := &Node{Kind: Map, Pos: start, Pairs: make([]Pair, 0, len(values))}
	seen := make(map[string]bool, len(values))
	for i, v := range values {
		k := b.scalar(v.Key)
		if k.Kind == Null {
			b.fail(k.Pos, "a key is missing", "")
		}
		if seen[k.Text] {
			b.fail(k.Pos, "key "+Quoted(k.Text)+" is given twice", "keep one of them")
		}
		seen[k.Text] = true
		if i == 0 && !flow {
			out.Pos = k.Pos
		}
		out.Pairs = append(out.Pairs, Pair{k.Text, k.Pos, b.node(v.Value)})
	}
	return out
}
