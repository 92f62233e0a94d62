package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../../.."

func written(t *testing.T, name string, to any) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, to); err != nil {
		t.Fatal(err)
	}
}

func table(t *testing.T, name string) []entry {
	t.Helper()
	list, err := readTable(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func names(list []entry) (out []string) {
	for _, e := range list {
		out = append(out, e.id)
	}
	slices.Sort(out)
	return out
}

func TestMutants(t *testing.T) {
	t.Run("MET-04 every check and proof has a mutant that was caught, by something, and the file of results knows every mutant of the table", func(t *testing.T) {
		var all []checkResult
		written(t, resultsFile, &all)
		var known []string
		want := statements()
		if len(all) != len(want) {
			t.Fatalf("%d statements in the file, there are %d: run make mutants", len(all), len(want))
		}
		for i, c := range all {
			if want := want[i]; c.Check != want.id || c.What != want.what {
				t.Errorf("statement %s stands in the place of %s: run make mutants", c.Check, want.id)
			}
			if len(c.Mutants) == 0 {
				t.Errorf("%s has no mutant", c.Check)
			}
			for _, m := range c.Mutants {
				known = append(known, m.Name)
				if !m.Caught || m.By == "" || checkOf(m.Name) != c.Check {
					t.Errorf("%s: %s was missed", c.Check, m.Name)
				}
			}
		}
		slices.Sort(known)
		if want := names(table(t, mutantTable)); !slices.Equal(known, want) {
			t.Errorf("run make mutants: the table has\n%v\nthe file has\n%v", want, known)
		}
	})
	t.Run("AUD-05 of the planted bugs the auditor sees no fewer than it did, and the file of results knows every one", func(t *testing.T) {
		var seen []result
		written(t, plantedFile, &seen)
		var known []string
		for _, r := range seen {
			known = append(known, r.Name)
		}
		slices.Sort(known)
		if want := names(table(t, plantedTable)); !slices.Equal(known, want) {
			t.Errorf("run make mutants: the table has\n%v\nthe file has\n%v", want, known)
		}
		if err := enough(seen); err != nil {
			t.Error(err)
		}
	})
}

func TestOrder(t *testing.T) {
	t.Run("MET-04 where an entry was caught last is looked first, then everywhere else", func(t *testing.T) {
		all := []place{{name: "a"}, {name: "b"}, {name: "c"}}
		x := &trial{last: map[string]result{"A-01/known": {Scenario: "b"}, "A-01/gone": {Scenario: "d"}}}
		for name, want := range map[string]string{"A-01/known": "b c a ", "A-01/gone": "a b c ", "A-01/new": "a b c "} {
			got := ""
			for _, p := range x.inOrder(name, all) {
				got += p.name + " "
			}
			if got != want {
				t.Errorf("%s: %s, not %s", name, got, want)
			}
		}
	})
}

// TestWeave holds the tables against the source, and what they make of it.
func TestWeave(t *testing.T) {
	t.Run("MET-04 each text that an entry replaces is in its function exactly once", func(t *testing.T) {
		all := append(table(t, mutantTable), table(t, plantedTable)...)
		if _, err := overlay(root, t.TempDir(), all); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("MET-04 nothing of the switches is in the source", func(t *testing.T) {
		imports(t, root, func(name, path string) {
			if path == "agentsim/sim/mutant" {
				t.Errorf("%s imports %s, which only the overlay has", name, path)
			}
		})
	})
	for _, c := range []struct{ name, table, want string }{
		{"a text that is not there", "A-01/x: it\nat f.go T.f\n-return 2\n", `t\.txt:1: A-01/x: at f\.go T\.f: the old text is there 0 times, not once`},
		{"a text that is there twice", "A-01/x: it\nat f.go T.f\n-x++\n", `t\.txt:1: A-01/x: at f\.go T\.f: the old text is there 2 times, not once`},
		{"a function that is not there", "A-01/x: it\nat f.go g\n-x++\n", `t\.txt:1: A-01/x: there is no function g in f\.go`},
		{"an entry without a text", "A-01/x: it\nat f.go T.f\n+x++\n", `t\.txt:1: A-01/x: at f\.go T\.f: there is no old text`},
		{"a line that is nothing", "A-01/x: it\nat f.go T.f\nx++\n", `t\.txt:3: A-01/x: a line begins with`},
	} {
		t.Run("MET-04 "+c.name+" is told with file and entry", func(t *testing.T) {
			_, err := wovenOf(t, c.table)
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	t.Run("MET-04 a function calls its broken twin, which notes that its place was reached", func(t *testing.T) {
		got, err := wovenOf(t, "A-01/x: it\nat f.go T.f\n-\treturn x\n+\treturn 7\n\nA-01/y: it\nimport \"os\"\nat f.go T.f\n-x == 0 {\n-x++\n+x != 0 {\n")
		if err != nil {
			t.Fatal(err)
		}
		const want = `package p;import mutant_ "agentsim/sim/mutant";import "os"

type T int

func (r_0 T) f(x int, p_1 string) int { if mutant_.On(0) { return r_0.f_mutant0(x, p_1) }; if mutant_.On(1) { return r_0.f_mutant1(x, p_1) };
	x++
	if x == 0 {
		x++
	}
	return x
}

func (T) f_mutant0(x int, _ string) int {
	x++
	if x == 0 {
		x++
	}
	mutant_.Reach(); 	return 7
}

func (T) f_mutant1(x int, _ string) int {
	x++
	mutant_.Reach(); if x != 0 {
	}
	return x
}
`
		if got != want {
			t.Errorf("found:\n%s\nwant:\n%s", got, want)
		}
	})
}

// wovenOf weaves a table into a small file.
func wovenOf(t *testing.T, text string) (string, error) {
	t.Helper()
	dir, out := t.TempDir(), t.TempDir()
	src := "package p\n\ntype T int\n\nfunc (T) f(x int, _ string) int {\n\tx++\n\tif x == 0 {\n\t\tx++\n\t}\n\treturn x\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "f.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	list, err := parseTable("t.txt", text)
	if err != nil {
		return "", err
	}
	if _, err := overlay(dir, out, list); err != nil {
		return "", err
	}
	got, err := os.ReadFile(filepath.Join(out, "f.go"))
	return string(got), err
}

// imports tells each import of the tree.
func imports(t *testing.T, root string, each func(name, path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				each(name, path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestBroken runs the program with a behaviour broken.
func TestBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	// All of them, as the command weaves them: what the compiler makes is the same.
	all, program := append(table(t, mutantTable), table(t, plantedTable)...), filepath.Join(t.TempDir(), "agentsim")
	t.Chdir(root)
	if err := build(all, "agentsim/cmd/agentsim", program); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	agentsim := func(broken string, args ...string) (code int, out string) {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), variable+"="+broken)
		text, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			return ended.ExitCode(), string(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0, string(text)
	}
	holds := func(t *testing.T, out string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !regexp.MustCompile(`(?m)` + w).MatchString(out) {
				t.Errorf("%s\ndoes not hold %s", out, w)
			}
		}
	}
	t.Run("MET-04 CLI-02 a run that breaks an invariant tells it in the report, stores it and ends with code 6", func(t *testing.T) {
		code, out := agentsim("ISO-09/thinks", "run", "fork-vs-subagent", "--variant", "subagent")
		if code != 6 {
			t.Errorf("exit code %d", code)
		}
		holds(t, out, `^isolation +\d+ invariants, [\d,]+ checks, \d+ broken: ISO-09$`, `ISO-09 is broken at event \d+, .*, by main/`,
			`expected  thinking: false`, `found     thinking: true`, `repeat with: agentsim run fork-vs-subagent --seed 42 --policy fifo --variant subagent`)
		db, err := sql.Open("sqlite3", "file:agentsim.db")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var stored string
		if err := db.QueryRow(`SELECT name FROM invariants WHERE broken > 0`).Scan(&stored); err != nil || stored != "ISO-09" {
			t.Errorf("the record says that %q is broken, %v", stored, err)
		}
	})
	t.Run("MET-04 the same program breaks nothing unasked", func(t *testing.T) {
		code, out := agentsim("", "run", "fork-vs-subagent", "--variant", "subagent", "--record", "none")
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
		holds(t, out, `isolation .* none broken$`)
	})
}
