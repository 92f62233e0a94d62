package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// statement is one test that proves one or more ids.
type statement struct {
	ids  []string
	text string
	pkg  string // directory below the module's root
	test string // TestName, or TestName/story
}

// ids at the start of a line, then what holds.
var line = regexp.MustCompile(`^((?:[A-Z]{2,6}-[A-Z]?[0-9]+ )+)(\S.*)$`)

// parse splits a line into ids and text; ok is false for any other line.
func parse(s string) (ids []string, text string, ok bool) {
	m := line.FindStringSubmatch(s)
	if m == nil {
		return nil, "", false
	}
	return strings.Fields(m[1]), m[2], true
}

// scan reads all tests, stories and scripts below root.
func scan(root string) ([]statement, error) {
	var out []statement
	dirs := map[string]*testPackage{}
	var stories []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch inTestdata := strings.Contains("/"+rel, "/testdata/"); {
		case !inTestdata && strings.HasSuffix(rel, "_test.go"):
			return addTests(dirs, root, rel)
		case inTestdata && (strings.HasSuffix(rel, ".txt") || strings.HasSuffix(rel, ".txtar")):
			stories = append(stories, rel)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, p := range dirs { // order: render sorts
		out = append(out, p.statements()...)
	}
	for _, rel := range stories {
		s, ok, err := story(dirs, root, rel)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// story reads a file's first line; ok is false when it names no id.
func story(dirs map[string]*testPackage, root, rel string) (s statement, ok bool, err error) {
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return s, false, err
	}
	defer f.Close()
	first, _ := bufio.NewReader(f).ReadString('\n')
	s.ids, s.text, ok = parse(strings.TrimSpace(strings.TrimPrefix(first, "# ")))
	if !ok || !strings.HasPrefix(first, "# ") {
		return s, false, nil
	}
	dir, below, _ := strings.Cut(rel, "/testdata/")
	s.pkg = dir
	s.test = strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	if p := dirs[dir]; p != nil {
		if run := p.runner(path.Join("testdata", path.Dir(below))); run != "" {
			s.test = run + "/" + s.test
		}
	}
	return s, true, nil
}

// testPackage is the tests of one directory.
type testPackage struct {
	dir   string
	files []*ast.File
}

func addTests(dirs map[string]*testPackage, root, rel string) error {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(rel)), nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(rel)
	if dirs[dir] == nil {
		dirs[dir] = &testPackage{dir: dir}
	}
	dirs[dir].files = append(dirs[dir].files, f)
	return nil
}

// statements are the names of subtests that begin with ids.
func (p *testPackage) statements() (out []statement) {
	p.subtests(func(holder ast.Decl, text string) {
		if ids, what, ok := parse(text); ok {
			out = append(out, statement{ids, what, p.dir, p.testOf(declared(holder))})
		}
	})
	return out
}

// declared is the name of a function or of the first variable.
func declared(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if len(d.Specs) > 0 {
			if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
				return v.Names[0].Name
			}
		}
	}
	return ""
}

// literals are the strings in a piece of code, but for the formats of messages.
func literals(n ast.Node) (out []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && isFormatter(c.Fun) {
			return false
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// isFormatter reports whether a call is of a function such as Errorf.
func isFormatter(fun ast.Expr) bool {
	s, ok := fun.(*ast.SelectorExpr)
	return ok && strings.HasSuffix(s.Sel.Name, "f")
}

// testOf is the test function that a helper or table belongs to: itself, or the
// first one that names it, directly or through others.
func (p *testPackage) testOf(name string) string {
	seen := map[string]bool{}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if isTest(at) {
			return at
		}
		if seen[at] || at == "" {
			continue
		}
		seen[at] = true
		queue = append(queue, p.users(at)...)
	}
	return name
}

// users are the functions and variables that mention a name, in order of the
// source.
func (p *testPackage) users(name string) (out []string) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if user := declared(d); user != name && mentions(d, name) {
				out = append(out, user)
			}
		}
	}
	return out
}

func mentions(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// runner is the test function that walks the stories of a directory: the one
// that names the longest part of it.
func (p *testPackage) runner(dir string) string {
	best, length := "", 0
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for _, text := range literals(fn) {
				if strings.Contains(path.Base(text), "*") {
					text = path.Dir(text) // a pattern over the stories of a directory
				}
				text = strings.TrimSuffix(text, "/")
				if n := len(text); n > length && strings.HasPrefix(text, "testdata") && (dir == text || strings.HasPrefix(dir, text+"/")) {
					best, length = p.testOf(fn.Name.Name), n
				}
			}
		}
	}
	return best
}

func isTest(name string) bool { return strings.HasPrefix(name, "Test") }
