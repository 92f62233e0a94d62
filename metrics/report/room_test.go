package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// roomy is a table of one row of figures with such titles.
func roomy(name string, columns ...Column[int]) *Sheet {
	for i, c := range columns {
		if c.Of == nil {
			columns[i].Of = func(int) Value { return Count(7) }
		}
	}
	return TableOf(name, []int{0}, columns...)
}

// shown is a document as a terminal so wide shows it.
func shown(t *testing.T, d *Document, st Style) string {
	t.Helper()
	var b strings.Builder
	if err := d.Write(&b, "table", st); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := twwidth.Width(strings.TrimSuffix(line, "\n")); st.Width > 0 && n > st.Width {
			t.Errorf("%d wide at %d: %q", n, st.Width, line)
		}
	}
	return b.String()
}

func TestRoom(t *testing.T) {
	type col = Column[int]
	t.Run("TTY-01 columns of which none is said to go are left out from the right, but the first and the last, and many are counted", func(t *testing.T) {
		columns := []col{{Head: "VARIANT", Of: func(int) Value { return Text("one-way") }}}
		for i := range 12 {
			columns = append(columns, col{Head: fmt.Sprintf(" LONG-COLUMN-%d", i)})
		}
		var d Document
		d.Table(roomy("", columns...))
		got := shown(t, &d, Style{Width: 60})
		if !strings.HasPrefix(got, "VARIANT  LONG-COLUMN-0  LONG-COLUMN-1  LONG-COLUMN-11\n") || !strings.Contains(squeeze(got), "not shown at 60 columns: LONG-COLUMN-2; LONG-COLUMN-3;") {
			t.Error(got)
		}
		if got = shown(t, &d, Style{Width: 30}); !strings.Contains(squeeze(got), "not shown at 30 columns: 11 from LONG-COLUMN-0 to LONG-COLUMN-10 (a wider terminal shows them)") {
			t.Error(got)
		}
	})
	t.Run("TTY-01 the line below a table says -o csv or -o json only where these have what is left out, and parts titles that hold commas", func(t *testing.T) {
		columns := func(name string) []col {
			return []col{{Head: "VARIANT", Name: "variant"}, {Head: " FORK, FORMULA", Name: "fork", Drop: 1}, {Head: " MEDIAN"}, {Head: " MEDIAN", Name: name, Drop: 1}}
		}
		for _, c := range []struct {
			table *Sheet
			want  string
		}{
			{roomy("main", columns("median")...), "a wider terminal or -o csv shows them"},
			{roomy("other", columns("median")...), "a wider terminal or -o json shows them"},
			{roomy("other", columns("")...), "a wider terminal shows them"},
			{roomy("", columns("")...).From("main"), "a wider terminal or -o csv shows them"},
			{roomy("", columns("median")...), "a wider terminal shows them"},
			{roomy("", columns("median")...).From("gone"), "a wider terminal shows them"},
		} {
			var d Document
			d.Table(c.table)
			if c.table.name != "main" {
				d.Table(roomy("main", columns("")...).Hidden())
			}
			d.Main("main")
			if got := squeeze(shown(t, &d, Style{Width: 20})); !strings.HasSuffix(got, "not shown at 20 columns: FORK, FORMULA; MEDIAN ("+c.want+")") {
				t.Errorf("%q, want %q", got, c.want)
			}
		}
	})
	t.Run("TTY-01 an axis is in front of the first of its columns that has room", func(t *testing.T) {
		var d Document
		d.Table(roomy("", col{Head: "CHILD"}, col{Axis: "THINKS", Head: "0", Drop: 1}, col{Axis: "THINKS", Head: "538"}, col{Axis: "THINKS", Head: "1000", Drop: 1}))
		for width, want := range map[int]string{
			0:  "CHILD THINKS 0 538 1000 7 7 7 7",
			20: "CHILD THINKS 538 7 7 not shown at 20 columns: THINKS 0; 1000 (a wider terminal shows them)",
		} {
			if got := squeeze(shown(t, &d, Style{Width: width})); got != want {
				t.Errorf("at %d: %q", width, got)
			}
		}
	})
	t.Run("TTY-01 a coloured cell at the end of a line leaves no blanks there", func(t *testing.T) {
		var d Document
		d.Table(TableOf("", []string{"changed", "regression"}, Column[string]{Head: "VERDICT", Of: func(s string) Value { return Text(s).Marked(Worse) }}))
		if got, want := shown(t, &d, Style{Color: true, Width: 60}), boldOn+"VERDICT"+colourOff+"\n"+redOn+"changed"+colourOff+"\n"+redOn+"regression"+colourOff+"\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	t.Run("TTY-02 lines of a label that say what is missed are coloured, each line broken or not, and only where colour is wanted", func(t *testing.T) {
		var d Document
		d.LabelMarked("missed", Bad, "one two three four five")
		for _, c := range []struct {
			st   Style
			want string
		}{
			{Style{}, "missed       one two three four five\n"},
			{Style{Color: true, Width: 33}, "missed       " + redOn + "one two three four" + colourOff + "\n             " + redOn + "five" + colourOff + "\n"},
		} {
			if got := shown(t, &d, c.st); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		}
	})
}
