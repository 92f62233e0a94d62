package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// switchSource is the package by which woven functions ask whether they are the
// broken one. Only the overlay has it.
const switchSource = `// Package mutant switches between functions and their broken twins.
package mutant

import "os"

var (
	number  = chosen(os.Getenv("` + variable + `"))
	reached bool
)

func chosen(name string) int {
	for n, id := range ids {
		if id == name {
			return n
		}
	}
	if name != "" {
		panic("` + variable + `: there is no entry " + name)
	}
	return -1
}

// Break breaks the entry of the number, -1 none.
func Break(n int) { number, reached = n, false }

// On reports whether the entry of the number is broken.
func On(n int) bool { return n == number }

// Reach notes that a run came by the place of the broken entry.
func Reach() { reached = true }

// Reached reports whether one did since Break.
func Reached() bool { return reached }

var ids = []string{
`

// brokenSource takes the place of switch.go in the build that can break entries.
const brokenSource = `package main

import "agentsim/sim/mutant"

const canBreak = true

func breakEntry(n int) { mutant.Break(n) }

func reached() bool { return mutant.Reached() }
`

// switchImport brings the package into a woven file.
const switchImport = `import mutant_ "agentsim/sim/mutant"`

// variable is the variable of the environment that names the broken entry.
const variable = "AGENTSIM_MUTANT"

// woven is a source file into which entries are woven.
type woven struct {
	name    string
	src     string
	set     *token.FileSet
	file    *ast.File
	imports []string
	cuts    []cut  // in the functions as they are
	tail    string // broken functions
	asked   map[*ast.FuncDecl]string
}

// cut is a text to put in the place of another.
type cut struct {
	from, to int
	text     string
}

// overlay writes every file that entries change into dir, the entries' numbers
// being their places in the list, and a configuration for go build -overlay.
func overlay(root, dir string, list []entry) (config string, err error) {
	files := map[string]*woven{}
	ids := ""
	for n := range list {
		if err := weave(root, files, &list[n], n); err != nil {
			return "", fmt.Errorf("%s: %s: %w", list[n].place, list[n].id, err)
		}
		ids += "\t" + strconv.Quote(list[n].id) + ",\n"
	}
	replaced := map[string]string{"sim/mutant/mutant.go": switchSource + ids + "}\n", "cmd/internal/mutants/switch.go": brokenSource}
	put := map[string]string{}
	for name, f := range files {
		replaced[name] = f.text()
	}
	for name, text := range replaced {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return "", err
		}
		put[filepath.Join(root, filepath.FromSlash(name))] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": put})
	if err != nil {
		return "", err
	}
	config = filepath.Join(dir, "overlay.json")
	return config, os.WriteFile(config, text, 0o666)
}

// weave gives every function that an entry changes a broken twin, which it calls
// in its place when the entry is switched on.
func weave(root string, files map[string]*woven, e *entry, n int) error {
	byFunction := map[string][]*edit{}
	var order []string
	for i := range e.edits {
		d := &e.edits[i]
		k := d.file + " " + d.function
		if byFunction[k] == nil {
			order = append(order, k)
		}
		byFunction[k] = append(byFunction[k], d)
	}
	for _, k := range order {
		d := byFunction[k]
		f, err := open(root, files, d[0].file)
		if err != nil {
			return err
		}
		f.imports = append(f.imports, e.imports...)
		if err := f.twin(d, n); err != nil {
			return err
		}
	}
	return nil
}

func open(root string, files map[string]*woven, name string) (*woven, error) {
	if f := files[name]; f != nil {
		return f, nil
	}
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	f := &woven{name: name, src: string(src), set: token.NewFileSet(), asked: map[*ast.FuncDecl]string{}}
	if f.file, err = parser.ParseFile(f.set, name, src, 0); err != nil {
		return nil, err
	}
	files[name] = f
	return f, nil
}

// twin adds the broken twin of a function.
func (f *woven) twin(edits []*edit, n int) error {
	fn := f.function(edits[0].function)
	if fn == nil {
		return fmt.Errorf("there is no function %s in %s", edits[0].function, f.name)
	}
	from := f.at(fn.Pos())
	text := f.src[from:f.at(fn.End())]
	var cuts []cut
	for _, d := range edits {
		a, b, err := d.find(text)
		if err != nil {
			return err
		}
		reach := f.statement(fn, from+a, from+b) - from
		cuts = append(cuts, cut{reach, reach, "mutant_.Reach(); "}, cut{a, b, strings.Join(d.new, "\n")})
	}
	name := f.at(fn.Name.End()) - from
	cuts = append(cuts, cut{name, name, twinName(n)})
	f.tail += "\n" + splice(text, cuts) + "\n"
	f.asked[fn] += f.ask(fn, n)
	return nil
}

