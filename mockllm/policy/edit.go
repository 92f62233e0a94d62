package policy

import (
	"fmt"
	"strconv"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/sim/llm"
)

// raw is a value of a tool's input that is JSON as it is.
type verbatimJSON string

// object is a tool's input of names and values in turn; an empty name and its value are
// left out.
func object(fields ...any) *llm.Payload {
	b := []byte{'{'}
	for i := 0; i < len(fields); i += 2 {
		name, _ := fields[i].(string)
		if name == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(llm.AppendQuoted(b, name), ':')
		switch v := fields[i+1].(type) {
		case string:
			b = llm.AppendQuoted(b, v)
		case verbatimJSON:
			b = append(b, v...)
		default:
			b = fmt.Append(b, v)
		}
	}
	return llm.NewJSON(string(append(b, '}')))
}

// given is a name in an input, "" to leave it out.
func given(is bool, name string) string {
	if is {
		return name
	}
	return ""
}

// editInput is the input of an edit: it holds on to a piece of the file that
// stands there once, and puts new lines behind it, wrong among them. Nil when the
// file offers no such piece.
func (t *Table) editInput(e *edit, k *known, wrong string) *llm.Payload {
	if k.text == nil {
		return nil
	}
	lines := unnumber(k.text.Raw())
	key := t.items[e.item].key.Sub("edit").At(uint64(e.n))
	if len(lines) == 0 {
		return nil
	}
	start := int(key.Sub("anchor").At(uint64(k.tries)).Between(0, int64(len(lines)-1)))
	old := anchor(lines, start, k.whole)
	if old == "" {
		return nil
	}
	added := t.filler.String(llm.Code, max(script.Draw(e.tokens, key.Sub("tokens"), 1), 1))
	return object("file_path", t.path(e.file), "old_string", old, "new_string", old+"\n"+added+wrong)
}

// unnumber is the lines of a page without their numbers.
func unnumber(page string) []string {
	var out []string
	for page != "" {
		line, after, _ := strings.Cut(page, "\n")
		number, text, tab := strings.Cut(line, "\t")
		if _, err := strconv.Atoi(strings.TrimLeft(number, " ")); tab && err == nil && len(number) >= 6 {
			out = append(out, text)
		}
		page = after
	}
	return out
}

// Bounds of a piece to hold on to.
const (
	anchorMin   = 8   // bytes that are no white space
	anchorMax   = 400 // bytes
	anchorLines = 8
)

// anchor is a run of lines, as short as can be, that occurs once in the lines;
// the search begins at start. Unless the lines are the whole file, fewer than
// three are not trusted. Lines with a mark, which the edit would say a second
// time, are taken only when there are no others.
func anchor(lines []string, start int, whole bool) string {
	p := newLineIndex(lines)
	least := min(3, len(lines))
	if whole {
		least = 1
	}
	for _, marks := range [2]bool{false, true} {
		for n := least; n <= min(anchorLines, len(lines)); n++ {
			if piece := p.run(start, n, marks); piece != "" {
				return piece
			}
		}
	}
	for i := range lines {
		if piece := within(lines[(start+i)%len(lines)], p.content); piece != "" {
			return piece
		}
	}
	return ""
}

// within is a piece of a line to hold on to where no line will do, as long as can be:
// of short files all there is, of endless lines a part.
func within(line, content string) string {
	for from := 0; from < len(line); from += anchorMax {
		piece := strings.ToValidUTF8(line[from:min(from+anchorMax, len(line))], "")
		if strings.TrimSpace(piece) != "" && !strings.Contains(piece, defectOpen) && strings.Count(content, piece) == 1 {
			return piece
		}
	}
	return ""
}

// lineIndex is lines in which a run of them is looked for that occurs once.
type lineIndex struct {
	lines   []string
	content string           // the lines, joined
	at      []int            // where each begins in content, and one more where it would end
	equal   map[string][]int // the lines of one text
}

func newLineIndex(lines []string) *lineIndex {
	p := &lineIndex{lines: lines, content: strings.Join(lines, "\n"), at: make([]int, 1, len(lines)+1), equal: make(map[string][]int, len(lines))}
	for i, line := range lines {
		p.at = append(p.at, p.at[i]+len(line)+1)
		p.equal[line] = append(p.equal[line], i)
	}
	return p
}

// run is the first run of n lines from start on that can be held on to.
func (p *lineIndex) run(start, n int, marks bool) string {
	for i := range p.lines {
		from := (start + i) % len(p.lines)
		if from+n > len(p.lines) {
			continue
		}
		piece := p.content[p.at[from] : p.at[from+n]-1]
		if usable(piece, marks) && p.once(from, n, piece) {
			return piece
		}
	}
	return ""
}

// once reports whether n lines are there a single time. It looks where the rarest of
// them is; of three or more the inner ones are whole lines wherever the run is.
func (p *lineIndex) once(from, n int, piece string) bool {
	first, last := from, from+n-1
	if n > 2 {
		first, last = first+1, last-1
	}
	rare := first
	for i := first + 1; i <= last; i++ {
		if len(p.equal[p.lines[i]]) < len(p.equal[p.lines[rare]]) {
			rare = i
		}
	}
	for _, i := range p.equal[p.lines[rare]] {
		at := p.at[i] - (p.at[rare] - p.at[from])
		apart := at - p.at[from]
		if apart == 0 || at < 0 || !strings.HasPrefix(p.content[at:], piece) {
			continue
		}
		if max(apart, -apart) < len(piece) {
			return once(p.content, piece) // of two that overlap only one counts
		}
		return false
	}
	return n > 2 || once(p.content, piece)
}

// once reports whether a piece is in a content a single time; what is there often is
// not counted to its end.
func once(content, piece string) bool {
	_, after, _ := strings.Cut(content, piece)
	return !strings.Contains(after, piece)
}

// usable refuses what is too short to hold on to, too long, or holds a mark; a
// defect's in any case, which somebody is to take away.
func usable(piece string, marks bool) bool {
	return len(strings.TrimSpace(piece)) >= anchorMin && len(piece) <= anchorMax && (marks || !strings.Contains(piece, "[[")) &&
		!strings.Contains(piece, defectOpen)
}
