package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentsim/metrics/report"

	"github.com/spf13/cobra"
)

// checkOutput refuses a form in which no results are printed.
func checkOutput(output string) error {
	if !slices.Contains(formats, output) {
		return failf(Usage, "--output %s: write one of %s", output, strings.Join(formats, ", "))
	}
	return nil
}

// noOutput gives a command that prints nothing in rows the flag that says so.
func noOutput(cmd *cobra.Command, why string) {
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
	return failf(Usage, "--output %s: %s prints no table: %s", form, o.cmd.CommandPath(), o.why)
}

// outputHelp is what --output does.
var outputHelp = "how results are printed: " + strings.Join(formats, ", ")

// rowed is a document that holds one list which is its table. A document that is
// a list is its own table, and one without a list is one row.
type rowed interface {
	// rows is the list, a slice.
	rows() any
}

// emit prints a document for machines: all of it as JSON; of the other forms the
// rows, one JSON document a line, or a table whose columns are the fields.
func (s *State) emit(output string, doc any) error {
	if output == "json" {
		return s.writeJSON(doc)
	}
	rows, empty := rowsIn(doc)
	texts, err := encoded(rows)
	if err != nil {
		return failf(Operating, "cannot write the result: %w", err)
	}
	if output == "ndjson" {
		for _, t := range texts {
			s.printf("%s", t)
		}
		return nil
	}
	titles, err := encoded(empty)
	if err != nil {
		return failf(Operating, "cannot write the result: %w", err)
	}
	t, err := flatTable(titles, texts)
	if err != nil {
		return failf(Operating, "cannot write the result: %w", err)
	}
	if output == "csv" {
		return t.CSV(s.Stdout)
	}
	return t.Markdown(s.Stdout)
}

// emitRun prints what variants came to. Its table has the columns that people
// see: as CSV the exact metrics behind them, as Markdown what the terminal shows.
// All metrics are in the JSON alone.
func (s *State) emitRun(o *runOptions, doc runJSON, done []executed) error {
	columns, err := report.Columns(o.columns)
	if err != nil {
		return err
	}
	switch o.output {
	case "csv":
		return exactRuns(doc, report.Metrics(columns)).CSV(s.Stdout)
	case "markdown":
		if !slices.Contains(columns, "outcome") {
			columns = append(columns, "outcome")
		}
		return report.Comparison(rowsOf(done), columns).Markdown(s.Stdout)
	}
	return s.emit(o.output, doc)
}

// exactRuns has a row for each variant: which run it is, how it ended, and some
// metrics. One without data is empty.
func exactRuns(doc runJSON, names []string) *report.Table {
	t := report.NewTable(append([]string{"variant", "run", "seed", "policy", "outcome"}, names...)...)
	for i := range doc.Variants {
		v := &doc.Variants[i]
		cells := []string{v.Variant, v.Run, fmt.Sprint(v.Seed), v.Policy, v.Outcome}
		for _, name := range names {
			cell := ""
			if f, ok := v.Metrics[name]; ok {
				cell = f.text()
			}
			cells = append(cells, cell)
		}
		t.Row(cells...)
	}
	return t
}

// text is an exact figure in one cell.
func (f figure) text() string {
	if f.Den == 1 {
		return fmt.Sprint(f.Num)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}

// encoded are values as JSON, a line each.
func encoded(list []any) (out [][]byte, err error) {
	for _, x := range list {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(x); err != nil {
			return nil, err
		}
		out = append(out, b.Bytes())
	}
	return out, nil
}

// rowsIn are a document's rows. Where there are none, empty is one without
// content, so that a table has its titles.
func rowsIn(doc any) (out, empty []any) {
	if r, ok := doc.(rowed); ok {
		doc = r.rows()
	}
	v := reflect.ValueOf(doc)
	if v.Kind() != reflect.Slice {
		return []any{doc}, nil
	}
	if v.Len() == 0 {
		return nil, []any{reflect.Zero(v.Type().Elem()).Interface()}
	}
	for i := range v.Len() {
		out = append(out, v.Index(i).Interface())
	}
	return out, nil
}

// field is one cell of a flat row: a path of keys, and the value as text.
type field struct{ name, value string }

// flatTable makes a table of JSON objects. A column is a path of keys, in the
// order in which they are seen first; an exact figure is one cell, a list its
// JSON. Titles are objects that give columns and no rows.
func flatTable(titles, texts [][]byte) (*report.Table, error) {
	var names []string
	var rows []map[string]string
	for i, text := range append(titles, texts...) {
		fields, err := flatten(nil, "", text)
		if err != nil {
			return nil, err
		}
		row := map[string]string{}
		for _, f := range fields {
			if !slices.Contains(names, f.name) {
				names = append(names, f.name)
			}
			row[f.name] = f.value
		}
		if i >= len(titles) {
			rows = append(rows, row)
		}
	}
	t := report.NewTable(names...)
	for _, row := range rows {
		cells := make([]string, len(names))
		for i, name := range names {
			cells[i] = row[name]
		}
		t.Row(cells...)
	}
	return t, nil
}

// flatten appends the fields of a JSON value that stands under a name.
func flatten(dst []field, name string, text json.RawMessage) ([]field, error) {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0 || string(text) == "null":
		return append(dst, field{name, ""}), nil
	case text[0] == '"':
		var s string
		err := json.Unmarshal(text, &s)
		return append(dst, field{name, s}), err
	case text[0] != '{':
		return append(dst, field{name, string(text)}), nil
	}
	var f figure
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if strict.Decode(&f) == nil && f.Den > 0 {
		return append(dst, field{name, f.text()}), nil
	}
	return flattenObject(dst, name, text)
}

func flattenObject(dst []field, name string, text json.RawMessage) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		path := fmt.Sprint(key)
		if name != "" {
			path = name + "." + path
		}
		if dst, err = flatten(dst, path, value); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// What is the table of each document that is not a list itself.

func (d agentsJSON) rows() any      { return d.Agents }
func (d cacheJSON) rows() any       { return d.Rows }
func (d crossoverJSON) rows() any   { return d.Rows }
func (d importJSON) rows() any      { return d.Sessions }
func (d lintJSON) rows() any        { return d.Findings }
func (d phasesJSON) rows() any      { return d.Phases }
func (d progressJSON) rows() any    { return d.Changes }
func (d repricedJSON) rows() any    { return d.Agents }
func (d runJSON) rows() any         { return d.Variants }
func (d *validationJSON) rows() any { return d.Repositories }
func (d *whatifJSON) rows() any     { return d.Kinds }
func (d *offersJSON) rows() any     { return d.Questions }
func (d *forkKeyJSON) rows() any    { return d.Forks }