func twinName(n int) string { return "_mutant" + strconv.Itoa(n) }

// ask calls a function's twin when its entry is switched on.
func (f *woven) ask(fn *ast.FuncDecl, n int) string {
	call := fn.Name.Name + twinName(n)
	if fn.Recv != nil {
		call = f.names(fn.Recv, "r_")[0] + "." + call
	}
	if fn.Type.TypeParams != nil {
		call += "[" + strings.Join(f.names(fn.Type.TypeParams, ""), ", ") + "]"
	}
	args := f.names(fn.Type.Params, "p_")
	if k := len(fn.Type.Params.List); k > 0 {
		if _, variadic := fn.Type.Params.List[k-1].Type.(*ast.Ellipsis); variadic {
			args[len(args)-1] += "..."
		}
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if fn.Type.Results == nil {
		call += "; return"
	} else {
		call = "return " + call
	}
	return fmt.Sprintf(" if mutant_.On(%d) { %s };", n, call)
}

// names are the names of a list of parameters. One without any gets one.
func (f *woven) names(list *ast.FieldList, prefix string) (out []string) {
	for _, p := range list.List {
		if len(p.Names) == 0 {
			name := prefix + strconv.Itoa(len(out))
			f.cut(f.at(p.Pos()), f.at(p.Pos()), name+" ")
			out = append(out, name)
		}
		for _, id := range p.Names {
			name := id.Name
			if name == "_" {
				name = prefix + strconv.Itoa(len(out))
				f.cut(f.at(id.Pos()), f.at(id.End()), name)
			}
			out = append(out, name)
		}
	}
	return out
}

// cut notes a change of a file, once.
func (f *woven) cut(from, to int, text string) {
	if c := (cut{from, to, text}); !slices.Contains(f.cuts, c) {
		f.cuts = append(f.cuts, c)
	}
}

// statement is where the innermost statement of a list begins that holds a range,
// or the first of those that do.
func (f *woven) statement(fn *ast.FuncDecl, from, to int) int {
	at := f.at(fn.Body.Lbrace) + 1
	look := func(list []ast.Stmt) {
		if len(list) == 0 || f.at(list[0].Pos()) > from || f.at(list[len(list)-1].End()) < to {
			return
		}
		for _, s := range list {
			if f.at(s.End()) > from {
				at = f.at(s.Pos())
				return
			}
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) > 0 && !isClause(n.List[0]) {
				look(n.List)
			}
		case *ast.CaseClause:
			look(n.Body)
		case *ast.CommClause:
			look(n.Body)
		}
		return true
	})
	return at
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// function finds a function by its name, a method by its type's and its own.
func (f *woven) function(name string) *ast.FuncDecl {
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && nameOf(fn) == name {
			return fn
		}
	}
	return nil
}

func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

func (f *woven) at(p token.Pos) int { return f.set.Position(p).Offset }

// text is the file with what was woven into it.
func (f *woven) text() string {
	for fn, ask := range f.asked {
		f.cut(f.at(fn.Body.Lbrace)+1, f.at(fn.Body.Lbrace)+1, ask)
	}
	imports := ";" + switchImport
	for _, path := range f.imports {
		if !strings.Contains(f.src, strconv.Quote(path)) && !strings.Contains(imports, strconv.Quote(path)) {
			imports += ";import " + strconv.Quote(path)
		}
	}
	f.cut(f.at(f.file.Name.End()), f.at(f.file.Name.End()), imports)
	return splice(f.src, f.cuts) + f.tail
}

// splice makes cuts that do not overlap; of two at one place the first comes
// first.
func splice(text string, cuts []cut) string {
	slices.SortStableFunc(cuts, func(a, b cut) int { return a.from - b.from })
	var b strings.Builder
	done := 0
	for _, c := range cuts {
		b.WriteString(text[done:c.from])
		b.WriteString(c.text)
		done = c.to
	}
	b.WriteString(text[done:])
	return b.String()
}
