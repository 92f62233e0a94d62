package definition

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/scenarios/document"
)

// Problem is one thing wrong with a definition, with its place. A definition with
// warnings alone loads all the same.
type Problem = document.Error

// place is a place in the file that is read.
func place(line, col int) document.Pos { return document.Pos{Line: line, Col: col} }

// text is a file that is being read, with what was found wrong so far.
type text struct {
	src      *document.Source
	problems []*Problem
	broken   bool // one of them is an error
	more     int  // warnings beyond maxWarnings
}

// maxWarnings is how many warnings one file gets; further ones are counted.
const maxWarnings = 20

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
	e := document.NewError(t.src.At(p.Line, p.Col), fmt.Sprintf(format, args...), hint)
	e.Warning = warning
	t.problems = append(t.problems, e)
}

// found is what was found wrong, in the order of the text.
func (t *text) found() []*Problem {
	slices.SortStableFunc(t.problems, func(a, b *Problem) int {
		return cmp.Or(a.Line-b.Line, a.Col-b.Col)
	})
	if t.more > 0 {
		t.problems = append(t.problems, &Problem{File: t.src.Name, Line: 1, Col: 1, Warning: true, Msg: fmt.Sprintf("and further ones in this file: %d", t.more)})
		t.more = 0
	}
	return t.problems
}
