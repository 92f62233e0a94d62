package upgrade

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// name is a key.
func name(p *ast.MappingValueNode) string { return p.Key.GetToken().Value }

// text is what a scalar says, "" for null and what is none.
func text(n ast.Node) string {
	if _, scalar := n.(ast.ScalarNode); !scalar || n.Type() == ast.NullType {
		return ""
	}
	return n.GetToken().Value
}

// get is a mapping's entry of a key, nil without one.
func get(m *ast.MappingNode, key string) *ast.MappingValueNode {
	if m == nil {
		return nil
	}
	if i := slices.IndexFunc(m.Values, func(p *ast.MappingValueNode) bool { return name(p) == key }); i >= 0 {
		return m.Values[i]
	}
	return nil
}

// inside are the entries of the mapping that a key has.
func inside(p *ast.MappingValueNode) []*ast.MappingValueNode {
	if p != nil {
		if m, ok := p.Value.(*ast.MappingNode); ok {
			return m.Values
		}
	}
	return nil
}

// elements are those of the list that a key has.
func elements(p *ast.MappingValueNode) []ast.Node {
	if p != nil {
		if list, ok := p.Value.(*ast.SequenceNode); ok {
			return list.Values
		}
	}
	return nil
}

// part is a list of those elements of another that are to be kept.
func part(list *ast.SequenceNode, keep func(n ast.Node) bool) *ast.SequenceNode {
	out := *list
	out.Values, out.ValueHeadComments = nil, nil
	for i, n := range list.Values {
		if keep(n) {
			out.Values = append(out.Values, n)
			out.ValueHeadComments = append(out.ValueHeadComments, above(list, i))
		}
	}
	return &out
}

// above is the comment above an element, nil for none.
func above(list *ast.SequenceNode, i int) *ast.CommentGroupNode {
	if i < len(list.ValueHeadComments) {
		return list.ValueHeadComments[i]
	}
	return nil
}

// at is a place in a new column, as deep as a token; each token has one of its own.
func at(column int, as *token.Token) *token.Position {
	return &token.Position{Line: 1, Column: column, IndentLevel: as.Position.IndentLevel}
}

// pair is an entry of a mapping.
func pair(key string, value ast.Node, column int) *ast.MappingValueNode {
	t := value.GetToken()
	return ast.MappingValue(token.MappingValue(at(column, t)), ast.String(token.String(key, key, at(column, t))), value)
}

// word is a text, in quotes where it would be read as something else without.
func word(s string) *ast.StringNode {
	if strings.ContainsAny(s, ",[]{}\n\t\"") || strings.Contains(s, ": ") || strings.Contains(s, " #") || s == "" || !isWord(s[0]) {
		return ast.String(token.DoubleQuote(s, s, &token.Position{}))
	}
	return ast.String(token.String(s, s, &token.Position{}))
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' }

// instead is a text in the place of a node, with its comment.
func instead(n ast.Node, s string) ast.Node {
	out := word(s)
	_ = out.SetComment(n.GetComment()) // a text can have one
	return out
}

// rename gives an entry another key, without quotes.
func rename(p *ast.MappingValueNode, key string) {
	t := p.Key.GetToken()
	t.Type, t.Value = token.StringType, key
	if s, ok := p.Key.(*ast.StringNode); ok {
		s.Value = key
	}
}

func column(p *ast.MappingValueNode) int { return p.Key.GetToken().Position.Column }

// into adds an entry to a block, which is made where there is none.
func into(m *ast.MappingNode, block string, p *ast.MappingValueNode) {
	b := get(m, block)
	if b == nil {
		b = pair(block, ast.Mapping(p.Start, m.IsFlowStyle), column(p))
		m.Values = append(m.Values, b)
	}
	if in, ok := b.Value.(*ast.MappingNode); ok {
		in.IsFlowStyle = m.IsFlowStyle
		in.Values = append(in.Values, p)
		for _, x := range in.Values {
			place(x, column(b)+2)
		}
	}
}

// place moves an entry to a column, with all that is in it. A block of text keeps the
// blanks in front of its lines, and so they are moved too.
func place(p *ast.MappingValueNode, to int) {
	by := to - column(p)
	p.AddColumn(by)
	ast.Walk(visit(func(n ast.Node) bool {
		literal, ok := n.(*ast.LiteralNode)
		if !ok || by == 0 {
			return !ok
		}
		t := literal.Value.GetToken()
		lines := strings.Split(t.Origin, "\n")
		for i, l := range lines {
			blanks := len(l) - len(strings.TrimLeft(l, " "))
			if l != "" {
				lines[i] = strings.Repeat(" ", max(blanks+by, 0)) + l[blanks:]
			}
		}
		t.Origin = strings.Join(lines, "\n")
		return false
	}), p)
}

// visit is called for each node, and says whether to go on below it.
type visit func(n ast.Node) bool

// Visit visits a node.
func (v visit) Visit(n ast.Node) ast.Visitor {
	if v(n) {
		return v
	}
	return nil
}
