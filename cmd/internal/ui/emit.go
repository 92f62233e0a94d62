package ui

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// OutputFlag adds the flag that says in which form results are printed.
func OutputFlag(f *pflag.FlagSet, to *string) {
	ChoiceFlag(f, to, "output", "o", "how results are printed", Formats...)
}

// ChoiceFlag adds a flag whose value is one of some words, the first by default.
func ChoiceFlag(f *pflag.FlagSet, to *string, name, letter, usage string, words ...string) {
	*to = words[0]
	f.VarP(&choice{to, name, words}, name, letter, usage+": "+strings.Join(words, ", "))
}

type choice struct {
	to    *string
	name  string
	words []string
}

// String is the word.
func (c *choice) String() string { return *c.to }

// Type is what the flag's value is called.
func (c *choice) Type() string { return "word" }

// Set takes one of the words, and refuses any other.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return Failf(Usage, "--%s %s: write one of %s", c.name, word, strings.Join(c.words, ", "))
	}
	*c.to = word
	return nil
}

// Formats are the ways in which results are printed for machines and people.
var Formats = []string{"table", "json", "ndjson", "csv", "markdown", "html"}
