package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const root = "../../.."

func written(t *testing.T) (all []checkResult) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func inSource(t *testing.T) []string {
	t.Helper()
	names, err := named(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 40 {
		t.Fatalf("only %d mutants found in the source", len(names))
	}
	return names
}

func TestMutants(t *testing.T) {
	t.Run("MET-04 every check and proof has a mutant that was caught, by something, and the file of results knows every mutant in the source", func(t *testing.T) {
		var names []string
		all := written(t)
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
				names = append(names, m.Name)
				if !m.Caught || m.By == "" || checkOf(m.Name) != c.Check {
					t.Errorf("%s: %s was missed", c.Check, m.Name)
				}
			}
		}
		slices.Sort(names)
		if want := inSource(t); !slices.Equal(names, want) {
			t.Errorf("run make mutants: the source has\n%v\nthe file has\n%v", want, names)
		}
	})
	t.Run("MET-04 a release holds neither a switch nor the name of one", func(t *testing.T) {
		if testing.Short() {
			t.Skip("builds the program")
		}
		program := filepath.Join(t.TempDir(), "agentsim")
		cmd := exec.Command("go", "build", "-o", program, "agentsim/cmd/agentsim")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("no-audit")) {
			t.Fatal("the program's own words are not found in it")
		}
		for _, name := range inSource(t) {
			if bytes.Contains(text, []byte(name)) {
				t.Errorf("the release holds %q", name)
			}
		}
	})
}
