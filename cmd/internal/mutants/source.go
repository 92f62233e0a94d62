package main

import "strings"

// Where the outcomes are kept, below the module's directory.
const (
	resultsFile = "sim/audit/testdata/mutants.json"
	plantedFile = "sim/audit/testdata/planted.json"
)

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
