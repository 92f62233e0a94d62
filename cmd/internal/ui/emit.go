package ui

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CheckOutput refuses a form in which no results are printed.
func CheckOutput(output string) error {
	if !slices.Contains(Formats, output) {
		return Failf(Usage, "--output %s: write one of %s", output, strings.Join(Formats, ", "))
	}
	return nil
}

// NoOutput gives a command that prints nothing in rows the flag that says so.
func NoOutput(cmd *cobra.Command, why string) {
	cmd.Flags().VarP(&oneForm{cmd, why}, "output", "o", "")
	if err := cmd.Flags().MarkHidden("output"); err != nil {
		panic(err) // the flag is there
	}
}

// oneForm is a flag that takes no value.
type oneForm struct {
	cmd *cobra.Command
	why string
}

// String is the value that nobody gave.
func (o *oneForm) String() string { return "" }

// Type is what the flag's value is called.
func (o *oneForm) Type() string { return "form" }

// Set refuses every form.
func (o *oneForm) Set(form string) error {
	return Failf(Usage, "--output %s: %s prints no table: %s", form, o.cmd.CommandPath(), o.why)
}

// OutputHelp is what --output does.
var OutputHelp = "how results are printed: " + strings.Join(Formats, ", ")

// OutputFlag adds the flag that says in which form results are printed.
func OutputFlag(f *pflag.FlagSet, to *string) {
	*to = "table"
	f.VarP((*form)(to), "output", "o", OutputHelp)
}

// form is a flag whose value is one of Formats.
type form string

// String is the form.
func (f *form) String() string { return string(*f) }

// Type is what the flag's value is called.
func (f *form) Type() string { return "string" }

// Set takes a form, and refuses what is none.
func (f *form) Set(name string) error {
	*f = form(name)
	return CheckOutput(name)
}

// Formats are the ways in which results are printed for machines and people.
var Formats = []string{"table", "json", "ndjson", "csv", "markdown"}
