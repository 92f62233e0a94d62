package ui

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// OutputFlag adds the flag that says in which form results are printed.
func OutputFlag(f *pflag.FlagSet, to *string) {
	*to = "table"
	f.VarP((*form)(to), "output", "o", "how results are printed: "+strings.Join(Formats, ", "))
}

// form is a flag whose value is one of Formats.
type form string

// String is the form.
func (f *form) String() string { return string(*f) }

// Type is what the flag's value is called.
func (f *form) Type() string { return "string" }

// Set takes a form, and refuses what is none.
func (f *form) Set(name string) error {
	if !slices.Contains(Formats, name) {
		return Failf(Usage, "--output %s: write one of %s", name, strings.Join(Formats, ", "))
	}
	*f = form(name)
	return nil
}

// Formats are the ways in which results are printed for machines and people.
var Formats = []string{"table", "json", "ndjson", "csv", "markdown"}
