package definition

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/excerpt"
)

// Problem is one thing wrong with a definition, with its place.
type Problem struct {
	File      string // as its source calls it
	Line, Col int    // from 1; columns count characters
	Msg       string // what is wrong
	Excerpt   string // the line, the one before it and a caret, ready to print; "" where there is none
	Hint      string // what to do; may be empty
	Warning   bool   // the definition loads all the same
}

// Error prints place, message and excerpt with the hint behind the caret.
func (p *Problem) Error() string {
	if p.Excerpt == "" {
		return p.String()
	}
	return p.String() + "\n" + p.Excerpt
}

// String is the problem on one line, without the excerpt.
func (p *Problem) String() string {
	kind := ""
	if p.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", p.File, p.Line, p.Col, kind, p.Msg)
}

// place is a place in the file that is read.
func place(line, col int) document.Pos { return document.Pos{Line: line, Col: col} }

// text is a file that is being read, with what was found wrong so far.
type text struct {
	name     string
	lines    []string
	problems []*Problem
	broken   bool // one of them is an error
	more     int  // warnings beyond maxWarnings
}

// maxWarnings is how many warnings one file gets; further ones are counted.
const maxWarnings = 20

func newText(name, content string) *text {
	return &text{name: name, lines: strings.Split(content, "\n")}
}

func (t *text) fail(p document.Pos, hint, format string, args ...any) {
	t.broken = true
	t.add(p, false, hint, format, args...)
}

func (t *text) warn(p document.Pos, hint, format string, args ...any) {
	if len(t.problems) >= maxWarnings {
		t.more++
		return
	}
	t.add(p, true, hint, format, args...)
}

func (t *text) add(p document.Pos, warning bool, hint, format string, args ...any) {
	p.Line, p.Col = max(p.Line, 1), max(p.Col, 1)
	hint = excerpt.Printable(hint)
	t.problems = append(t.problems, &Problem{File: t.name, Line: p.Line, Col: p.Col, Msg: excerpt.Printable(fmt.Sprintf(format, args...)),
		Hint: hint, Warning: warning, Excerpt: excerpt.Show(t.lines, p.Line, p.Col, hint)})
}

// found is what was found wrong, in the order of the text.
func (t *text) found() []*Problem {
	slices.SortStableFunc(t.problems, func(a, b *Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Col - b.Col
	})
	if t.more > 0 {
		t.problems = append(t.problems, &Problem{File: t.name, Line: 1, Col: 1, Warning: true, Msg: fmt.Sprintf("and further ones in this file: %d", t.more)})
		t.more = 0
	}
	return t.problems
}
