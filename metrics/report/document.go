package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Document is what a command answers, said once: parts in the order in which
// people read them, of which some have a name and go to machines too. It is
// printed in one of six forms: the five of Write, and a page (package page).
type Document struct {
	parts   []part
	main    string // the table that stands for the document where a form holds one
	summary string // what Markdown begins with; "" for its headings
}

// part is one piece of a document: text for people, a figure for machines, or a
// table for both.
type part struct {
	say     func(Style) string // text that people see; nil for none
	lines   []string           // of a label
	label   string
	listed  bool                  // it is one of a list of labels
	embed   func(io.Writer) error // what only a page shows: its markup
	heading bool                  // of what Title and Heading say
	name    string                // "" for what machines do not see
	value   Value
	table   *Sheet
}

// Sheet is a table of a document, with columns for people, for machines, or for
// both.
type Sheet struct {
	name    string
	columns []sheetColumn
	hidden  bool // from people
	rows    int
	from    string // the table that has for machines what this one shows; "" for itself
	wider   string // what a reader can do about columns that have no room
}

type sheetColumn struct {
	name, head string
	axis       string
	in         Forms
	unit       Unit
	drop       int
	at         int             // its place among the columns
	cells      []Value         // of what people see
	make       func(int) Value // of a row, where machines alone read it
}

// cell is a row's value.
func (c *sheetColumn) cell(row int) Value {
	if c.make != nil {
		return c.make(row)
	}
	return c.cells[row]
}

// Forms are some of those for machines.
type Forms uint8

// The forms for machines: one object of all that there is, rows as objects, and rows
// of cells.
const (
	JSON Forms = 1 << iota
	NDJSON
	CSV
)

// has reports whether a form has a column.
func (f Forms) has(form Forms) bool { return f == 0 || f&form != 0 }

// Column is one column of a table whose rows are of some type.
type Column[R any] struct {
	Name string        // what machines call it; "" where only people see it
	Head string        // its title, with a blank in front where numbers go to the right; "" where only machines see it
	Axis string        // what the titles of neighbouring columns are values of: in front of the first that is shown
	Of   func(R) Value // a row's value
	Unit Unit          // what the column's values are in, where machines call it by a name that says so
	In   Forms         // the forms for machines that have it; 0 for all of them
	// Drop says when a narrow terminal does without the column: those with the
	// largest number first, one with 0 never.
	Drop int
}

// TableOf makes a table of rows. A value in another unit than its column is a mistake
// of ours, since machines would then miss the unit in the name where there are no rows.
func TableOf[R any](name string, rows []R, columns ...Column[R]) *Sheet {
	s := &Sheet{name: name, rows: len(rows)}
	for i, c := range columns {
		col := sheetColumn{name: c.Name, head: c.Head, axis: c.Axis, in: c.In, drop: c.Drop, unit: c.Unit, at: i}
		of := func(row int) Value {
			v := c.Of(rows[row])
			if c.Name != "" && !v.absent && v.in() != c.Unit && c.Unit != Each {
				panic(fmt.Sprintf("a value of %s in %s is not in the column's unit", c.Name, name))
			}
			return v
		}
		if c.Head == "" {
			col.make = of // people, who look mostly, do not wait for it
		} else {
			for row := range rows {
				col.cells = append(col.cells, of(row))
			}
		}
		s.columns = append(s.columns, col)
	}
	return s
}

// Widen says what a reader can do to see columns that have no room.
func (s *Sheet) Widen(how string) *Sheet { s.wider = how; return s }

// From says which table of the document has for machines all that this one shows.
func (s *Sheet) From(table string) *Sheet { s.from = table; return s }

// Hidden is the table for machines alone.
func (s *Sheet) Hidden() *Sheet { s.hidden = true; return s }

// Shown is the table for people alone.
func (s *Sheet) Shown() *Sheet { s.name = ""; return s }

// Len is the number of rows.
func (s *Sheet) Len() int {
	return s.rows
}

// Say adds text for people, as fmt.Sprintf makes it; a line feed follows. Lines are
// broken between words to the width, but for a command to type.
func (d *Document) Say(format string, args ...any) { d.say(fmt.Sprintf(format, args...), 0) }

