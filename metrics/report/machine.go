package report

import (
	"encoding/csv"
	"io"
	"strings"
)

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
