package upgrade

import (
	"strings"

	"agentsim/scenarios/document"
)

// writer writes a changed tree; what is as it was is taken from the text, line by
// line.
type writer struct {
	lines []string
	kept  map[*document.Node]bool // nodes of the text
	out   strings.Builder
}

func newWriter(text string, root *document.Node) *writer {
	w := &writer{lines: strings.Split(strings.TrimRight(text, "\n"), "\n"), kept: map[*document.Node]bool{}}
	w.keep(root)
	return w
}

func (w *writer) keep(n *document.Node) {
	w.kept[n] = true
	for _, p := range n.Pairs {
		w.keep(p.Val)
	}
	for _, it := range n.Items {
		w.keep(it)
	}
}

func (w *writer) line(n int) string {
	if n < 1 || n > len(w.lines) {
		return ""
	}
	return w.lines[n-1]
}

func indentOf(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }

// empty reports whether a line says nothing: blank, or a comment alone.
func empty(l string) bool {
	l = strings.TrimSpace(l)
	return l == "" || l[0] == '#'
}

// end is the last line of what begins at a place: a key, or the value of an entry
// of a list. Comments that follow belong to what comes next.
func (w *writer) end(p document.Pos, list bool) int {
	at := p.Col - 1
	last := p.Line
	for n := p.Line + 1; n <= len(w.lines); n++ {
		l := w.line(n)
		in := indentOf(l)
		switch {
		case empty(l) && (in <= at || strings.TrimSpace(l) == ""):
			continue
		case in > at, list && in == at && strings.HasPrefix(strings.TrimLeft(l, " "), "- "):
			last = n
		default:
			return last
		}
	}
	return last
}

// above is the first of the blank lines and comments above a line.
func (w *writer) above(line int) int {
	for line > 1 && empty(w.line(line-1)) {
		line--
	}
	return line
}

// blank reports whether what is above a line begins with a blank one.
func (w *writer) blank(line int) bool {
	from := w.above(line)
	return line > 0 && from < line && strings.TrimSpace(w.line(from)) == ""
}

// lead writes the blank lines and comments above a line, once; a blank line in front
// of what is the first of a block is its block's.
func (w *writer) lead(line, indent int) {
	for n := w.above(line); n < line; n++ {
		l := strings.TrimSpace(w.line(n))
		if l == "" && strings.HasSuffix(w.out.String(), ":\n") {
			continue
		}
		if l != "" {
			l = strings.Repeat(" ", indent) + l
		}
		w.out.WriteString(l + "\n")
	}
}

// copy writes lines of the text in another depth; the first of them from a column on.
func (w *writer) copy(first, last, from, to int) {
	for n := first + 1; n <= last; n++ {
		l := w.line(n)
		if strings.TrimSpace(l) != "" {
			l = strings.Repeat(" ", to) + l[min(from, indentOf(l)):]
		}
		w.out.WriteString(l + "\n")
	}
}

// block reports whether a mapping or list of the text has lines of its own.
func (w *writer) block(n *document.Node) bool {
	if n.Pos.Line == 0 {
		return true
	}
	l := []rune(w.line(n.Pos.Line))
	at := n.Pos.Col - 1
	return at >= len(l) || l[at] != '{' && l[at] != '['
}

// mapping writes the keys of a mapping, each on lines of its own.
func (w *writer) mapping(pairs []document.Pair, indent int) {
	for _, p := range pairs {
		if p.Pos.Line > 0 {
			w.lead(p.Pos.Line, indent)
		}
		w.pair(p, indent)
	}
}

func (w *writer) pair(p document.Pair, indent int) {
	pad := strings.Repeat(" ", indent)
	key := keyText(p.Key)
	switch {
	case w.kept[p.Val] && p.Pos.Line > 0:
		rest := string([]rune(w.line(p.Pos.Line))[p.Pos.Col-1:])
		w.out.WriteString(pad + key + rest[keyLength(rest):] + "\n")
		w.copy(p.Pos.Line, w.end(p.Pos, p.Val.Kind == document.List), p.Pos.Col-1, indent)
	case p.Val.Kind == document.Map && w.block(p.Val) && len(p.Val.Pairs) > 0:
		if first := p.Val.Pairs[0].Pos.Line; p.Pos.Line == 0 && w.blank(first) {
			w.out.WriteString("\n")
		}
		w.out.WriteString(pad + key + ":" + w.remark(p) + "\n")
		w.mapping(p.Val.Pairs, indent+2)
	case p.Val.Kind == document.List && w.block(p.Val) && len(p.Val.Items) > 0 && (p.Val.Pos.Line > 0 || p.Val.Items[0].Kind == document.Map):
		w.out.WriteString(pad + key + ":" + w.remark(p) + "\n")
		for _, it := range p.Val.Items {
			w.item(it, indent+2)
		}
	default:
		w.out.WriteString(pad + key + ": " + flow(p.Val) + w.remark(p) + "\n")
	}
}

