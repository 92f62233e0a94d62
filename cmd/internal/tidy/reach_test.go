package tidy

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
)

// reach finds the functions that the programs below cmd can call. What a package's
// variables and init functions name is reached with the package, a type's methods where
// the type is reached and an interface that it has is called by them: one of ours where
// a method of it is named, one of others always.
type reach struct {
	names   map[types.Object][]types.Object // what the declaration of a function or type of ours names
	seen    map[types.Object]bool
	queue   []types.Object
	reached []*types.TypeName
	called  map[string][]*types.Func // methods of interfaces, by name
}

// byOthers are methods that packages of others call by interfaces that they do not export.
var byOthers = []string{"As", "Is", "IsZero", "Unwrap"}

// unreachedFuncs are those that no program calls, as room.Type.Method. There are none in
// a tree without programs.
func (t *tree) unreachedFuncs() (out []string) {
	r := &reach{names: map[types.Object][]types.Object{}, seen: map[types.Object]bool{}, called: map[string][]*types.Func{}}
	programs := map[*types.Package]bool{}
	for _, p := range t.checked {
		if p.Name() == "main" && strings.HasPrefix(p.Path(), module+"/cmd/") {
			imported(p, programs)
		}
	}
	if len(programs) == 0 {
		return nil
	}
	for p := range programs {
		r.interfaces(p)
	}
	for _, f := range t.files {
		if !f.test {
			r.declarations(t, f, programs[t.checked[path.Join(module, f.room())]])
		}
	}
	r.follow()
	for _, f := range t.files {
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && !f.test && !r.seen[t.info.Defs[fn.Name]] && len(fn.Body.List) > 0 { // an empty one marks a type
				out = append(out, f.room()+"."+methodName(fn))
			}
		}
	}
	slices.Sort(out)
	return out
}

// imported adds a package and all that it imports.
func imported(p *types.Package, to map[*types.Package]bool) {
	if !to[p] {
		to[p] = true
		for _, other := range p.Imports() {
			imported(other, to)
		}
	}
}

func methodName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	of := fn.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		default:
			return of.(*ast.Ident).Name + "." + fn.Name.Name
		}
	}
}

// interfaces takes those of another's package as called.
func (r *reach) interfaces(p *types.Package) {
	scope := p.Scope()
	if ours(p.Path()) {
		return
	}
	for _, name := range scope.Names() {
		if i, ok := scope.Lookup(name).Type().Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				r.mark(m)
			}
		}
	}
}

// declarations notes what a file's declarations name. Of a program's package, variables
// and init functions are reached, and main.
func (r *reach) declarations(t *tree, f *file, program bool) {
	for _, d := range f.syntax.Decls {
		fn, isFunc := d.(*ast.FuncDecl)
		if isFunc {
			of := t.info.Defs[fn.Name]
			r.names[of] = t.named(fn)
			if program && fn.Recv == nil && (fn.Name.Name == "init" || fn.Name.Name == "main") {
				r.mark(of)
			}
			continue
		}
		for _, s := range d.(*ast.GenDecl).Specs {
			if of, ok := s.(*ast.TypeSpec); ok {
				r.names[t.info.Defs[of.Name]] = t.named(of)
			} else if v, ok := s.(*ast.ValueSpec); ok && program && v.Names[0].Name != "_" { // that says only what a type implements
				for _, o := range t.named(v) {
					r.mark(o)
				}
			}
		}
	}
}

// named are the functions and types that a node names, those that it declares in itself
// included.
func (t *tree) named(n ast.Node) (out []types.Object) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			o := t.info.Uses[id]
			if inner, ok := t.info.Defs[id].(*types.TypeName); ok {
				o = inner
			}
			switch o := o.(type) {
			case *types.Func:
				out = append(out, o.Origin())
			case *types.TypeName:
				out = append(out, o)
			}
		}
		return true
	})
	return out
}

func (r *reach) mark(o types.Object) {
	if !r.seen[o] {
		r.seen[o] = true
		r.queue = append(r.queue, o)
	}
}

// follow marks what follows from what is marked.
func (r *reach) follow() {
	for len(r.queue) > 0 {
		for len(r.queue) > 0 {
			o := r.queue[0]
			r.queue = r.queue[1:]
			switch o := o.(type) {
			case *types.TypeName:
				r.reached = append(r.reached, o)
			case *types.Func:
				if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
					r.called[o.Name()] = append(r.called[o.Name()], o)
				}
			}
			for _, n := range r.names[o] {
				r.mark(n)
			}
		}
		for _, o := range r.reached {
			r.methods(o.Type())
		}
	}
}

// methods marks the methods of a reached type that are called by an interface.
func (r *reach) methods(of types.Type) {
	if types.IsInterface(of) {
		return
	}
	named, _ := of.(*types.Named)
	generic := named != nil && named.TypeParams().Len() > 0
	pointer := types.NewPointer(of)
	for s := range types.NewMethodSet(pointer).Methods() {
		m, ok := s.Obj().(*types.Func)
		if !ok || r.seen[m.Origin()] {
			continue
		}
		if slices.Contains(byOthers, m.Name()) || slices.ContainsFunc(r.called[m.Name()], func(i *types.Func) bool {
			return generic || types.Implements(pointer, i.Signature().Recv().Type().Underlying().(*types.Interface))
		}) {
			r.mark(m.Origin())
		}
	}
}
