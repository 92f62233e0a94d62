package tidy

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var backticked = regexp.MustCompile("`([^`]+)`")

// TestArchitecture holds the names in ARCHITECTURE.md against the tree: paths
// exist, and pkg.Name or pkg.Type.Method is declared.
func TestArchitecture(t *testing.T) {
	root := moduleRoot(t)
	tr, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations(tr)
	checked := 0
	for _, m := range backticked.FindAllStringSubmatch(string(page), -1) {
		name := m[1]
		switch {
		case strings.HasPrefix(name, "*") || strings.Contains(name, " "):
			continue
		case strings.Contains(name, "/"):
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("ARCHITECTURE.md names the path %s, which does not exist", name)
			}
		case strings.Contains(name, "."):
			if !declared[name] {
				t.Errorf("ARCHITECTURE.md names %s, which is declared nowhere", name)
			}
		default:
			continue
		}
		checked++
	}
	if checked < 50 {
		t.Errorf("only %d names were found to check", checked)
	}
}

// declarations lists what the tree declares, as pkg.Name and pkg.Type.Method.
func declarations(tr *tree) map[string]bool {
	out := map[string]bool{}
	for _, f := range tr.files {
		pkg := f.syntax.Name.Name
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				out[pkg+"."+name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok {
						out[pkg+"."+ts.Name.Name] = true
					}
				}
			}
		}
	}
	return out
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
