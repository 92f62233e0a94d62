package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Style is how output may look.
type Style struct {
	Color bool // a terminal that wants colour
	Width int  // columns that a table may take, 0 for as many as it needs
}

// Bold sets text off where colour is wanted.
func (s Style) Bold(text string) string {
	if !s.Color || text == "" {
		return text
	}
	return boldOn + text + colourOff
}

// Paint shows a mark where colour is wanted.
func (s Style) Paint(text string, m Mark) string {
	if !s.Color || text == "" || m == Unmarked {
		return text
	}
	return map[Mark]string{Better: greenOn, Worse: redOn}[m] + text + colourOff
}

// Table is a table to be filled. Columns whose title starts with a space are
// aligned to the right, as numbers are; the space is not printed.
type Table struct {
	above []string // first words of titles on a line of their own; nil where titles are one line
	heads []string
	right []bool
	rows  [][]string
	marks [][]Mark // of each cell; nil where none is marked
}

// NewTable starts a table with its titles.
func NewTable(heads ...string) *Table {
	t := &Table{}
	for _, h := range heads {
		name := strings.TrimPrefix(h, " ")
		t.heads = append(t.heads, name)
		t.right = append(t.right, name != h)
	}
	return t
}

// Row adds a row; it has as many cells as the table has columns.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Write prints the table without borders, two spaces between columns. Where that
// is wider than the style's width, titles take two lines and long texts go on in
// further ones.
func (t *Table) Write(w io.Writer, st Style) error {
	if p := t.pointed(); st.Width <= 0 || p.stacked().fits(st.Width) || !t.stacked().fits(st.Width) {
		t = p
	}
	if st.Width > 0 && !t.fits(st.Width) {
		t = t.stacked()
	}
	t = t.plain().painted(st)
	var buf bytes.Buffer
	tab := tablewriter.NewTable(&buf,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: t.cells(), Row: t.cells()}))
	rows := t.fitted(st.Width)
	if tab.Header(t.heads); t.above != nil {
		tab.Header(t.above)
		rows = append([][]string{t.heads}, rows...)
	}
	if err := tab.Bulk(rows); err != nil {
		return err
	}
	if err := tab.Render(); err != nil {
		return err
	}
	titles := 1
	if t.above != nil {
		titles = 2
	}
	return writeTrimmed(w, buf.String(), titles, st)
}

// painted is the table with its marks in colour, where that is wanted.
func (t *Table) painted(st Style) *Table {
	if !st.Color {
		return t
	}
	for i, row := range t.marks {
		for k, m := range row {
			text := strings.TrimRight(t.rows[i][k], " ")
			t.rows[i][k] = st.Paint(text, m) + t.rows[i][k][len(text):]
		}
	}
	return t
}

// fits reports whether the table has room in a width, where texts may be broken
// between words.
func (t *Table) fits(width int) bool { return t.room(width, longestWord, leastText) }

// fitsBroken reports whether it has, where words may be broken too.
func (t *Table) fitsBroken(width int) bool {
	return t.fits(width) || t.room(width, anywhere, leastBroken)
}

func (t *Table) room(width int, measure func(string) int, least int) bool {
	_, fits := t.narrow(total(t.widths(twwidth.Width))-width, measure, least)
	return fits
}

// figure is a number of a cell: its whole part, and what follows that.
var figure = regexp.MustCompile(`^[+-]?\$?[0-9][0-9,]*((?:\.[0-9]+)?(?: ?[A-Za-z%×]+)?)$`)

