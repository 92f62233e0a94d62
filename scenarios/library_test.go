package scenarios

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"agentsim/scenarios/document"
	"agentsim/sim/gate"
)

func TestLibrary(t *testing.T) {
	t.Run("SCN-01 every scenario of the library says why it exists, what to look at, and parses", func(t *testing.T) {
		entries, err := Library()
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) < 4 {
			t.Fatalf("%d scenarios", len(entries))
		}
		for _, e := range entries {
			if f, err := Open(e.Name); err != nil || f.Name != e.Name || e.Why == "" || len(e.LookAt) == 0 || e.Why != f.Why || !slices.Equal(e.LookAt, f.LookAt) {
				t.Errorf("%s: %+v, %v", e.Name, e, err)
			}
		}
	})
	t.Run("SCN-02 an unknown scenario is told with the nearest name", func(t *testing.T) {
		_, err := Open("fork-vs-subagnet")
		if err == nil || !strings.Contains(err.Error(), `did you mean "fork-vs-subagent"?`) {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("SCN-01 the embedded projects are an order service of some thirty files and 100 KB, and an HTTP package of some forty and 670", func(t *testing.T) {
		for name, most := range map[string]int{"orders-service": 150_000, "httpkit": 800_000} {
			files, err := EmbeddedProject(name)
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for p, text := range files {
				total += len(text)
				if badPath(p) != "" || !strings.HasSuffix(text, "\n") || strings.Contains(text, "[[") {
					t.Errorf("file %s is not as the scenarios need it", p)
				}
			}
			if len(files) < 31 || total < most*2/3 || total > most {
				t.Errorf("%s: %d files, %d bytes", name, len(files), total)
			}
		}
		if files, _ := EmbeddedProject("httpkit"); !strings.Contains(files["LICENSE"], "Copyright 2009 The Go Authors") {
			t.Error("files of others without their licence")
		}
	})
	t.Run("SCN-01 a project's files are those of its archive", func(t *testing.T) {
		for _, text := range []string{"", "words\n", "words\n-- a --\n", "words\n-- a --\none\n-- no file\n-- b/c --\n\n-- d --\ntwo\nthree\n"} {
			got, want := archived(text), map[string]string{}
			for _, f := range txtar.Parse([]byte(text)).Files {
				want[f.Name] = string(f.Data)
			}
			if !maps.Equal(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	})
	t.Run("GATE-01 the gates of scenarios are the agents' gates, with the same defaults", func(t *testing.T) {
		have, said := gate.Default(), Defaults()
		for _, g := range gate.All() {
			if said.Gates[g.Name] != g.Default || (&Scenario{}).Gate(g.Name) != g.Default {
				t.Errorf("%s: scenarios say %q, agents %q", g.Name, said.Gates[g.Name], g.Default)
			}
			for _, v := range g.Values() {
				if err := have.Set(g.Name, v); err != nil {
					t.Errorf("%s=%s: %v", g.Name, v, err)
				}
			}
		}
	})
}

func TestHostile(t *testing.T) {
	t.Run("SCN-08 huge, deep and endless texts are refused at once, with a place", func(t *testing.T) {
		for name, src := range map[string]string{
			"too large":     "agentsim: 1\nname: " + strings.Repeat("x", MaxFileBytes),
			"flow depth":    "a: " + strings.Repeat("[", 20_000),
			"block depth":   strings.Repeat("- ", 20_000) + "a",
			"indent depth":  indented(2_000),
			"many tokens":   "a: [" + strings.Repeat("1,", MaxTokens) + "1]",
			"not text":      "name: \xff\xfe",
			"quotes":        strings.Repeat(`"`, 20_000),
			"colons":        strings.Repeat(":", 20_000),
			"long key":      strings.Repeat("k", 50_000) + ": 1",
			"many keys":     unknowns(3_000),
			"spaced keys":   strings.ReplaceAll(unknowns(3_000), ": 1", ": |\n  x\n# c"),
			"flow keys":     "a: {" + strings.ReplaceAll(unknowns(3_000), "\n", ", ") + "}",
			"many unknowns": unknowns(1_000),
			"bad work":      baseWork + "work:\n" + strings.Repeat("  - {id: a, kind: b, after: [c], knows: [d], found_in: [e.go]}\n", 5_000),
		} {
			_, err := Parse("hostile.yaml", []byte(src))
			if err == nil {
				t.Errorf("%s: accepted", name)
				continue
			}
			checkErrors(t, []byte(src), err)
			if strings.HasSuffix(name, " keys") && !strings.Contains(err.Error(), "more than 2,000 keys") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
	t.Run("SCN-08 nesting is bounded before the recursive parser sees it", func(t *testing.T) {
		for _, src := range []string{"a: " + strings.Repeat("[", 60) + strings.Repeat("]", 60), strings.Repeat("- ", 60) + "a", indented(60)} {
			if _, err := Parse("hostile.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), "nested more than 48 levels") {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("SCN-08 a grid of millions of cells and a work list of millions are refused", func(t *testing.T) {
		axis := ": [" + strings.Repeat("1,", 999) + "1]\n"
		_, err := Parse("hostile.yaml", []byte(baseWork+"work: [{id: a, kind: research}]\nmatrix:\n  model.reads_per_turn"+axis+"  model.spawns_per_turn"+axis+"  model.gist_tokens"+axis))
		if err == nil || !strings.Contains(err.Error(), "more than 1024 cells") {
			t.Fatalf("got %v", err)
		}
		variants := "variants:\n"
		for i := range 60 {
			variants += fmt.Sprintf("  v%d: {}\n", i)
		}
		_, err = Parse("hostile.yaml", []byte(baseScript+variants+strings.Repeat("# bulk\n", 100_000)))
		if err == nil || !strings.Contains(err.Error(), "too many to check") {
			t.Fatalf("got %v", err)
		}
		_, err = Parse("hostile.yaml", []byte(baseScript+"lab: {faults: ["+strings.Repeat("a,", document.MaxListed+1)+"]}\n"))
		if err == nil || !strings.Contains(err.Error(), "more than 20000 entries") {
			t.Fatalf("got %v", err)
		}
	})
}

func indented(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sa:\n", strings.Repeat(" ", i))
	}
	return b.String()
}

func unknowns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}
