package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	t.Run("CLI-03 a table wider than the terminal continues its long texts in further lines, and its figures stay as they are", wideTable)
	t.Run("CLI-03 a table that fits is printed the same whatever the width", func(t *testing.T) {
		if got, want := written(t, misses(), 200), written(t, misses(), 0); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("CLI-03 a text that is wrapped loses no word, parts no figure from its unit, and keeps to its width", rapid.MakeCheck(wrapLaw))
	t.Run("CLI-03 a line behind a label keeps to the width that is left, and is whole in a pipe and on the narrowest terminals", func(t *testing.T) {
		const text = "fork costs $0.21 more than subagent"
		for width, want := range map[int]string{0: text, 48: text, 47: "fork costs $0.21 more than|subagent", 3: "fork costs $0.21|more than subagent"} { // order: each is judged by itself
			if got := strings.Join(Style{Width: width}.Lines(text, 13), "|"); got != want {
				t.Errorf("width %d: got %s, want %s", width, got, want)
			}
		}
	})
	t.Run("CLI-03 a name in a line behind a label stays whole", func(t *testing.T) {
		got := strings.Join(Style{Width: 40}.Lines("in results/of/the/whole/last/week/agentsim.db, 2 runs", 13), "|")
		if want := "in|results/of/the/whole/last/week/agentsim.db,|2 runs"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("TTY-01 a command in a line is not parted, and blanks that set a name off stay", func(t *testing.T) {
		for text, want := range map[string]string{ // order: each is judged by itself
			"4 changes among those that are not the cheapest: agentsim sweep fork-vs-subagent": "4 changes among those that are not the|cheapest:|agentsim sweep fork-vs-subagent",
			"where agentsim whatif RUN --keep-alive LONG says that they pay":                   "where|agentsim whatif RUN --keep-alive LONG|says that they pay",
			"its sweep is not run here; agentsim sweep coordinator, and agentsim runs rm too":  "its sweep is not run here;|agentsim sweep coordinator, and|agentsim runs rm too",
			"which one of the two it was: agentsim run hello":                                  "which one of the two it was:|agentsim run hello",
			"what a whole file of agentsim profile merge measures":                             "what a whole file of|agentsim profile merge measures",
			"coordinator   seed 42 · 3 variants of the same work":                              "coordinator   seed 42 · 3 variants of|the same work",
			"coordinator   seed 42 · each of its   3 variants":                                 "coordinator   seed 42 · each of its|3 variants",
		} {
			if got := strings.Join(Style{Width: 38}.Lines(text, 0), "|"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	})
	t.Run("CLI-03 a word is broken only where the table fits then, and a name of usual length never", longWords)
}

// misses is a table whose texts are long.
func misses() *Table {
	t := NewTable("CAUSE", " LOST", " COST", "WOULD HAVE KEPT IT")
	t.Row("look-back", "61.4 k", "$0.21", "a breakpoint of its own where the parent's entry ends, or 8 forks of 61.4 k in one response")
	t.Row("  lifetime", "2.10 M", "$7.88", "an hour's lifetime")
	return t
}

func written(t *testing.T, table *Table, width int) string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b, Style{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func wideTable(t *testing.T) {
	want := `CAUSE          LOST   COST  WOULD HAVE KEPT IT
look-back   61.4 k   $0.21  a breakpoint of its own where
                            the parent's entry ends, or 8
                            forks of 61.4 k in one
                            response
  lifetime   2.10 M  $7.88  an hour's lifetime
`
	if got := written(t, misses(), 57); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	wide := NewTable("WHY", " BILL")
	wide.Row("prefix", "+$1,234.00 (12.5 % of the whole)")
	if got, want := written(t, wide, 30), written(t, wide, 0); got != want {
		t.Errorf("a figure is touched:\n%s", got)
	}
	narrowest := written(t, misses(), 1)
	for _, figure := range []string{"look-back   61.4 k   $0.21  a breakpoint of its\n", "  lifetime   2.10 M  $7.88  an hour's lifetime\n"} {
		if !strings.Contains(narrowest, figure) {
			t.Errorf("no %q in\n%s", figure, narrowest)
		}
	}
}

func longWords(t *testing.T) {
	table := NewTable("PLACE", " LINES")
	table.Row("internal/orders/submit/idempotency.go", "12")
	table.Row("internal/orders.go", "3")
	want := `PLACE                  LINES
internal/orders/submi     12
t/idempotency.go
internal/orders.go         3
`
	if got := written(t, table, 28); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := written(t, table, 18), written(t, table, 0); got != want {
		t.Errorf("names are broken in vain:\n%s", got)
	}
}

func wrapLaw(t *rapid.T) {
	text := rapid.StringMatching(`( {0,3})((look-back|–|[0-9]{1,3}(\.[0-9])? (k|M|%)[,.]?|[a-zé]{1,9}) ){1,30}end`).Draw(t, "text")
	width := rapid.IntRange(leastText, 60).Draw(t, "width")
	lines := wrap(text, width)
	for _, line := range lines {
		if utf8.RuneCountInString(line) > width {
			t.Fatalf("%q is wider than %d", line, width)
		}
	}
	for i, line := range lines[1:] {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		before := lines[i][len(lines[i])-1]
		if strings.ContainsAny(first[:1], "kM%") && len(strings.TrimRight(first, ",.")) == 1 && before >= '0' && before <= '9' {
			t.Fatalf("a figure is parted from its unit: %q", lines)
		}
	}
	if got, want := strings.Join(strings.Fields(strings.Join(lines, " ")), " "), strings.Join(strings.Fields(text), " "); got != want {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}