// pointed is the table with blanks behind the figures of a column whose decimals, or
// units, are shorter than others', so that points are below one another. Where only that
// makes the table wider than a terminal, it is printed without.
func (t *Table) pointed() *Table {
	out := *t
	out.rows = nil
	most := make([]int, len(t.heads))
	tail := func(cell string) int {
		if m := figure.FindStringSubmatch(cell); m != nil {
			return twwidth.Width(m[1])
		}
		return -1
	}
	for _, r := range t.rows {
		for i, c := range r {
			most[i] = max(most[i], tail(c))
		}
	}
	for _, r := range t.rows {
		r = slices.Clone(r)
		for i, c := range r {
			if n := tail(c); t.right[i] && n >= 0 {
				r[i] += strings.Repeat(" ", most[i]-n)
			}
		}
		out.rows = append(out.rows, r)
	}
	return &out
}

// stacked is the table with titles of several words on two lines.
func (t *Table) stacked() *Table {
	if !slices.ContainsFunc(t.heads, func(h string) bool { return strings.Contains(h, " ") }) {
		return t
	}
	out := *t
	out.above, out.heads = nil, nil
	for _, h := range t.heads {
		above, below := "", h
		if i := strings.LastIndexByte(h, ' '); i >= 0 {
			above, below = h[:i], h[i+1:]
		}
		out.above, out.heads = append(out.above, above), append(out.heads, below)
	}
	return &out
}

// plain is the table with each cell on one line.
func (t *Table) plain() *Table {
	out := &Table{above: cells(t.above, cell), heads: cells(t.heads, cell), right: t.right, marks: t.marks}
	for _, r := range t.rows {
		out.rows = append(out.rows, cells(r, cell))
	}
	return out
}

func cells(row []string, make func(string) string) (out []string) {
	for _, c := range row {
		out = append(out, make(c))
	}
	return out
}

// gap stands between two columns.
const gap = "  "

func (t *Table) cells() tw.CellConfig {
	align := make([]tw.Align, len(t.right))
	pads := make([]tw.Padding, len(t.right))
	for i, right := range t.right {
		align[i] = tw.AlignLeft
		if right {
			align[i] = tw.AlignRight
		}
		pads[i] = tw.Padding{Right: gap, Overwrite: true}
	}
	return tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
		Padding:    tw.CellPadding{PerColumn: pads},
	}
}

// blankEnd are the blanks behind a coloured cell that ends a line.
var blankEnd = regexp.MustCompile(" +\x1b\\[0m$")

// writeTrimmed prints the table's lines without the blanks at their ends, the
// first ones as titles.
func writeTrimmed(w io.Writer, text string, titles int, st Style) error {
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line = strings.TrimRight(blankEnd.ReplaceAllString(line, ""), " ")
		if i < titles {
			line = st.Bold(line)
		}
		out.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// CSV writes the table as comma-separated values, titles first. A text that a
// spreadsheet would take for a formula begins with an apostrophe.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.heads); err != nil {
		return err
	}
	for _, r := range t.rows {
		if err := c.Write(cells(r, unformula)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// unformula keeps a spreadsheet from computing a cell: what begins with = or @, or
// with a sign and calls something, which no figure does.
func unformula(s string) string {
	switch {
	case strings.HasPrefix(s, "="), strings.HasPrefix(s, "@"), strings.HasPrefix(s, "\t"), strings.HasPrefix(s, "\r"),
		(strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-")) && strings.ContainsAny(s, "(|!"):
		return "'" + s
	}
	return s
}

// Markdown writes the table as GitHub and GitLab show them, numbers to the right.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	markdownRow(&b, t.heads)
	for i := range t.heads {
		b.WriteString("|")
		if t.right[i] {
			b.WriteString(" ---: ")
		} else {
			b.WriteString(" --- ")
		}
	}
	b.WriteString("|\n")
	for _, r := range t.rows {
		markdownRow(&b, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownRow(b *strings.Builder, cells []string) {
	for _, c := range cells {
		b.WriteString("| " + MarkdownText(c) + " ")
	}
	b.WriteString("|\n")
}

// MarkdownText is text that stands for itself in Markdown, also in a table's cell.
func MarkdownText(s string) string { return markdownEscapes.Replace(Plain(s)) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`)
