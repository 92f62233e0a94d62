package tidy

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// bans checks what the simulated world does without: goroutines, select, real
// channels, init functions.
func bans(t *tree) (out []finding) {
	for _, f := range t.files {
		if f.test || !within(f.room(), world...) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				out = append(out, t.finding("bans", f, n, "no go statement; instead: kernel.Kernel.Spawn"))
			case *ast.SelectStmt:
				out = append(out, t.finding("bans", f, n, "no select; instead: kernel.Signal.WaitUntil, or one mailbox for all senders"))
			case *ast.ChanType:
				out = append(out, t.finding("bans", f, n, "no channel; instead: kernel.Mailbox"))
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					out = append(out, t.finding("bans", f, n, "no init function; instead: a value the caller makes, or a package-level literal"))
				}
			}
			return true
		})
	}
	return out
}

// oneCrew checks that goroutines are started in one room, which the race detector
// looks at.
func oneCrew(t *tree) (out []finding) {
	for _, f := range t.files {
		if f.test || within(f.room(), append(world, crew)...) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if n, ok := n.(*ast.GoStmt); ok {
				out = append(out, t.finding("bans", f, n, "no go statement; instead: a job of harness.Harness, or a step of harness.Ordered"))
			}
			return true
		})
	}
	return out
}

// noFloats checks that floats stay in metrics and in what prints them.
func noFloats(t *tree) (out []finding) {
	const text = "no floats; instead: integers with their unit in the type (nanoseconds, tokens, picodollars), a ratio as two of them"
	for _, f := range t.files {
		if f.test || within(f.room(), floats...) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if n.Name == "float64" || n.Name == "float32" {
					out = append(out, t.finding("floats", f, n, "%s", text))
				}
			case *ast.BasicLit:
				if n.Kind == token.FLOAT && constant.ToInt(constant.MakeFromLiteral(n.Value, n.Kind, 0)).Kind() != constant.Int {
					out = append(out, t.finding("floats", f, n, "%s", text))
				}
			}
			return true
		})
	}
	return out
}

// mapOrder checks that no iteration over a map can reach an event: the range is
// explained by a comment `// order: …`, or what it gathers is sorted by the next
// statement.
func mapOrder(t *tree) (out []finding) {
	const text = "the order of a map differs between two runs; instead: slices.Sorted(maps.Keys(m)), a slice beside the map, or a comment `// order: …` that says why it cannot matter"
	for _, f := range t.files {
		if f.test || !within(f.room(), append([]string{"metrics/"}, world...)...) {
			continue
		}
		notes := orderNotes(t, f)
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				out = append(out, t.ranges(f, n.List, notes, text)...)
			case *ast.CaseClause:
				out = append(out, t.ranges(f, n.Body, notes, text)...)
			case *ast.CallExpr:
				if isSorting(n) {
					return false
				}
				if name := selector(n.Fun); name == "maps.Keys" || name == "maps.Values" || name == "maps.All" {
					if !notes[t.fset.Position(n.Pos()).Line] {
						out = append(out, t.finding("map order", f, n, "%s", text))
					}
				}
			}
			return true
		})
	}
	return out
}

// ranges finds map ranges among the statements of a block.
func (t *tree) ranges(f *file, stmts []ast.Stmt, notes map[int]bool, text string) (out []finding) {
	for i, s := range stmts {
		if l, ok := s.(*ast.LabeledStmt); ok {
			s = l.Stmt
		}
		r, ok := s.(*ast.RangeStmt)
		if !ok || r.Key == nil || !t.isMap(r.X) || notes[t.fset.Position(r.Pos()).Line] {
			continue
		}
		if i+1 < len(stmts) && sorts(stmts[i+1]) {
			continue
		}
		out = append(out, t.finding("map order", f, r, "%s", text))
	}
	return out
}

func (t *tree) isMap(x ast.Expr) bool {
	tv, ok := t.info.Types[x]
	if !ok || tv.Type == nil {
		return false
	}
	_, is := tv.Type.Underlying().(*types.Map)
	return is
}

// orderNotes are the lines that a comment `// order:` speaks of: its own and
// the one below the comment group.
func orderNotes(t *tree, f *file) map[int]bool {
	out := map[int]bool{}
	for _, g := range f.syntax.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "// order: ") {
				out[t.fset.Position(c.Pos()).Line] = true
				out[t.fset.Position(g.End()).Line+1] = true
			}
		}
	}
	return out
}

func sorts(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	return ok && isSorting(call)
}

func isSorting(call *ast.CallExpr) bool {
	name := selector(call.Fun)
	return strings.HasPrefix(name, "sort.") || strings.HasPrefix(name, "slices.Sort")
}

// selector prints a call's function as pkg.Name, "" when it is anything else.
func selector(x ast.Expr) string {
	if s, ok := x.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name + "." + s.Sel.Name
		}
	}
	return ""
}

// narrow finds constants that do not fit an int of 32 bits where they are used as
// one: the whole tree is checked with the sizes of such a machine. The largest int
// is that of this one, since the packages of others are compiled for it.
func narrow(t *tree) (out []finding) {
	for _, e := range t.wide {
		if strings.Contains(e.Msg, strconv.Itoa(math.MaxInt)) {
			continue
		}
		at := t.fset.Position(e.Pos)
		out = append(out, finding{"32 bits", at.Filename, at.Line, e.Msg + "; instead: int64 or uint64"})
	}
	return out
}

// outside finds commands that open files of this machine by themselves: only
// hostdir looks at what it opens.
func outside(t *tree) (out []finding) {
	for _, f := range t.files {
		if f.test || f.room() != "cmd/internal/cli" {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				switch name := selector(call.Fun); name {
				case "os.ReadFile", "os.Open", "os.DirFS", "os.OpenRoot":
					out = append(out, t.finding("outside", f, call, "%s; instead: hostdir, which takes regular files up to a size and no link out", name))
				}
			}
			return true
		})
	}
	return out
}
