package document

import (
	"fmt"
	"regexp"
	"sort"
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

// Add adds a mistake with what to do about it, and returns it.
func (l *Problems) Add(p Pos, hint, format string, args ...any) *Error {
	if l.Full() {
		l.more++
		return &Error{}
	}
	e := NewError(p, fmt.Sprintf(format, args...), hint)
	key := fmt.Sprintf("%s:%d:%d:%s", e.File, e.Line, e.Col, e.Msg)
	if l.Seen[key] {
		return &Error{}
	}
	if l.Seen == nil {
		l.Seen = map[string]bool{}
	}
	l.Seen[key] = true
	l.List = append(l.List, e)
	return e
}

// Err is nil, or all errors found, sorted by place and bounded.
func (l *Problems) Err() error {
	if len(l.List) == 0 {
		return nil
	}
	sort.SliceStable(l.List, func(i, j int) bool { return before(l.List[i], l.List[j]) })
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

func before(a, b *Error) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Col < b.Col
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
		key := e.Error()
		if l.Seen[key] {
			continue
		}
		if l.Seen == nil {
			l.Seen = map[string]bool{}
		}
		l.Seen[key] = true
		l.List = append(l.List, e)
	}
}
