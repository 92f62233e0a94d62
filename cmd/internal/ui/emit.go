package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/report"

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

// rowed is a document that holds one list which is its table. A document that is
// a list is its own table, and one without a list is one row.
type rowed interface {
	// rows is the list, a slice.
	TableRows() any
}

// Emit prints a document for machines: all of it as JSON; of the other forms the
// rows, one JSON document a line, or a table whose columns are the fields.
func (s *Env) Emit(output string, doc any) error {
	if output == "json" {
		return s.WriteJSON(doc)
	}
	rows, empty := rowsIn(doc)
	texts, err := encoded(rows)
	if err != nil {
		return Failf(Operating, "cannot write the result: %w", err)
	}
	if output == "ndjson" {
		for _, t := range texts {
			s.Printf("%s", t)
		}
		return nil
	}
	titles, err := encoded(empty)
	if err != nil {
		return Failf(Operating, "cannot write the result: %w", err)
	}
	t, err := flatTable(titles, texts)
	if err != nil {
		return Failf(Operating, "cannot write the result: %w", err)
	}
	if output == "csv" {
		return t.CSV(s.Stdout)
	}
	return t.Markdown(s.Stdout)
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
		doc = r.TableRows()
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
	var f Figure
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if strict.Decode(&f) == nil && f.Den > 0 {
		return append(dst, field{name, f.Text()}), nil
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
