package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/metrics"
	"agentsim/scenarios/document"
	"agentsim/scenarios/expect"
)

// TestConformance runs the stories of testdata, each named after the ids it
// proves. Their commands:
//
//	parse   a whole file: its errors, or how many variants it has
//	script  the same, behind the lines of baseScript
//	work    the same, behind the lines of baseWork
//	file    as parse, and keeps the file for the commands below
//	names   the variants with their cells
//	show    VARIANT KEY, then overrides one a line: KEY of the effective scenario
//	expect  variants, roots and types, then lines of expect: how each is read
//	evaluate  figures one a line: each expectation's verdict
func TestConformance(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range stories {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) { runStory(t, path) })
	}
}

const baseScript = `agentsim: 1
name: story
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
`

const baseWork = `agentsim: 1
name: story
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
structure: inline
project:
  files: {a.go: "package a\nvar X = 1\n"}
`

func runStory(t *testing.T, path string) {
	var kept *File
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "parse":
			return told(parse(d.Input))
		case "script":
			return told(parse(baseScript + d.Input))
		case "work":
			return told(parse(baseWork + work(d.Input)))
		case "file":
			f, err := parse(d.Input)
			kept = f
			return told(f, err)
		case "names":
			return strings.Join(kept.VariantNames(), "\n") + "\n"
		case "show":
			return show(kept, d)
		case "expect":
			return expected(d)
		case "evaluate":
			return evaluate(kept, d.Input)
		}
		return "unknown command " + d.Cmd
	})
}

// work is what goes on from baseWork, which ends in the project: a story's input
// comes without the blanks in front of it.
func work(input string) string {
	if strings.HasPrefix(input, "facts:") {
		return "  " + input
	}
	return input
}

// filesBeside are the files that a story's scenario may name.
var filesBeside = map[string]string{
	"mine.yaml": "models:\n  claude-sonnet-5-5:\n    - {from: 2026-10-20, input: 1.90, cache_read: 0, cache_write_5m: 2, cache_write_1h: 3, output: 9.5}\n" +
		"    - {from: 2026-11-01, input: 1.80, cache_read: 0.09, cache_write_5m: 2.25, cache_write_1h: 3.60, output: 9}\n  claude-mythos-preview:\n" +
		"    - {from: 2026-01-01, input: 1, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2, output: 5}\n",
	"plan.yaml": "plan: {name: Team, unit: credits, input: 1, cache_read: 0.1, cache_write: 1.25, output: 5, quota: 50_000}\n",
	"fine.yaml": "models:\n  claude-sonnet-5-5:\n    - {from: 2026-11-01, input: 1.8000001, cache_read: -1, cache_write_5m: cheap, cache_write_1h: 20000, output: 9}\n",
	"odd.yaml":  "models:\n  claude-sonnet-5-5:\n    - {input: 1, cache_write: 2, cache_read: 0.1, cache_write_1h: 2, output: 5}\n",
	"lost.yaml": "models:\n  claude-sonnet-5-5:\n    - {input: 1, cache_write_5m: 2, cache_read: 0.1, output: 5}\n    - {from: soon, input: 1, cache_write_5m: 2, cache_write_1h: 2, cache_read: 0.1, output: 5}\n" +
		"  claude-sonet-5-5: []\n  claude-haiku-4-5: []\n  claude-haiku-4-5-20251001: []\nplan: {name: Team, unit: credits}\n",
	"list.yaml": "- a\n", "link.yaml": "file: mine.yaml\n", "none.yaml": "models: {}\n",
	"waits.csv":  "share,wait\n0,200ms\n0.5,900ms\n0.999,3s\n1,1m\n",
	"bad.csv":    "0,1s\n" + strings.Repeat("x", 300) + "\n",
	"huge.csv":   strings.Repeat(" ", MaxBesideBytes+1),
	"binary.csv": "\xff\xfe",
	"tools.json": `{"result": {"instructions": "Ask first.", "tools": [{"name": "query", "description": "Runs \u0000 \u001b[31mSQL` + strings.Repeat(" much", 1_000) + `", "inputSchema": {"type": "object"}}, {"name": "list"}]}}`,
	"odd.json":   `{"tools": [{"name": "odd name"}, {"name": "q"}, {"name": "q"}, {"name": "r", "inputSchema": "text"}, {"name": "s", "inputSchema": ["list"]}]}`, "none.json": `{"tools": []}`,
}

func parse(text string) (*File, error) {
	return Parse("my.yaml", []byte(text), Beside(func(path string) ([]byte, error) {
		if text, ok := filesBeside[path]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("there is no such file")
	}))
}

