package report

import (
	"encoding/csv"
	"io"
	"strings"
)

// CSV writes the table as comma-separated values, titles first.
func (t *Table) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.heads); err != nil {
		return err
	}
	return c.WriteAll(t.rows)
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
func MarkdownText(s string) string { return markdownEscapes.Replace(s) }

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`)
