package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// mutantsFile is what make mutants writes, below the root.
const mutantsFile = "sim/audit/testdata/mutants.json"

// audited is a statement that mutants are for, and what became of them.
type audited struct {
	Check   string
	What    string
	Mutants []struct {
		Name     string
		Scenario string
		Seed     uint64
		Caught   bool
		By       string
	}
}

// readMutants reads the results; a tree without them has none.
func readMutants(root string) (out []audited, err error) {
	name := filepath.Join(root, filepath.FromSlash(mutantsFile))
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(src, &out); err != nil {
		return nil, fmt.Errorf("%s: %w; run make mutants", name, err)
	}
	return out, nil
}

const auditHead = `
## What is broken on purpose, and seen

Each line is a statement and a mutant: the behaviour, broken on purpose in a build made for that, and the run that showed it.
An invariant is a check of ` + "`sim/audit`" + `, made on every run. What no run breaks by itself is caught by what a scenario expects, or
by what ` + "`agentsim lint`" + ` says of its runs. ` + "`make mutants`" + ` makes them all again.

`

// renderMutants writes the table of checks and mutants.
func renderMutants(b *bytes.Buffer, all []audited) {
	if len(all) == 0 {
		return
	}
	caught, mutants := 0, 0
	b.WriteString(auditHead + "| id | what is checked | mutant | run | seed | caught by |\n|---|---|---|---|---|---|\n")
	for _, c := range all {
		if len(c.Mutants) == 0 {
			fmt.Fprintf(b, "| %s | %s | none | | | not proven |\n", c.Check, cell(c.What))
		}
		for _, m := range c.Mutants {
			mutants++
			result, seed := "missed", ""
			if m.Caught {
				caught++
				result, seed = cell(m.By), strconv.FormatUint(m.Seed, 10)
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", c.Check, cell(c.What), m.Name, m.Scenario, seed, result)
		}
	}
	fmt.Fprintf(b, "\n%d of %d mutants caught.\n", caught, mutants)
}
