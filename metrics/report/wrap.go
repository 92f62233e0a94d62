package report

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// leastText is how narrow a column of texts may be made. Figures, names and ids
// are seldom as wide, so that they stay whole.
const leastText = 20

// fitted are the rows as they are printed: the table's own where they fit into
// the width, or where it is 0; else the texts of the widest columns are continued
// in rows that hold nothing else. Figures are never touched, so a table of many
// may remain too wide.
func (t *Table) fitted(width int) [][]string {
	widths := t.widths()
	if over := total(widths) - width; width <= 0 || over <= 0 {
		return t.rows
	} else if !t.narrow(widths, over) {
		return t.rows
	}
	var out [][]string
	for _, row := range t.rows {
		out = append(out, continued(row, widths)...)
	}
	return out
}

// widths are what the columns need.
func (t *Table) widths() []int {
	out := make([]int, len(t.heads))
	for i, h := range t.heads {
		out[i] = twwidth.Width(h)
		for _, row := range t.rows {
			out[i] = max(out[i], twwidth.Width(row[i]))
		}
	}
	return out
}

// total is what columns of such widths take, the gaps between them included.
func total(widths []int) int {
	n := -len(gap)
	for _, w := range widths {
		n += w + len(gap)
	}
	return n
}

// narrow takes so many columns off the widths of the texts, always the widest
// one's, and reports whether it could take any.
func (t *Table) narrow(widths []int, over int) (some bool) {
	for ; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if least := max(leastText, twwidth.Width(t.heads[i])); !t.right[i] && w > least && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return some
		}
		widths[widest]--
		some = true
	}
	return some
}

// continued is a row as several, none of whose cells is wider than its column.
func continued(row []string, widths []int) (out [][]string) {
	for i, cell := range row {
		for n, line := range wrap(cell, widths[i]) {
			if n == len(out) {
				out = append(out, make([]string, len(row)))
			}
			out[n][i] = line
		}
	}
	return out
}

// wrap breaks a text between words, and within a word only when it is wider than
// a line. Further lines are indented as the first one is.
func wrap(text string, width int) (lines []string) {
	if twwidth.Width(text) <= width {
		return []string{text}
	}
	body := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(body)]
	room := max(1, width-len(indent))
	line := ""
	for _, word := range words(body) {
		switch {
		case line == "":
			line = word
		case twwidth.Width(line+" "+word) <= room:
			line += " " + word
		default:
			lines = append(lines, indent+line)
			line = word
		}
		for twwidth.Width(line) > room {
			var head string
			head, line = cut(line, room)
			lines = append(lines, indent+head)
		}
	}
	return append(lines, indent+line)
}

// units are those that stand behind a figure, after a blank.
var units = []string{"k", "M", "G", "%"}

// words are what a text may be broken between; a figure and its unit are one.
func words(text string) (out []string) {
	for _, f := range strings.Fields(text) {
		unit := strings.TrimRight(f, ",.;:)")
		if n := len(out); n > 0 && slices.Contains(units, unit) && strings.ContainsAny(out[n-1][len(out[n-1])-1:], "0123456789") {
			out[n-1] += " " + f
			continue
		}
		out = append(out, f)
	}
	return out
}

// cut parts a word behind as many characters as fit, one at least.
func cut(word string, room int) (head, rest string) {
	for i := range word {
		if head != "" && twwidth.Width(word[:i]) > room {
			return head, word[len(head):]
		}
		head = word[:i]
	}
	return head, word[len(head):]
}