// say adds text for people whose further lines stand so many columns behind.
func (d *Document) say(text string, hang int) {
	d.parts = append(d.parts, part{say: func(st Style) string {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if !strings.HasPrefix(strings.TrimLeft(line, " "), "agentsim ") {
				hang := min(hang, len(line))
				lines[i] = line[:hang] + strings.Join(st.Lines(line[hang:], hang), "\n"+strings.Repeat(" ", hang))
			}
		}
		return strings.Join(lines, "\n") + "\n"
	}})
}

// Title adds a line for people that is set off.
func (d *Document) Title(text string) {
	d.Head(func(st Style) string { return st.Bold(text) + "\n" })
}

// Heading adds a line for people that begins with a word that is set off, and an empty
// one below it.
func (d *Document) Heading(word, format string, args ...any) {
	d.Head(func(st Style) string {
		lines := st.Lines(fmt.Sprintf(format, args...), len(word)+3)
		return st.Bold(word) + "   " + strings.Join(lines, "\n"+strings.Repeat(" ", len(word)+3)) + "\n\n"
	})
}

// Head adds a heading that depends on how it may look.
func (d *Document) Head(say func(Style) string) {
	d.parts = append(d.parts, part{say: say, heading: true})
}

// Print adds text for people that depends on how it may look.
func (d *Document) Print(say func(Style) string) { d.parts = append(d.parts, part{say: say}) }

// labelWidth is how wide the names of labels are.
const labelWidth = 12

// Label adds lines for people behind a name that is printed once; nothing where
// there is none. Long lines go on below their beginning, but a command to type.
func (d *Document) Label(name string, lines ...string) { d.LabelMarked(name, nil, lines...) }

// Bad marks every line as what is worse than it should be.
func Bad(string) Mark { return Worse }

// LabelMarked adds them in the colours of their marks, which add nothing to what they say.
func (d *Document) LabelMarked(name string, mark func(line string) Mark, lines ...string) {
	d.parts = append(d.parts, part{label: name, listed: true, lines: lines, say: func(st Style) (out string) {
		name := name
		for _, text := range lines {
			if text == "" {
				continue
			}
			parts := []string{text}
			if !strings.HasPrefix(text, "agentsim ") {
				parts = st.Lines(text, labelWidth+1)
			}
			for _, line := range parts {
				if mark != nil {
					line = st.Paint(line, mark(text))
				}
				out += fmt.Sprintf("%-*s %s\n", labelWidth, name, line)
				name = ""
			}
		}
		return out
	}})
}

// Detail adds a line for people that says one thing of what the heading is about.
func (d *Document) Detail(name, format string, args ...any) {
	head := fmt.Sprintf("  %-18s ", name)
	d.say(head+fmt.Sprintf(format, args...), len(head))
}

// Fields adds the columns of a table of one row as fields for machines.
func (d *Document) Fields(s *Sheet) {
	for _, c := range s.columns {
		if c.name != "" {
			d.Field(c.name, c.cell(0))
		}
	}
}

// Field adds a figure or text for machines.
func (d *Document) Field(name string, v Value) { d.parts = append(d.parts, part{name: name, value: v}) }

// Table adds a table for people and machines: people do not see one without rows
// or titles, machines not one without a name. The first one with a name stands
// for the document where a form holds a single table.
func (d *Document) Table(s *Sheet) {
	if d.main == "" {
		d.main = s.name
	}
	d.parts = append(d.parts, part{name: s.name, table: s})
}

// Main says which table stands for the document where a form holds a single one.
func (d *Document) Main(name string) { d.main = name }

// Summary says what Markdown begins with, in place of what Title and Heading say.
func (d *Document) Summary(heading string) { d.summary = heading }

