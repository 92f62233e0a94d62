package scenarios

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"agentsim/sim/excerpt"
)

// MaxErrors is how many errors one load reports; further ones are counted.
const MaxErrors = 10

// maxKept is how many errors are looked into at all before the rest is only
// counted: a hostile file may hold a mistake in every line.
const maxKept = 100

// Error is one thing wrong in a scenario, with its place.
type Error struct {
	File      string // as given, or --set
	Line, Col int    // from 1; columns count characters
	Msg       string // what is wrong
	Excerpt   string // the line, the one before it and a caret, ready to print
	Hint      string // what to do; may be empty

	unused bool // a section that nothing uses; an error only if no variant uses it
}

// Error prints place, message and excerpt with the hint behind the caret.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if e.Excerpt == "" {
		return s
	}
	return s + "\n" + e.Excerpt
}

// Errors are all errors of one load in order of their place, at most MaxErrors.
type Errors struct {
	List []*Error
	More int // found beyond MaxErrors
}

// Error prints all errors, one after another.
func (e *Errors) Error() string {
	var b strings.Builder
	for i, x := range e.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(x.Error())
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\nand %d more", e.More)
	}
	return b.String()
}

// Unwrap gives the single errors to errors.As.
func (e *Errors) Unwrap() []error {
	out := make([]error, len(e.List))
	for i, x := range e.List {
		out[i] = x
	}
	return out
}

// source is one text that values come from: the file, or the argument of --set.
type source struct {
	name  string
	lines []string
}

func newSource(name, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

// pos is a place in a source. Its zero value is no place.
type pos struct {
	src       *source
	line, col int
}

func (p pos) right(n int) pos { return pos{p.src, p.line, p.col + n} }

// errorList gathers errors, each place and message once.
type errorList struct {
	list []*Error
	seen map[string]bool
	more int // beyond maxKept
}

// full reports that no further error will be kept, so that finding its hint is
// wasted.
func (l *errorList) full() bool { return len(l.list) >= maxKept }

func (l *errorList) add(p pos, hint, format string, args ...any) *Error {
	if l.full() {
		l.more++
		return &Error{}
	}
	e := newError(p, fmt.Sprintf(format, args...), hint)
	key := fmt.Sprintf("%s:%d:%d:%s", e.File, e.Line, e.Col, e.Msg)
	if l.seen[key] {
		return &Error{}
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[key] = true
	l.list = append(l.list, e)
	return e
}

// err is nil, or all errors found, sorted by place and bounded.
func (l *errorList) err() error {
	if len(l.list) == 0 {
		return nil
	}
	sort.SliceStable(l.list, func(i, j int) bool { return before(l.list[i], l.list[j]) })
	out := &Errors{List: once(l.list), More: l.more}
	if len(out.List) > MaxErrors {
		out.More += len(out.List) - MaxErrors
		out.List = out.List[:MaxErrors]
	}
	return out
}

// anItem is what makes the same mistake in several items look different.
var anItem = regexp.MustCompile(`work item ("[^"]*"|\d+)`)

const manyAlike = 3 // mistakes that are told as one

// once tells a mistake that many items make at the first of them.
func once(list []*Error) (out []*Error) {
	kind := func(e *Error) string { return anItem.ReplaceAllString(e.Msg, "") + "\n" + e.Hint }
	alike := map[string]int{}
	for _, e := range list {
		alike[kind(e)]++
	}
	for _, e := range list {
		switch n := alike[kind(e)]; {
		case n >= manyAlike:
			alike[kind(e)] = 0
			first := *e
			first.Msg += ", and " + itoa(n-1) + " more like it"
			out = append(out, &first)
		case n > 0:
			out = append(out, e)
		}
	}
	return out
}

func before(a, b *Error) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Col < b.Col
}

func newError(p pos, msg, hint string) *Error {
	e := &Error{File: p.src.name, Line: max(p.line, 1), Col: max(p.col, 1), Msg: excerpt.Printable(msg), Hint: excerpt.Printable(hint)}
	e.Excerpt = excerpt.Show(p.src.lines, e.Line, e.Col, e.Hint)
	return e
}
