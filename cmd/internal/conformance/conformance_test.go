package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a small tree: statements in t.Run, in a table, in a helper, in a
// story, and things that only look like statements.
var sample = map[string]string{
	"a/a_test.go": `package a
import "testing"
var table = []struct{ name string }{{"CON-02 CON-10 from a table | with a bar"}}
func TestTable(t *testing.T) { for _, c := range table { t.Run(c.name, nil) } }
func TestConformance(t *testing.T) {
	t.Run("CON-10 said at once", nil)
	t.Run("CACHE-L1 a law", nil)
	t.Run("CON-3: no id, no statement", nil)
	helper(t)
	walk("testdata")
}
func helper(t *testing.T) { t.Run("CON-09 from a helper", nil) }
`,
	"a/data_test.go": `package a
import "testing"
type row struct { left, name string }
func TestFed(t *testing.T) {
	for _, c := range []*row{{"SUB-12 SUB-18", "CON-11 by place"}, {name: "CON-12 by key"}} { t.Run(c.name + "!", nil) }
	for what := range map[string]string{"CON-13 a key": "SUB-13 its value"} { t.Run(what, nil) }
	check := func(name, want string) { t.Run(name, nil) }
	check("CON-14 an argument", "SUB-14 another argument")
	for _, part := range []string{"ISO-02 is broken at event 41"} { t.Error(part, "LOOP-04 a request is not well-formed:") }
	t.Errorf("ISO-03 %d", 1)
}
`,
	"a/testdata/CON-01-x.txt":    "# CON-01 CON-02 a story\n\nmore\n",
	"a/testdata/plain.txt":       "# a story without an id\n",
	"a/testdata/CON-07-late.txt": "the id is not in the first line\n# CON-07 late\n",
	"b/testdata/s.txtar":         "# CLI-02 a script\n",
	"c/c.go":                     "package c\nconst s = \"CON-55 not a test\"\n",
	".hidden/h_test.go":          "package h\nvar s = \"CON-66 hidden\"\n",
}

func plant(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range sample {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDocument(t *testing.T) {
	root := plant(t)
	var out, errs bytes.Buffer
	if code := run([]string{"-root", root}, &out, &errs); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	text, err := os.ReadFile(filepath.Join(root, "CONFORMANCE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(string(text), "out of date.\n\n")
	want := `10 ids, 10 tests.

## CACHE

| id | what holds | package | test |
|---|---|---|---|
| CACHE-L1 | a law | a | TestConformance |

## CLI

| id | what holds | package | test |
|---|---|---|---|
| CLI-02 | a script | b | s |

## CON

| id | what holds | package | test |
|---|---|---|---|
| CON-01 | a story | a | TestConformance/CON-01-x |
| CON-02 | a story | a | TestConformance/CON-01-x |
| CON-02 | from a table \| with a bar | a | TestTable |
| CON-09 | from a helper | a | TestConformance |
| CON-10 | from a table \| with a bar | a | TestTable |
| CON-10 | said at once | a | TestConformance |
| CON-11 | by place | a | TestFed |
| CON-12 | by key | a | TestFed |
| CON-13 | a key | a | TestFed |
| CON-14 | an argument | a | TestFed |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCheck(t *testing.T) {
	root := plant(t)
	var out, errs bytes.Buffer
	if code := run([]string{"-root", root, "-check"}, &out, &errs); code != 1 {
		t.Errorf("no file: exit %d, want 1", code)
	}
	run([]string{"-root", root}, &out, &errs)
	if code := run([]string{"-root", root, "-check"}, &out, &errs); code != 0 {
		t.Errorf("fresh file: exit %d, want 0", code)
	}
	story := filepath.Join(root, "a", "testdata", "plain.txt")
	if err := os.WriteFile(story, []byte("# CON-77 new\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if code := run([]string{"-root", root, "-check"}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "out of date") {
		t.Errorf("stale file: exit %d, %q", code, errs.String())
	}
	if code := run([]string{"-no-such-flag"}, &out, &errs); code != 2 {
		t.Errorf("unknown flag: exit %d, want 2", code)
	}
}

func TestMutants(t *testing.T) {
	t.Run("MET-04 the page tells each statement's mutants, the run that showed each and by what, and what was missed", func(t *testing.T) {
		root := plant(t)
		name := filepath.Join(root, filepath.FromSlash(mutantsFile))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		const results = `[{"check":"CON-01","what":"one | two","mutants":[{"name":"CON-01/a","scenario":"s/v","seed":7,"caught":true,"by":"invariant"},
			{"name":"CON-01/b"},{"name":"CON-01/c","scenario":"s","seed":7,"caught":true,"by":"expectation: s/v: items.done == 2"}]},
			{"check":"CON-02","what":"three"}]`
		if err := os.WriteFile(name, []byte(results), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{"-root", root}, &out, &errs); code != 0 {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		text, err := os.ReadFile(filepath.Join(root, "CONFORMANCE.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{
			`| CON-01 | one \| two | CON-01/a | s/v | 7 | invariant |`,
			`| CON-01 | one \| two | CON-01/c | s | 7 | expectation: s/v: items.done == 2 |`,
			`| CON-01 | one \| two | CON-01/b |  |  | missed |`,
			`| CON-02 | three | none | | | not proven |`,
			`2 of 3 mutants caught.`,
		} {
			if !strings.Contains(string(text), "\n"+line+"\n") {
				t.Errorf("no line %s in\n%s", line, text)
			}
		}
		if err := os.WriteFile(name, []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
		if code := run([]string{"-root", root}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "make mutants") {
			t.Errorf("a broken file: exit %d, %q", code, errs.String())
		}
	})
}
