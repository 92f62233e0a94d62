package report

import (
	"bytes"
	"html"
	"io"
	"strconv"
	"strings"

	"agentsim/docs"
)

// HTML prints what people see of the document as a fragment of a page: headings,
// paragraphs, lists of labels, and tables whose cells carry their exact figure as
// data-v, so that a page can sort them. All text is escaped and made plain. See
// package page for the page around it.
func (d *Document) HTML(w io.Writer) error {
	var b bytes.Buffer
	open := false // a list of labels
	for _, p := range d.parts {
		if p.say == nil && p.embed == nil && p.table == nil {
			continue
		}
		if p.listed != open {
			b.WriteString(map[bool]string{true: "<dl>\n", false: "</dl>\n"}[p.listed])
			open = p.listed
		}
		if err := p.html(&b); err != nil {
			return err
		}
	}
	if open {
		b.WriteString("</dl>\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Embed adds what only a page can show, such as a picture; write makes its markup.
func (d *Document) Embed(write func(io.Writer) error) {
	d.parts = append(d.parts, part{embed: write})
}

func (p *part) html(b *bytes.Buffer) error {
	switch {
	case p.embed != nil:
		return p.embed(b)
	case p.table != nil:
		p.table.html(b)
		return nil
	case p.listed:
		p.labelled(b)
		return nil
	}
	switch said := strings.Trim(p.say(Style{}), "\n"); {
	case strings.TrimSpace(said) == "":
	case p.heading:
		b.WriteString("<h2>" + escaped(said) + "</h2>\n")
	case strings.Contains(said, "\n") || strings.HasPrefix(said, "  "):
		b.WriteString("<pre>" + escaped(said) + "</pre>\n")
	default:
		b.WriteString("<p>" + commands(said) + "</p>\n")
	}
	return nil
}

// labelled prints a label's lines as one entry of a list; no line, no entry.
func (p *part) labelled(b *bytes.Buffer) {
	var lines []string
	for _, text := range p.lines {
		if text != "" {
			lines = append(lines, "<dd>"+commands(text)+"</dd>")
		}
	}
	if lines != nil && p.label != "" {
		b.WriteString("<dt>" + escaped(p.label) + "</dt>")
	}
	b.WriteString(strings.Join(lines, ""))
}

// commands is a line's markup: one that is a command to type is set as code.
func commands(text string) string {
	if strings.HasPrefix(text, "agentsim ") {
		return "<code>" + escaped(text) + "</code>"
	}
	return escaped(text)
}

// escaped is text as markup that shows it as it is written, control characters
// included.
func escaped(text string) string { return html.EscapeString(Plain(text)) }

// html prints the columns that people see.
func (s *Sheet) html(b *bytes.Buffer) {
	columns := s.people(0)
	if s.hidden || s.Len() == 0 || len(columns) == 0 {
		return
	}
	b.WriteString("<div class=\"scroll\"><table class=\"sheet\"><thead><tr>")
	shown := make([][]string, len(columns))
	for i, c := range columns {
		name, right := title(c.head)
		b.WriteString("<th scope=\"col\"" + class(right, c.drop > 0))
		if meaning := docs.Meaning(name); meaning != "" {
			b.WriteString(" title=\"" + escaped(meaning) + "\"")
		}
		b.WriteString(">" + escaped(name) + "</th>")
		shown[i] = Aligned(c.cells)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for r := range s.Len() {
		b.WriteString("<tr>")
		for i, c := range columns {
			_, right := title(c.head)
			c.cells[r].html(b, shown[i][r], class(right, c.drop > 0))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}

// class says of a cell that it is a figure, and that a narrow screen does without it.
func class(right, drop bool) string {
	names := []string{}
	if right {
		names = append(names, "n")
	}
	if drop {
		names = append(names, "drop")
	}
	if len(names) == 0 {
		return ""
	}
	return " class=\"" + strings.Join(names, " ") + "\""
}

// html prints a cell with what it is sorted by and how it compares with others.
func (v Value) html(b *bytes.Buffer, shown, class string) {
	b.WriteString("<td" + class)
	if sort, ok := v.order(); ok {
		b.WriteString(" data-v=\"" + strconv.FormatFloat(sort, 'g', -1, 64) + "\"")
	}
	switch shown = escaped(shown); v.mark {
	case Better:
		shown = "<span class=\"better\">" + shown + "</span>"
	case Worse:
		shown = "<span class=\"worse\">" + shown + "</span>"
	}
	b.WriteString(">" + shown + "</td>")
}

// order is the number by which a figure is sorted; texts have none.
func (v Value) order() (float64, bool) {
	switch {
	case v.absent || v.unit == texts || v.unit == nested:
		return 0, false
	case v.unit == shares || v.unit == ratios:
		return float64(v.n) / float64(v.d), true
	case v.unit == digits:
		return float64(uint64(v.n)), true
	}
	return float64(v.n), true
}
