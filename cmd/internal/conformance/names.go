package main

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// names collects the literals of a package that reach the name of a subtest: the
// first argument of a Run, and what feeds it through fields, variables and
// parameters. What only a message or other data holds is no name.
type names struct {
	p     *testPackage
	types map[string]ast.Expr
	seen  map[fed]bool
	taken map[*ast.BasicLit]bool
	each  func(holder ast.Decl, text string)
}

// fed is a variable of a declaration, or a field, whose values are names.
type fed struct {
	in   ast.Decl // nil for a field
	name string
}

// subtests calls each for every literal that begins the name of a subtest, once,
// with the declaration that holds it.
func (p *testPackage) subtests(each func(holder ast.Decl, text string)) {
	n := &names{p: p, types: map[string]ast.Expr{}, seen: map[fed]bool{}, taken: map[*ast.BasicLit]bool{}, each: each}
	n.visit(func(_ ast.Decl, node ast.Node) {
		if s, ok := node.(*ast.TypeSpec); ok {
			n.types[s.Name.Name] = s.Type
		}
	})
	n.visit(func(d ast.Decl, node ast.Node) {
		if c, ok := node.(*ast.CallExpr); ok && len(c.Args) == 2 && callee(c) == "Run" {
			n.feed(d, c.Args[0])
		}
	})
}

// visit walks every declaration of the package.
func (n *names) visit(f func(d ast.Decl, node ast.Node)) {
	for _, file := range n.p.files {
		for _, d := range file.Decls {
			ast.Inspect(d, func(node ast.Node) bool {
				f(d, node)
				return true
			})
		}
	}
}

// callee is the last part of the name of what is called.
func callee(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// feed follows what a name begins with back to its literals.
func (n *names) feed(d ast.Decl, e ast.Expr) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING && !n.taken[e] {
			n.taken[e] = true
			n.each(d, s)
		}
	case *ast.ParenExpr:
		n.feed(d, e.X)
	case *ast.BinaryExpr:
		n.feed(d, e.X)
	case *ast.Ident:
		n.variable(d, e.Name)
	case *ast.SelectorExpr:
		n.field(e.Sel.Name)
	}
}

// variable feeds what a variable or parameter of a declaration is given.
func (n *names) variable(d ast.Decl, name string) {
	if n.seen[fed{d, name}] {
		return
	}
	n.seen[fed{d, name}] = true
	is := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == name
	}
	if f, ok := d.(*ast.FuncDecl); ok {
		n.parameter(f.Type, name, f.Name.Name, nil)
	}
	ast.Inspect(d, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.RangeStmt:
			if is(s.Key) {
				n.ranged(d, s.X, true)
			} else if is(s.Value) {
				n.ranged(d, s.X, false)
			}
		case *ast.AssignStmt:
			for i, to := range s.Lhs {
				if len(s.Lhs) != len(s.Rhs) {
					break
				}
				if f, ok := s.Rhs[i].(*ast.FuncLit); ok {
					if v, ok := to.(*ast.Ident); ok {
						n.parameter(f.Type, name, v.Name, d)
					}
				} else if is(to) {
					n.feed(d, s.Rhs[i])
				}
			}
		}
		return true
	})
	n.values(name, d, func(d ast.Decl, e ast.Expr) { n.feed(d, e) })
}

// values calls f for what the variables and constants of a name, of the package
// or of a declaration, are declared with.
func (n *names) values(name string, in ast.Decl, f func(d ast.Decl, e ast.Expr)) {
	n.visit(func(d ast.Decl, node ast.Node) {
		s, ok := node.(*ast.ValueSpec)
		if _, global := d.(*ast.GenDecl); !ok || !global && d != in {
			return
		}
		for i, v := range s.Names {
			if v.Name == name && i < len(s.Values) {
				f(d, s.Values[i])
			}
		}
	})
}

// parameter feeds the arguments that the calls of a function give a parameter;
// only the calls within a declaration when there is one.
func (n *names) parameter(typ *ast.FuncType, name, function string, within ast.Decl) {
	at := 0
	for _, f := range typ.Params.List {
		for _, id := range f.Names {
			if id.Name == name {
				n.visit(func(d ast.Decl, node ast.Node) {
					if c, ok := node.(*ast.CallExpr); ok && callee(c) == function && at < len(c.Args) && (within == nil || within == d) {
						n.feed(d, c.Args[at])
					}
				})
				return
			}
			at++
		}
	}
}

// ranged feeds the keys or the elements of what a loop goes through.
func (n *names) ranged(d ast.Decl, x ast.Expr, keys bool) {
	switch x := x.(type) {
	case *ast.CompositeLit:
		for _, e := range x.Elts {
			kv, paired := e.(*ast.KeyValueExpr)
			switch {
			case paired && keys:
				n.feed(d, kv.Key)
			case paired:
				n.feed(d, kv.Value)
			case !keys:
				n.feed(d, e)
			}
		}
	case *ast.Ident:
		n.values(x.Name, d, func(d ast.Decl, e ast.Expr) { n.ranged(d, e, keys) })
		ast.Inspect(d, func(node ast.Node) bool {
			if s, ok := node.(*ast.AssignStmt); ok && len(s.Lhs) == 1 && len(s.Rhs) == 1 {
				if v, ok := s.Lhs[0].(*ast.Ident); ok && v.Name == x.Name {
					if lit, ok := s.Rhs[0].(*ast.CompositeLit); ok {
						n.ranged(d, lit, keys)
					}
				}
			}
			return true
		})
	case *ast.CallExpr: // such as slices.Sorted(maps.Keys(table))
		for _, a := range x.Args {
			n.ranged(d, a, keys || strings.HasPrefix(callee(x), "Keys"))
		}
	}
}

// field feeds what the structs of the package hold in a field.
func (n *names) field(name string) {
	if n.seen[fed{nil, name}] {
		return
	}
	n.seen[fed{nil, name}] = true
	n.visit(func(d ast.Decl, node ast.Node) {
		if lit, ok := node.(*ast.CompositeLit); ok && lit.Type != nil {
			n.inside(d, lit, lit.Type, name)
		}
	})
}

// inside feeds a field of a literal of a type, and of the literals in it that
// leave their type out.
func (n *names) inside(d ast.Decl, lit *ast.CompositeLit, typ ast.Expr, name string) {
	var of ast.Expr
	switch t := n.plain(typ).(type) {
	case *ast.ArrayType:
		of = t.Elt
	case *ast.MapType:
		of = t.Value
	case *ast.StructType:
		at := position(t, name)
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
					n.feed(d, kv.Value)
				}
			} else if i == at {
				n.feed(d, e)
			}
		}
		return
	default:
		return
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if inner, ok := e.(*ast.CompositeLit); ok && inner.Type == nil {
			n.inside(d, inner, of, name)
		}
	}
}

// plain is a type without its pointer and behind its name.
func (n *names) plain(t ast.Expr) ast.Expr {
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return n.types[id.Name]
	}
	return t
}

// position is the place of a field in a struct, -1 for none.
func position(t *ast.StructType, name string) int {
	at := 0
	for _, f := range t.Fields.List {
		for _, id := range f.Names {
			if id.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}
