package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/grid"
	"agentsim/scenarios"
)

func TestLabels(t *testing.T) {
	t.Run("CLI-03 lines behind a label keep to the terminal's width without losing a word, and one to be pasted stays whole", labelWidth)
	t.Run("TTY-03 every name in front of a line and every title of a column, of all commands, is in the glossary", glossary)
	t.Run("TTY-03 every axis that crossover varies, and that the library's scenarios sweep, is in the glossary", axisTitles)
	for _, width := range []int{60, 80, 120, 200} {
		t.Run(fmt.Sprintf("TTY-01 at %d columns no row of the comparison breaks, and from 120 on every column shows", width), func(t *testing.T) {
			if width != 80 {
				long(t)
			}
			_, out, _ := try(func(s *ui.Env) { s.Terminal, s.Width = true, width }, append(twoWays, "--record", "none")...)
			for _, line := range strings.Split(out, "\n") {
				if !toPaste(line) && utf8.RuneCountInString(ansi.ReplaceAllString(line, "")) > width {
					t.Errorf("wider than %d: %s", width, line)
				}
			}
			if told := strings.Contains(out, "not shown at"); told != (width < 120) {
				t.Errorf("columns are left out: %v\n%s", told, out)
			}
		})
	}
}

// twoWays runs two variants of the flagship, whose bills differ.
var twoWays = []string{"run", "fork-vs-subagent", "--no-audit", "--variant", "inline", "--variant", "fork"}

// toPaste reports whether a line is one to be pasted.
func toPaste(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "agentsim ") }

// ansi are sequences that colour.
var ansi = regexp.MustCompile("\x1b\\[[0-9]*m")

// labelWidth looks at the lines behind the table of a run whose bills differ.
func labelWidth(t *testing.T) {
	long(t)
	const width = 64
	db := filepath.Join(t.TempDir(), strings.Repeat("x", width)+".db")
	behind := func(terminal bool) []string {
		_, out, stderr := try(func(s *ui.Env) { s.Terminal, s.Width = terminal, width }, append(twoWays, "--db", db)...)
		_, tail, found := strings.Cut(out, "\nwhy ")
		if !found {
			t.Fatalf("no line of why:\n%s%s", out, stderr)
		}
		tail, _, _ = strings.Cut(tail, "OVERLAP") // a table
		return strings.Split(strings.TrimRight(tail[:strings.LastIndexByte(tail, '\n')], "\n"), "\n")
	}
	wide := func(lines []string) (out []string) {
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width && !strings.Contains(line, db) && !toPaste(line) {
				out = append(out, line)
			}
		}
		return out
	}
	pipe, fitted := behind(false), behind(true)
	if len(wide(pipe)) < 3 {
		t.Fatalf("few lines are wide:\n%s", strings.Join(pipe, "\n"))
	}
	if lines := wide(fitted); lines != nil {
		t.Errorf("wider than %d columns:\n%s", width, strings.Join(lines, "\n"))
	}
	var pasted []string
	for _, line := range pipe {
		if strings.Contains(line, "agentsim replay") {
			pasted = append(pasted, line)
		}
	}
	if len(pasted) != 1 || !strings.Contains(strings.Join(fitted, "\n"), pasted[0]) {
		t.Errorf("the lines to paste, %q, are not in\n%s", pasted, strings.Join(fitted, "\n"))
	}
	words := func(lines []string) string { return strings.Join(strings.Fields(strings.Join(lines, " ")), " ") }
	if got, want := words(fitted), words(pipe); got != want {
		t.Errorf("words are lost or moved:\n%s\nwant\n%s", got, want)
	}
}

// computed are the names of lines that are not literals where they are printed, by
// the file.
var computed = map[string][]string{
	"cmd/internal/cli/compare/document.go": {"unfinished", "only in A", "only in B", "cause", "events"},
	"cmd/internal/cli/profile/show.go":     {"source"},
	"cmd/internal/cli/report/document.go":  {"assumed", "unverified", "unfinished"},
	"cmd/internal/cli/whatif/answer.go":    {"saved", "costs more"},
	"metrics/report/document.go":           {}, // where Label says what it is given
}

// title is a column's title as sources have it.
var title = regexp.MustCompile(`^ ?[A-Z][A-Z0-9 ,:%/'-]*$`)

// glossary looks the names of lines and the titles of columns up that any command
// has: they are read from the sources, where each is a literal.
func glossary(t *testing.T) {
	known, found := glossaryWords(t), 0
	for _, file := range sources(t) {
		names, aside := namesIn(t, file)
		if file = strings.TrimPrefix(filepath.ToSlash(file), "../../../"); aside && computed[file] == nil {
			t.Errorf("%s prints a line under a name that is no literal: list the names it has", file)
		}
		for _, name := range append(names, computed[file]...) {
			if found++; !known[name] {
				t.Errorf("%s of %s is not in docs/glossary.md", name, file)
			}
		}
	}
	if found < 300 {
		t.Fatalf("found %d names", found)
	}
}

// glossaryWords are those that the glossary has.
func glossaryWords(t *testing.T) map[string]bool {
	text, err := os.ReadFile("../../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(string(text), -1) {
		for _, name := range strings.Split(row[1], "; ") {
			known[name] = true
		}
	}
	return known
}

// axisTitles looks up what is varied by crossover and by the sweeps of the library,
// whose titles are computed.
func axisTitles(t *testing.T) {
	source, err := os.ReadFile("crossover/axis.go")
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{"MODEL"}
	for _, m := range regexp.MustCompile(`(?m)^\t\{"(\w+)", metrics\.\w+, "[^"]+", "[^"]+",`).FindAllStringSubmatch(string(source), -1) {
		titles = append(titles, strings.ToUpper(m[1]))
	}
	if len(titles) != 6 {
		t.Fatalf("crossover varies %v", titles)
	}
	for _, name := range scenarios.Names() {
		f, err := scenarios.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range f.Sweep {
			titles = append(titles, strings.ToUpper(grid.Axis{Path: a.Path}.Word()))
		}
	}
	known := glossaryWords(t)
	for _, title := range titles {
		if !known[title] {
			t.Errorf("%s is not in docs/glossary.md", title)
		}
	}
}

// sources are those of what prints documents.
func sources(t *testing.T) (out []string) {
	for _, dir := range []string{"../../../cmd/internal", "../../../metrics"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// namesIn are the names of lines and the titles of columns of a source; aside is
// whether a line's name is none of its literals.
func namesIn(t *testing.T, file string) (names []string, aside bool) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	literal := func(x ast.Expr) (string, bool) {
		if l, ok := x.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			return text, err == nil
		}
		return "", false
	}
	var titles []string
	columns := false
	ast.Inspect(tree, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CallExpr:
			if f, ok := x.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Label" || f.Sel.Name == "LabelMarked" || f.Sel.Name == "Detail") && len(x.Args) > 1 {
				name, ok := literal(x.Args[0])
				if aside = aside || !ok; name != "" {
					names = append(names, name)
				}
			}
		case *ast.SelectorExpr:
			columns = columns || x.Sel.Name == "Column"
		case *ast.IndexExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				columns = columns || id.Name == "Column"
			}
		case ast.Expr:
			if text, ok := literal(x); ok && title.MatchString(text) {
				titles = append(titles, strings.TrimSpace(text))
			}
		}
		return true
	})
	if columns {
		names = append(names, titles...)
	}
	return names, aside
}
