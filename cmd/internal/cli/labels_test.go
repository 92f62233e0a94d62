package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"agentsim/cmd/internal/ui"
)

func TestLabels(t *testing.T) {
	t.Run("CLI-03 lines behind a label keep to the terminal's width without losing a word, and one to be pasted stays whole", labelWidth)
	t.Run("TTY-03 every name in front of a line below a run's table is in the glossary", glossary)
	for _, width := range []int{60, 80, 120, 200} {
		t.Run(fmt.Sprintf("TTY-01 at %d columns no row of the comparison breaks, and from 120 on every column shows", width), func(t *testing.T) {
			if width != 80 {
				long(t)
			}
			_, out, _ := try(func(s *ui.Env) { s.Terminal, s.Width = true, width }, append(twoWays, "--record", "none")...)
			whole := out
			if width < 80 {
				whole = strings.Join(strings.SplitN(out, "\n\n", 3)[:2], "\n") // the sweep below has a column for each variant
			}
			for _, line := range strings.Split(whole, "\n") {
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

// glossary looks the names up that the lines of runs have.
func glossary(t *testing.T) {
	text, err := os.ReadFile("../../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("run/document.go")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`Label\("([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(names) < 10 {
		t.Fatalf("found %d names", len(names))
	}
	for _, n := range names {
		if !strings.Contains(string(text), "\n| "+n[1]+" |") {
			t.Errorf("%s is not in docs/glossary.md", n[1])
		}
	}
}