func told(f *File, err error) string {
	if err != nil {
		return err.Error() + "\n"
	}
	n := len(f.VariantNames())
	return fmt.Sprintf("ok: %d variant%s\n", n, strings.Repeat("s", min(n-1, 1)))
}

func show(f *File, d *datadriven.TestData) string {
	lines := strings.Split(strings.TrimSpace(d.Input), "\n")
	variant, key, _ := strings.Cut(lines[0], " ")
	sets := lines[1:]
	if f == nil {
		return "no file\n"
	}
	s, err := f.Effective(variant, sets)
	if err != nil {
		return err.Error() + "\n"
	}
	again, err := Parse("canonical.yaml", s.Canonical(), ForeignProject)
	if err != nil {
		return "its own text is refused: " + err.Error() + "\n"
	}
	if s2, err := again.Effective("", nil); err != nil || string(s2.Canonical()) != string(s.Canonical()) {
		return fmt.Sprintf("its own text reads back to another: %v\n", err)
	}
	var out []string
	in, depth := false, 0
	for _, line := range strings.SplitAfter(string(s.Canonical()), "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if in = in && indent > depth; !in && indent <= 2 && strings.HasPrefix(line[indent:], key+":") { // on top, or in a block
			in, depth = true, indent
		}
		if in {
			out = append(out, line)
		}
	}
	return strings.Join(out, "") + "\n"
}

// expected says how lines of expect are read.
func expected(d *datadriven.TestData) string {
	in := expect.Known{Variants: []string{""}}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "variants":
			in.Variants = a.Vals
		case "roots":
			in.Roots = a.Vals
		case "types":
			in.Types = a.Vals
		}
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		x, bad := expect.Parse(line, in)
		if bad != nil {
			fmt.Fprintf(&b, "%s\n%s^ %s: %s\n", line, strings.Repeat(" ", bad.Col), bad.Msg, bad.Hint)
			continue
		}
		fmt.Fprintf(&b, "%s   in %s\n", sideText(&x.Left)+" "+string(x.Op)+" "+sideText(&x.Right), x.Variants)
	}
	return b.String()
}

func sideText(s *expect.Side) string {
	if s.Constant {
		return s.Value.String()
	}
	return fmt.Sprintf("(%s|%s|%s)", s.Variant, s.Subject, s.Metric)
}

func evaluate(f *File, input string) string {
	figures := map[string]metrics.Value{}
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		parts := strings.SplitN(line, " ", 3)
		v, err := metrics.ParseValue(parts[2])
		if err != nil {
			return err.Error()
		}
		figures[parts[0]+" "+parts[1]] = v
	}
	lookup := func(variant, subject, metric string) (metrics.Value, bool) {
		if subject != "" {
			variant += "/" + subject
		}
		v, ok := figures[variant+" "+metric]
		return v, ok
	}
	var b strings.Builder
	for _, x := range f.Expect {
		for _, r := range x.Evaluate(lookup) {
			fmt.Fprintf(&b, "%-8s %-20s %s", r.Verdict, r.Variant, x.Text)
			if r.Verdict != expect.NoData {
				fmt.Fprintf(&b, "   (%s, %s)", r.Left, r.Right)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Every error has a place inside its text, an excerpt and no control character,
// whatever the input.
func checkErrors(t *testing.T, src []byte, err error) {
	t.Helper()
	if err == nil {
		return
	}
	var all *document.Errors
	if !errors.As(err, &all) || len(all.List) == 0 || len(all.List) > document.MaxErrors {
		t.Fatalf("not a bounded list of errors: %v", err)
	}
	lines := strings.Count(string(src), "\n") + 1
	for _, e := range all.List {
		if e.Line < 1 || e.Line > lines || e.Col < 1 || e.Excerpt == "" || e.Msg == "" {
			t.Fatalf("badly located: %+v", e)
		}
		if len(e.Error()) > 4000 {
			t.Fatalf("%d bytes of error", len(e.Error()))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		src, err := os.ReadFile("library/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, s := range []string{"", "a", "- b", "a: [", "a: {b: ", baseWork, baseScript, "variants: {a: {set: {a.b: null}}}", "name: |\n  x\n y", "\x00", "? a", "a: 'b", "expect: [\"a < b\", \" < \"]", "matrix:\n  seed: [1]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("f.yaml", src)
		checkErrors(t, src, err)
		if err != nil {
			return
		}
		for _, v := range file.VariantNames()[:1] {
			s, err := file.Effective(v, nil)
			if err != nil {
				t.Fatalf("parsed, yet variant %q fails: %v", v, err)
			}
			roundTrip(t, s)
		}
	})
}
