package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// hook is a call of a switch in the source.
var hook = regexp.MustCompile(`mutant\.On\("([A-Z]+-[A-Z]?[0-9]+/[a-z0-9-]+)"\)`)

// named lists the mutants in the source below root, sorted.
func named(root string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range hook.FindAllSubmatch(src, -1) {
			if at := string(m[1]); !slices.Contains(names, at) {
				names = append(names, at)
			}
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// resultsFile is where the outcome is kept, below the module's directory.
const resultsFile = "sim/audit/testdata/mutants.json"

// checkResult is a statement and what became of its mutants, as the file has it.
type checkResult struct {
	Check   string   `json:"check"`
	What    string   `json:"what"`
	Mutants []result `json:"mutants"`
}

// result is what became of a mutant.
type result struct {
	Name     string `json:"name"`
	Scenario string `json:"scenario,omitempty"` // name/variant
	Seed     uint64 `json:"seed,omitempty"`
	Caught   bool   `json:"caught"`
	By       string `json:"by,omitempty"` // "invariant", or the expectation or verdict of the lint that it breaks
}

// checkOf is the check that has to notice a mutant.
func checkOf(mutant string) string {
	id, _, _ := strings.Cut(mutant, "/")
	return id
}
