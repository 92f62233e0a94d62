package report

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// leastText is how narrow a column of texts may be made. Figures, names and ids
// are seldom as wide, so that they stay whole.
const leastText = 20

// leastBroken is how narrow it may be made where words have to be broken.
const leastBroken = 12

// fitted are the rows as they are printed: the table's own where they fit into
// the width, or where it is 0; else long texts are continued in rows that hold
// nothing else. A word is broken only where the table fits then. Figures are never
// touched, so a table of many may remain too wide.
func (t *Table) fitted(width int) [][]string {
	over := total(t.widths(twwidth.Width)) - width
	if width <= 0 || over <= 0 {
		return t.rows
	}
	widths, fits := t.narrow(over, longestWord, leastText)
	for _, least := range []int{leastText, leastBroken} {
		if !fits {
			var broken []int
			if broken, fits = t.narrow(over, anywhere, least); fits {
				widths = broken
			}
		}
	}
	var out [][]string
	for _, row := range t.rows {
		out = append(out, continued(row, widths)...)
	}
	return out
}

// widths are what the columns need by a measure of their cells.
func (t *Table) widths(measure func(string) int) []int {
	out := make([]int, len(t.heads))
	for i, h := range t.heads {
		out[i] = twwidth.Width(h)
		if t.above != nil {
			out[i] = max(out[i], twwidth.Width(t.above[i]))
		}
		for _, row := range t.rows {
			out[i] = max(out[i], measure(row[i]))
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
// one's, and none below what the measure of its cells asks for, or below least;
// fits reports whether there were so many.
func (t *Table) narrow(over int, measure func(string) int, leastText int) (widths []int, fits bool) {
	widths, least := t.widths(twwidth.Width), t.widths(measure)
	for ; over > 0; over-- {
		widest := -1
		for i, w := range widths {
			if !t.right[i] && w > max(leastText, least[i]) && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return widths, false
		}
		widths[widest]--
	}
	return widths, true
}

// anywhere is the measure of a text that may be broken within words.
func anywhere(string) int { return 0 }

// longestWord is how wide a text has to be that no word of it is broken.
func longestWord(text string) (n int) {
	indent := len(text) - len(strings.TrimLeft(text, " "))
	for _, w := range words(text) {
		n = max(n, indent+twwidth.Width(w))
	}
	return n
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

// Lines are those of a text that stands behind so many columns of something else,
// broken between words where the style has a width, but never narrower than a
// column of texts. A word is never broken, since names of files are there to be
// copied, nor is a command in a sentence. Of a pipe it is one line, whatever its length.
func (s Style) Lines(text string, taken int) []string {
	if s.Width <= 0 {
		return []string{text}
	}
	return parted(text, max(leastText, s.Width-taken), false)
}

// wrap breaks a text between words, and within a word only when it is wider than
// a line. Further lines are indented as the first one is.
func wrap(text string, width int) []string { return parted(text, width, true) }

// parted breaks a text as wrap does, within a word only where that is wanted.
func parted(text string, width int, within bool) (lines []string) {
	if twwidth.Width(text) <= width {
		return []string{text}
	}
	body := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(body)]
	room := max(1, width-len(indent))
	line := ""
	parts := words(body)
	if !within && parts[0] != "agentsim" { // of one that is a command the caller knows how
		parts = uncut(parts)
	}
	for _, word := range parts {
		switch {
		case line == "":
			line = word
		case twwidth.Width(line+" "+word) <= room:
			line += " " + word
		default:
			lines = append(lines, indent+line)
			line = strings.TrimLeft(word, " ")
		}
		for within && twwidth.Width(line) > room {
			var head string
			head, line = cut(line, room)
			lines = append(lines, indent+head)
		}
	}
	return append(lines, indent+line)
}

// units are those that stand behind a figure, after a blank.
var units = []string{"k", "M", "G", "%"}

// words are what a text may be broken between; a figure and its unit are one. Blanks
// beyond the one between two words, which set a name off, are the second one's.
func words(text string) (out []string) {
	for i, f := range strings.Split(text, " ") {
		n := len(out)
		if n > 0 && strings.TrimLeft(out[n-1], " ") == "" {
			out[n-1] += " " + f
			continue
		}
		unit := strings.TrimRight(f, ",.;:)")
		if i > 0 && slices.Contains(units, unit) && strings.ContainsAny(out[n-1][len(out[n-1])-1:], "0123456789") {
			out[n-1] += " " + f
			continue
		}
		out = append(out, f)
	}
	if n := len(out); n > 1 && strings.TrimLeft(out[n-1], " ") == "" {
		out = out[:n-1]
	}
	return out
}

// groups are the commands that only hold others.
var groups = []string{"lab", "profile", "project", "runs", "scenario"}

// uncut are words of which those of a command of ours, which is there to be copied, are
// one.
func uncut(words []string) (out []string) {
	for len(words) > 0 {
		n := 1
		if strings.TrimLeft(words[0], " (") == "agentsim" {
			n = command(words)
		}
		out, words = append(out, strings.Join(words[:n], " ")), words[n:]
	}
	return out
}

// command is how many words a command has. A sentence goes on with a word of letters, where
// that is not what a flag takes, and not the last one.
func command(words []string) int {
	const ends = ",;:.)"
	for n := 1; n < len(words); n++ {
		w := words[n]
		named := n == 1 || n == 2 && slices.Contains(groups, words[1]) || strings.HasPrefix(words[n-1], "-")
		if end := strings.TrimRight(w, ends); !named && end == w && n < len(words)-1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			return n
		} else if end != w {
			return n + 1
		}
	}
	return len(words)
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
