package document

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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

	Costly  bool // the text is refused for what reading it would cost
	Warning bool // what it is about is read all the same
}

// Error prints place, message and excerpt with the hint behind the caret.
func (e *Error) Error() string {
	if e.Excerpt == "" {
		return e.String()
	}
	return e.String() + "\n" + e.Excerpt
}

// String is the mistake on one line, without the excerpt.
func (e *Error) String() string {
	kind := ""
	if e.Warning {
		kind = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.File, e.Line, e.Col, kind, e.Msg)
}

// Errors are all errors of one load in order of their place, at most MaxErrors.
type Errors struct {
	List []*Error
	More int // found beyond MaxErrors
}

// Error prints all errors, one after another.
func (e *Errors) Error() string {
	var all []string
	for _, x := range e.List {
		all = append(all, x.Error())
	}
	if e.More > 0 {
		all = append(all, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(all, "\n")
}

// Unwrap gives the single errors to errors.As.
func (e *Errors) Unwrap() []error {
	out := make([]error, len(e.List))
	for i, x := range e.List {
		out[i] = x
	}
	return out
}

// Source is one text that values come from: the file, or the argument of --set.
type Source struct {
	Name  string
	Lines []string
}

// NewSource is a text by the name that messages call it.
func NewSource(name, text string) *Source {
	return &Source{Name: name, Lines: strings.Split(text, "\n")}
}

// At is a place in the source, counted from 1.
func (s *Source) At(line, col int) Pos { return Pos{s, line, col} }

// Pos is a place in a source. Its zero value is no place.
type Pos struct {
	Src       *Source
	Line, Col int
}

// Right is the place n columns on.
func (p Pos) Right(n int) Pos { return Pos{p.Src, p.Line, p.Col + n} }

// On is the place of a text further on in the line, or p where it is not there.
func (p Pos) On(text string) Pos {
	if p.Src == nil || p.Line < 1 || p.Line > len(p.Src.Lines) {
		return p
	}
	line := []rune(p.Src.Lines[p.Line-1])
	before, _, found := strings.Cut(string(line[min(max(p.Col-1, 0), len(line)):]), text)
	if !found {
		return p
	}
	return p.Right(len([]rune(before)))
}

// Problems gathers errors, each place and message once.
type Problems struct {
	List []*Error
	Seen map[string]bool
	more int // beyond maxKept
}

// Full reports that no further error will be kept, so that finding its hint is
// wasted.
func (l *Problems) Full() bool { return len(l.List) >= maxKept }

// Add adds a mistake with what to do about it.
func (l *Problems) Add(p Pos, hint, format string, args ...any) {
	if l.Full() {
		l.more++
		return
	}
	e := NewError(p, fmt.Sprintf(format, args...), hint)
	l.keep(fmt.Sprintf("%s:%d:%d:%s", e.File, e.Line, e.Col, e.Msg), e)
}

// keep adds an error unless one of the same key was added.
func (l *Problems) keep(key string, e *Error) {
	if l.Seen[key] {
		return
	}
	if l.Seen == nil {
		l.Seen = map[string]bool{}
	}
	l.Seen[key] = true
	l.List = append(l.List, e)
}

// Err is nil, or all errors found, sorted by place and bounded.
func (l *Problems) Err() error {
	if len(l.List) == 0 {
		return nil
	}
	slices.SortStableFunc(l.List, func(a, b *Error) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	out := &Errors{List: once(l.List), More: l.more}
	if len(out.List) > MaxErrors {
		out.More += len(out.List) - MaxErrors
		out.List = out.List[:MaxErrors]
	}
	return out
}

// anItem is what makes the same mistake in several items look different.
var anItem = regexp.MustCompile(`item ("[^"]*"|\d+)`)

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
			first.Msg += ", and " + strconv.Itoa(n-1) + " more like it"
			out = append(out, &first)
		case n > 0:
			out = append(out, e)
		}
	}
	return out
}

// NewError is a mistake at a place with what to do about it.
func NewError(p Pos, msg, hint string) *Error {
	e := &Error{File: p.Src.Name, Line: max(p.Line, 1), Col: max(p.Col, 1), Msg: excerpt.Printable(msg), Hint: excerpt.Printable(hint)}
	e.Excerpt = excerpt.Show(p.Src.Lines, e.Line, e.Col, e.Hint)
	return e
}

// Merge adds what another list holds and this one does not.
func (l *Problems) Merge(o *Problems) {
	for _, e := range o.List {
		l.keep(e.Error(), e)
	}
}