// remark is the comment on the line of a key; of a value in brackets, those on all of
// its lines.
func (w *writer) remark(p document.Pair) string {
	if p.Pos.Line == 0 {
		return ""
	}
	scalar := p.Val.Kind != document.Map && p.Val.Kind != document.List
	switch {
	case scalar:
		return comment(w.line(w.end(p.Pos, false)))
	case w.block(p.Val):
		return comment(w.line(p.Pos.Line))
	}
	out, last := "", w.end(p.Pos, false)
	for empty(w.line(last)) {
		last-- // what is below belongs to what comes next
	}
	for n := p.Pos.Line; n <= last; n++ {
		out += comment(w.line(n))
	}
	return out
}

// comment is the remark at the end of a line, with a blank in front of it.
func comment(l string) string {
	for i := 0; ; {
		at := strings.Index(l[i:], " #")
		if at < 0 {
			return ""
		}
		i += at
		if strings.Count(l[:i], `"`)%2 == 0 {
			return l[i:]
		}
		i += 2
	}
}

// item writes one entry of a list.
func (w *writer) item(n *document.Node, indent int) {
	pad := strings.Repeat(" ", indent)
	dash := document.Pos{Line: n.Pos.Line, Col: n.Pos.Col}
	if n.Pos.Line > 0 {
		w.lead(n.Pos.Line, indent)
		if at := strings.IndexByte(w.line(n.Pos.Line), '-'); at >= 0 && at < dash.Col {
			dash.Col = at + 1
		}
	}
	switch {
	case w.kept[n]:
		w.out.WriteString(pad + w.line(n.Pos.Line)[dash.Col-1:] + "\n")
		w.copy(n.Pos.Line, w.end(dash, false), dash.Col-1, indent)
	case n.Kind == document.Map && w.block(n) && len(n.Pairs) > 0:
		sub := &writer{lines: w.lines, kept: w.kept}
		for i, p := range n.Pairs {
			if i > 0 && p.Pos.Line > 0 {
				sub.lead(p.Pos.Line, indent+2)
			}
			sub.pair(p, indent+2)
		}
		w.out.WriteString(pad + "- " + strings.TrimLeft(sub.out.String(), " "))
	case n.Kind == document.String && plain(n.Text):
		w.out.WriteString(pad + "- " + n.Text + w.remark(document.Pair{Pos: dash, Val: n}) + "\n")
	default:
		w.out.WriteString(pad + "- " + flow(n) + w.remark(document.Pair{Pos: dash, Val: n}) + "\n")
	}
}

// plain reports whether a text can be an entry of a list without quotes.
func plain(s string) bool {
	if s == "" {
		return false
	}
	c := s[0]
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return letter && !strings.Contains(s, ": ") && !strings.Contains(s, " #") && !strings.ContainsAny(s, "\n\t\"")
}

func keyText(key string) string { return document.Text(key) }

// keyLength is how much of a line its key takes.
func keyLength(l string) int {
	if l[0] == '"' || l[0] == '\'' {
		return strings.IndexByte(l[1:], l[0]) + 2
	}
	return strings.Index(l, ":")
}

// flow writes a node on one line; text that had no quotes gets none.
func flow(n *document.Node) string {
	var parts []string
	switch n.Kind {
	case document.Map:
		for _, p := range n.Pairs {
			parts = append(parts, keyText(p.Key)+": "+flow(p.Val))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case document.List:
		for _, it := range n.Items {
			parts = append(parts, flow(it))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case document.String:
		if n.Pos.Line > 0 && !n.Quote && n.Text != "" && !strings.ContainsAny(n.Text, ",[]{}#&*!|>'\"%@`\n") && !strings.Contains(n.Text, ": ") {
			return n.Text
		}
	}
	return document.Flow(n)
}
