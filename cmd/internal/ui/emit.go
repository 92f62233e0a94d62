package ui

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentsim/metrics"

	"github.com/spf13/cobra"
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

// rowed is a document that holds one list which is its table.
type rowed interface {
	// rows is the list, a slice.
	TableRows() any
}

// Emit prints a document for machines: all of it as JSON, or its rows, one JSON
// document a line.
func (s *Env) Emit(output string, doc rowed) error {
	if output == "json" {
		return s.WriteJSON(doc)
	}
	e := json.NewEncoder(s.Stdout)
	e.SetEscapeHTML(false)
	rows := reflect.ValueOf(doc.TableRows())
	for i := range rows.Len() {
		if err := e.Encode(rows.Index(i).Interface()); err != nil {
			return Failf(Operating, "cannot write the result: %w", err)
		}
	}
	return nil
}

// Figure is a metric for machines: exact, with its unit. Den is 1 but for
// ratios.
type Figure struct {
	Num  int64        `json:"num"`
	Den  int64        `json:"den"`
	Unit metrics.Unit `json:"unit"`
}

// WriteJSON prints a document; keys of maps come out sorted.
func (s *Env) WriteJSON(doc any) error {
	e := json.NewEncoder(s.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return Failf(Operating, "cannot write the result: %w", err)
	}
	return nil
}

// Text is an exact figure in one cell.
func (f Figure) Text() string {
	if f.Den == 1 {
		return fmt.Sprint(f.Num)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}

// Formats are the ways in which results are printed for machines and people.
var Formats = []string{"table", "json", "ndjson", "csv", "markdown"}
