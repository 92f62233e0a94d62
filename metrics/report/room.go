package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// DropAlike is when a narrow terminal does without a column of names: never where rows
// have several.
func DropAlike[R any](rows []R, drop int, name func(R) string) int {
	if slices.ContainsFunc(rows, func(r R) bool { return name(r) != name(rows[0]) }) {
		return 0
	}
	return drop
}

// machines says in which form machines get what a table shows; "" for none.
func (d *Document) machines(s *Sheet) string {
	name := cmp.Or(s.from, s.name)
	switch {
	case name == "" || !slices.ContainsFunc(d.parts, func(p part) bool { return p.name == name }):
		return ""
	case name == d.main:
		return " or -o csv"
	}
	return " or -o json"
}

// people are the columns that people see where those with so large a number, and
// larger ones, are left out; 0 leaves out none.
func (s *Sheet) people(without int) (out []sheetColumn) {
	for _, c := range s.columns {
		if c.head != "" && (without == 0 || c.drop < without) {
			out = append(out, c)
		}
	}
	return onAxes(out)
}

// onAxes puts an axis in front of the first of its columns.
func onAxes(columns []sheetColumn) []sheetColumn {
	last := ""
	for i, c := range columns {
		if c.axis != "" && c.axis != last {
			columns[i].head = c.axis + " " + c.head
		}
		last = c.axis
	}
	return columns
}

// write prints the table for people, and below it which columns had no room and how to
// see them.
func (s *Sheet) write(w io.Writer, st Style, more string) error {
	if s.hidden || s.Len() == 0 || len(s.people(0)) == 0 {
		return nil
	}
	shown, left := s.fitting(st)
	if err := s.table(shown).Write(w, st); err != nil || left == nil {
		return err
	}
	if slices.ContainsFunc(left, func(c sheetColumn) bool { return s.from == "" && c.name == "" }) {
		more = ""
	}
	note := fmt.Sprintf("not shown at %d columns: %s (a wider terminal%s shows them%s)", st.Width, titles(left), more, s.wider)
	_, err := io.WriteString(w, strings.Join(st.Lines(note, 0), "\n")+"\n")
	return err
}

// fitting are the columns that have room, and those that have none. Those that matter
// least are left out first; where that is not enough, those furthest to the right, but
// the first and the last, which is the answer in many.
func (s *Sheet) fitting(st Style) (shown, left []sheetColumn) {
	shown = s.people(0)
	if st.Width <= 0 {
		return shown, nil
	}
	for without := s.mostDropped(); without > 0 && !s.table(shown).stacked().fits(st.Width); without-- {
		shown = s.people(without)
	}
	for len(shown) > 1 && !s.table(shown).stacked().fitsBroken(st.Width) {
		at := max(len(shown)-2, 1)
		shown = slices.Delete(shown, at, at+1)
	}
	for _, c := range s.columns {
		if c.head != "" && !slices.ContainsFunc(shown, func(x sheetColumn) bool { return x.at == c.at }) {
			left = append(left, c)
		}
	}
	return shown, onAxes(left)
}

// mostTitles is how many titles are named one by one.
const mostTitles = 9

// titles names columns, or says how many they are and which are the first and the last.
func titles(columns []sheetColumn) string {
	var names []string
	for _, c := range columns {
		name, _ := title(c.head)
		names = append(names, name)
	}
	if n := len(names); n > mostTitles {
		return fmt.Sprintf("%d from %s to %s", n, names[0], names[n-1])
	}
	return strings.Join(names, "; ")
}

func (s *Sheet) mostDropped() (n int) {
	for _, c := range s.columns {
		n = max(n, c.drop)
	}
	return n
}
