package baseline

import (
	"fmt"
	"strings"

	"agentsim/sim/excerpt"
)

// Error is one thing wrong in a baseline or a threshold, with its place.
type Error struct {
	File      string // as given, or --threshold
	Line, Col int    // from 1; columns count characters
	Msg       string // what is wrong
	Hint      string // what to do; may be empty
	Excerpt   string // the line, the one before it and a caret
}

// Error prints place, message and excerpt with the hint behind the caret.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s\n%s", e.File, e.Line, e.Col, e.Msg, e.Excerpt)
}

// source is a text that errors point into.
type source struct {
	name  string
	lines []string
}

func newSource(name, text string) *source {
	return &source{name, strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
}

// errorAt makes an error about byte col, from 0, of a line, from 1.
func (s *source) errorAt(line, col int, hint, format string, args ...any) *Error {
	text := s.lines[min(line, len(s.lines))-1]
	e := &Error{File: s.name, Line: line, Col: len([]rune(text[:min(col, len(text))])) + 1,
		Msg: excerpt.Printable(fmt.Sprintf(format, args...)), Hint: excerpt.Printable(hint)}
	e.Excerpt = excerpt.Show(s.lines, e.Line, e.Col, e.Hint)
	return e
}