// Write prints the document in a form: table, json, ndjson, csv or markdown.
func (d *Document) Write(w io.Writer, form string, st Style) error {
	switch form {
	case "json":
		return d.json(w)
	case "ndjson":
		return d.lines(w)
	case "csv":
		if s := d.mainTable(); s != nil {
			return s.machine().CSV(w)
		}
		return d.row().CSV(w)
	case "markdown":
		return d.markdown(w)
	}
	if form != "table" {
		return fmt.Errorf("%s is no form of output", form)
	}
	for _, p := range d.parts {
		var err error
		switch {
		case p.table != nil:
			err = p.table.write(w, st, d.machines(p.table))
		case p.say != nil:
			_, err = io.WriteString(w, p.say(st))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mainTable is the table that stands for the document; nil where it is one row.
func (d *Document) mainTable() *Sheet {
	for _, p := range d.parts {
		if p.table != nil && p.name != "" && p.name == d.main {
			return p.table
		}
	}
	return nil
}

// fields are what machines get beside tables.
func (d *Document) fields() (out []field) {
	for _, p := range d.parts {
		if p.table == nil && p.name != "" {
			out = append(out, p.value.fields(p.name)...)
		}
	}
	return out
}

// row is a document without tables as a table of one row, with an empty cell for what
// nobody knows.
func (d *Document) row() *Table {
	var heads, cells []string
	for _, p := range d.parts {
		if p.table != nil || p.name == "" {
			continue
		}
		names := p.value.in().names(p.name)
		heads = append(heads, names...)
		row := make([]string, len(names))
		for i, f := range p.value.fields(p.name) {
			row[i] = unquoted(f.json)
		}
		cells = append(cells, row...)
	}
	t := NewTable(heads...)
	t.Row(cells...)
	return t
}

// json prints fields and tables as one object, in the document's order.
func (d *Document) json(w io.Writer) error {
	var all []field
	for _, p := range d.parts {
		switch {
		case p.name == "":
		case p.table != nil:
			all = append(all, field{p.name, "[" + strings.Join(p.table.objects(JSON), ",") + "]"})
		default:
			all = append(all, p.value.fields(p.name)...)
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(object(all)), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
}

// lines prints the rows of the main table, one object a line; of a document
// without one its fields.
func (d *Document) lines(w io.Writer) error {
	rows := []string{object(d.fields())}
	if s := d.mainTable(); s != nil {
		rows = s.objects(NDJSON)
	}
	for _, r := range rows {
		if _, err := io.WriteString(w, r+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// object is the JSON object of some fields.
func object(fields []field) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(encode(f.name) + ":" + f.json)
	}
	b.WriteByte('}')
	return b.String()
}

// unquoted is a cell of a flat table: a text as it is, anything else as JSON.
func unquoted(text string) string {
	var s string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &s) == nil {
		return s
	}
	return text
}

// objects are the rows in a form for machines.
func (s *Sheet) objects(form Forms) (out []string) {
	for i := range s.Len() {
		out = append(out, object(s.fields(i, form)))
	}
	return out
}

// fields are a row's in a form for machines.
func (s *Sheet) fields(row int, form Forms) (out []field) {
	for _, c := range s.columns {
		if c.name != "" && c.in.has(form) {
			out = append(out, c.cell(row).fields(c.name)...)
		}
	}
	return out
}

// machine is the table for machines: its columns are the same whatever rows there
// are, with an empty cell where a row has no value.
func (s *Sheet) machine() *Table {
	var heads []string
	for _, c := range s.columns {
		if c.name != "" && c.in.has(CSV) {
			heads = append(heads, c.unit.names(c.name)...)
		}
	}
	t := NewTable(heads...)
	for i := range s.Len() {
		cells := make([]string, len(heads))
		for _, f := range s.fields(i, CSV) {
			cells[slices.Index(heads, f.name)] = unquoted(f.json)
		}
		t.Row(cells...)
	}
	return t
}

// table is the table that people see of some columns.
func (s *Sheet) table(columns []sheetColumn) *Table {
	t := &Table{}
	cells := make([][]string, len(columns))
	for i, c := range columns {
		name, right := title(c.head)
		t.heads, t.right = append(t.heads, name), append(t.right, right)
		cells[i] = Aligned(c.cells)
	}
	for r := range s.Len() {
		row, marks := make([]string, len(columns)), make([]Mark, len(columns))
		for i := range columns {
			row[i], marks[i] = cells[i][r], columns[i].cells[r].mark
		}
		t.rows, t.marks = append(t.rows, row), append(t.marks, marks)
	}
	return t
}
