package tidy

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "agentsim"

// file is one parsed Go file; path is relative to the root of the tree.
type file struct {
	path   string
	source []byte
	syntax *ast.File
	test   bool
}

// room is the directory of the file, "." for the root.
func (f *file) room() string { return path.Dir(f.path) }

// tree is all Go files of a module.
type tree struct {
	fset    *token.FileSet
	files   []*file
	info    *types.Info
	checked map[string]*types.Package
	foreign types.Importer
	wide    []types.Error // constants that do not fit a machine of 32 bits
}

// finding is a line that breaks a rule.
type finding struct {
	rule, path string
	line       int
	text       string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s: %s", f.path, f.line, f.rule, f.text) }

func (t *tree) finding(rule string, f *file, at ast.Node, format string, args ...any) finding {
	line := 1
	if at != nil {
		line = t.fset.Position(at.Pos()).Line
	}
	return finding{rule, f.path, line, fmt.Sprintf(format, args...)}
}

// add parses one file; files for other systems are passed over.
func (t *tree) add(name string, source []byte) error {
	if ok, err := matches(name, source); err != nil || !ok {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.files = append(t.files, &file{name, source, syntax, strings.HasSuffix(name, "_test.go")})
	return nil
}

func matches(name string, source []byte) (bool, error) {
	c := build.Default
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(source))), nil }
	return c.MatchFile(path.Dir(name), path.Base(name))
}

func newTree() *tree {
	return &tree{fset: token.NewFileSet(), checked: map[string]*types.Package{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
}

// readTree parses every Go file below root, testdata and dot directories aside.
func readTree(root string) (*tree, error) {
	t := newTree()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && p != root && (name == "testdata" || name[0] == '.' || name[0] == '_'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		source, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		return t.add(filepath.ToSlash(rel), source)
	})
	return t, err
}

// check gives types to the files that are no tests, as far as they compile:
// what does not is the compiler's to report.
func (t *tree) check(dir string) error {
	var foreign []string
	for _, f := range t.files {
		for _, imp := range importsOf(f) {
			if !f.test && !ours(imp) && imp != "unsafe" && imp != "C" && !slices.Contains(foreign, imp) {
				foreign = append(foreign, imp)
			}
		}
	}
	exports, err := exportData(dir, foreign)
	if err != nil {
		return err
	}
	t.foreign = importer.ForCompiler(t.fset, "gc", func(p string) (io.ReadCloser, error) {
		name, ok := exports[p]
		if !ok {
			return nil, fmt.Errorf("no export data for %s", p)
		}
		return os.Open(name)
	})
	for _, f := range t.files {
		if !f.test {
			t.Import(path.Join(module, f.room()))
		}
	}
	return nil
}

// exportData asks the go command where the compiled form of packages lies.
func exportData(dir string, pkgs []string) (map[string]string, error) {
	out := map[string]string{}
	if len(pkgs) == 0 {
		return out, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-e", "-deps", "-export", "-f", "{{.ImportPath}}\t{{.Export}}"}, pkgs...)...)
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if name, export, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			out[name] = export
		}
	}
	return out, nil
}

// Import type-checks one of our packages, or loads a foreign one.
func (t *tree) Import(name string) (*types.Package, error) {
	if !ours(name) {
		return t.foreign.Import(name)
	}
	if p, ok := t.checked[name]; ok {
		return p, nil
	}
	var files []*ast.File
	for _, f := range t.files {
		if !f.test && path.Join(module, f.room()) == name {
			files = append(files, f.syntax)
		}
	}
	conf := types.Config{Importer: t, Sizes: types.SizesFor("gc", "386"), Error: t.typeError}
	p, _ := conf.Check(name, t.fset, files, t.info)
	t.checked[name] = p
	return p, nil
}

// typeError keeps what a 32-bit build would refuse. Of other errors there are none
// but those of trees that break a rule.
func (t *tree) typeError(err error) {
	if e, ok := err.(types.Error); ok && strings.Contains(e.Msg, "overflows") {
		t.wide = append(t.wide, e)
	}
}

func ours(imp string) bool { return imp == module || strings.HasPrefix(imp, module+"/") }

func importsOf(f *file) (out []string) {
	for _, spec := range f.syntax.Imports {
		out = append(out, strings.Trim(spec.Path.Value, `"`))
	}
	return out
}

// within reports whether a room is one of the patterns, or below one that ends
// with a slash.
func within(room string, patterns ...string) bool {
	for _, p := range patterns {
		if room == strings.TrimSuffix(p, "/") || strings.HasSuffix(p, "/") && strings.HasPrefix(room, p) {
			return true
		}
	}
	return false
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}
