// Package excerpt shows the place of a mistake in a text: the line, the one
// before it, and a caret with what to do.
//
// Rules:
//   - Lines and columns count from 1; columns count characters.
//   - Whatever the text holds, an excerpt keeps to its lines and its width.
package excerpt

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	width = 100 // characters of a line that an excerpt shows
	lead  = 60  // characters it shows before the caret in a longer line
)

// Show prints a line of a text, the one before it, and a caret under the column
// with a hint behind it, which may be empty. A line beyond the last is the last
// one's end. There is at least one line.
func Show(lines []string, line, col int, hint string) string {
	if line > len(lines) {
		line = len(lines)
		col = len([]rune(lines[line-1])) + 1
	}
	from := 0
	if col > width {
		from = col - lead
	}
	var b strings.Builder
	if line > 1 {
		if above := window(lines[line-2], from); strings.TrimSpace(above) != "" {
			writeLine(&b, line-1, above)
		}
	}
	writeLine(&b, line, window(lines[line-1], from))
	b.WriteString(strings.TrimRight("      | "+strings.Repeat(" ", max(col-1-from, 0))+"^ "+hint, " "))
	return b.String()
}

func writeLine(b *strings.Builder, n int, text string) {
	b.WriteString(strings.TrimRight(fmt.Sprintf("%5d | %s", n, text), " "))
	b.WriteByte('\n')
}

func window(line string, from int) string {
	r := []rune(strings.TrimSuffix(line, "\r"))
	if from >= len(r) {
		return ""
	}
	r = r[from:]
	if len(r) > width {
		return Printable(string(r[:width])) + "…"
	}
	return Printable(string(r))
}

// Printable is a text with a space for all that would not stay on its line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
