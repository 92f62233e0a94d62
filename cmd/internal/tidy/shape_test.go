package tidy

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// sizes checks the length of files and functions.
func sizes(t *tree) (out []finding) {
	for _, f := range t.files {
		if n := bytes.Count(f.source, []byte("\n")); n > maxFile {
			out = append(out, t.finding("sizes", f, nil, "%d lines, at most %d; instead: split where a name gets better", n, maxFile))
		}
		for _, fn := range functions(f.syntax) {
			if n := t.ownLines(fn); n > maxFunction {
				out = append(out, t.finding("sizes", f, fn, "a function of %d lines, at most %d; instead: name its steps", n, maxFunction))
			}
		}
	}
	return out
}

// methods checks how many methods a type has, those that it gets from what it embeds
// included: many small methods on one type are one large function in pieces.
func methods(t *tree) (out []finding) {
	for _, f := range t.files {
		if f.test {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if obj := t.info.Defs[spec.Name]; obj != nil {
				most := maxMethods
				if m, ok := largeTypes[f.room()+"."+obj.Name()]; ok {
					most = m
				}
				if n := types.NewMethodSet(types.NewPointer(obj.Type())).Len(); n > most {
					out = append(out, t.finding("methods", f, spec, "%s has %d methods with those it embeds, at most %d; instead: give a part of it a type of its own", obj.Name(), n, most))
				}
			}
			return true
		})
	}
	return out
}

// functions lists declarations and literals alike.
func functions(root ast.Node) (out []ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			out = append(out, n)
		}
		return true
	})
	return out
}

// ownLines is a function's length without the literals inside it.
func (t *tree) ownLines(fn ast.Node) int {
	n := t.lines(fn)
	ast.Inspect(fn, func(in ast.Node) bool {
		if lit, ok := in.(*ast.FuncLit); ok && lit != fn {
			n -= t.lines(lit) - 1
			return false
		}
		return true
	})
	return n
}

func (t *tree) lines(n ast.Node) int {
	from := n.Pos()
	if d, ok := n.(*ast.FuncDecl); ok {
		from = d.Type.Func
	}
	return t.fset.Position(n.End()).Line - t.fset.Position(from).Line + 1
}

// comments checks that packages and exported names are explained.
func comments(t *tree) (out []finding) {
	described := map[string]bool{}
	for _, f := range t.files {
		if !f.test && f.syntax.Doc != nil {
			described[f.room()] = true
		}
	}
	for _, f := range t.files {
		if f.test {
			continue
		}
		if !described[f.room()] {
			described[f.room()] = true
			out = append(out, t.finding("comments", f, nil, "package %s has no package comment: what it is, then its rules", f.room()))
		}
		for _, d := range f.syntax.Decls {
			out = append(out, t.undocumented(f, d)...)
		}
	}
	return out
}

func (t *tree) undocumented(f *file, d ast.Decl) (out []finding) {
	miss := func(n ast.Node, name string) {
		out = append(out, t.finding("comments", f, n, "%s has no comment: meaning, unit or shape, range, errors, source", name))
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && (d.Recv == nil || plainMethods[d.Name.Name] == "") {
			miss(d, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			for _, name := range exportedNames(s) {
				if d.Doc == nil || d.Tok == token.TYPE && d.Lparen.IsValid() {
					miss(s, name)
				}
			}
		}
	}
	return out
}

// exportedNames are the exported names of a spec that has no comment of its own.
func exportedNames(s ast.Spec) (out []string) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
			out = append(out, s.Name.Name)
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && s.Doc == nil && s.Comment == nil {
				out = append(out, n.Name)
			}
		}
	}
	return out
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return ast.IsExported(name) && !strings.HasPrefix(name, "_")
}
