package report

import (
	"bytes"
	"io"
	"strings"
)

// markdown prints what people see, as GitHub and GitLab show it.
func (d *Document) markdown(w io.Writer) error {
	var b, lines bytes.Buffer
	flush := func() {
		if lines.Len() > 0 {
			b.WriteString("\n```\n" + strings.ReplaceAll(Plain(lines.String()), "```", "` ` `") + "```\n")
			lines.Reset()
		}
	}
	if d.summary != "" {
		b.WriteString("\n## " + d.summary + "\n")
	}
	for _, p := range d.parts {
		text := ""
		if p.say != nil {
			text = strings.Trim(p.say(Style{}), "\n")
		}
		switch {
		case p.table != nil:
			flush()
			if err := p.table.Markdown(&b); err != nil {
				return err
			}
		case text == "" || p.heading && d.summary != "":
		case !p.listed && !p.heading && (strings.Contains(text, "\n") || strings.HasPrefix(text, "  ")):
			lines.WriteString(text + "\n")
		default:
			flush()
			p.markdown(&b, text)
		}
	}
	flush()
	_, err := w.Write(bytes.TrimPrefix(b.Bytes(), []byte("\n")))
	return err
}

// markdown prints a heading, the lines of a label, or a paragraph.
func (p *part) markdown(b *bytes.Buffer, text string) {
	switch {
	case p.heading:
		b.WriteString("\n## " + MarkdownText(text) + "\n")
	case !p.listed:
		b.WriteString("\n" + markdownLine(text) + "\n")
	default:
		for _, line := range p.lines {
			if line != "" {
				b.WriteString("\n- " + p.label + ": " + markdownLine(line) + "\n")
			}
		}
	}
}

// markdownLine is a line, a command as code.
func markdownLine(text string) string {
	if strings.HasPrefix(text, "agentsim ") {
		return "`" + Plain(text) + "`"
	}
	return MarkdownText(text)
}

// Markdown prints the table alone; nothing where people see none.
func (s *Sheet) Markdown(w io.Writer) error {
	if s.hidden || s.Len() == 0 || len(s.people(0)) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return s.table(s.people(0)).Markdown(w)
}
