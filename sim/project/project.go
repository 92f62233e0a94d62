// Package project reads what a client puts in front of its agents from a directory:
// memory files, git's status, skills, MCP servers and settings, each part with the
// file and line that it comes from.
//
// Rules:
//   - Nothing is written, started or fetched. A file system, what git says, and what
//     the caller names are all that is read.
//   - What cannot be read is a problem with its place, and everything else is read.
//   - Sizes and counts are bounded, and what a bound cuts off is a problem.
package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/excerpt"
)

// Source is where a project is read from.
type Source struct {
	Dir  fs.FS  // the directory
	Name string // what messages call it; parts have paths inside it
	Path string // absolute; "" where it is not known
	Home fs.FS  // the user's directory, nil where it is not to be read
	// HomeName is what messages call it.
	HomeName string
	Managed  fs.FS // of those who manage the machine, nil for none
	// Above are the directories that it lies in, from its repository's root down.
	Above []fs.FS
	// Nested are memory files of directories below it, which are read with the files
	// there.
	Nested []string
	Git    *Git // nil outside a repository
}

// Part is a piece of text that stands in front of agents.
type Part struct {
	Kind client.Kind
	Name string // of a tool or a skill; else ""
	From string // FILE:LINE that it comes from, as messages call it, or the program
	By   string // FILE:LINE that imports it; "" for none
	Text string
	// Bytes is the assumed size of a part whose text nobody knows; 0 where Text is it.
	Bytes int
	// Defined is a deferred tool with its definition; nil of other kinds.
	Defined *Part
}

// Found is what a directory holds for a client.
type Found struct {
	Layout   *client.Layout
	Parts    []Part // in the order of their kinds' files
	Settings Settings
	// Aside is what is there and stands in front of nobody, a line each.
	Aside    []string
	Assumed  []string // a line each
	Problems []*definition.Problem
}

// Kind are the parts of a kind.
func (f *Found) Kind(k client.Kind) (out []*Part) {
	for i := range f.Parts {
		if f.Parts[i].Kind == k {
			out = append(out, &f.Parts[i])
		}
	}
	return out
}

// Bounds on what is read.
const (
	maxMemory   = 4 << 20 // bytes of one memory file; the client skips larger ones too
	maxAll      = 8 << 20 // bytes of all parts
	maxParts    = 2_000
	maxSettings = 1 << 20
	maxServers  = 100
)

// Read reads a directory for a layout; window is the model's, in tokens, 0 where it is
// not known.
func Read(from Source, layout *client.Layout, window int64) *Found {
	r := &reader{from: from, window: window, Found: &Found{Layout: layout}}
	r.settings()
	r.git()
	r.memory()
	r.skills()
	r.servers()
	r.workflows()
	r.bound()
	return r.Found
}

// reader collects what is found.
type reader struct {
	*Found
	from   Source
	window int64
}

// place is a directory, with what stands before its paths in parts and in messages.
type place struct {
	fs       fs.FS
	in, name string
}

func (r *reader) project() place { return place{r.from.Dir, "", r.from.Name} }

// above are the directories that the project lies in, the root first.
func (r *reader) above() (out []place) {
	for i, dir := range r.from.Above {
		up := strings.Repeat("../", len(r.from.Above)-i)
		out = append(out, place{dir, up, path.Join(r.from.Name, up)})
	}
	return out
}

func (r *reader) home() place { return place{r.from.Home, "~/", r.from.HomeName} }

// called is a file as parts call it, wherever the directory lies.
func (p place) called(file string) string { return p.in + file }

// text reads a file of at most so many bytes. It reports false for one that is not
// there and for one that cannot be read, which is a problem.
func (r *reader) text(p place, file string, most int) (string, bool) {
	if p.fs == nil || !fs.ValidPath(file) {
		return "", false
	}
	f, err := p.fs.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := fs.Lstat(p.fs, file); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			r.unread(p, file, 1, 1, "it is a link that leads nowhere")
		}
		return "", false
	}
	if err != nil {
		r.unread(p, file, 1, 1, "it cannot be read: %s", cause(err))
		return "", false
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		r.unread(p, file, 1, 1, "it cannot be read: %s", cause(err))
		return "", false
	case len(raw) > most:
		r.unread(p, file, 1, 1, "it is larger than %d KiB and is skipped", most>>10)
		return "", false
	}
	text := strings.ReplaceAll(string(bytes.TrimPrefix(raw, []byte("\ufeff"))), "\r\n", "\n")
	if at := notText(text); at >= 0 {
		line := 1 + strings.Count(text[:at], "\n")
		col := 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text[:at], '\n')+1:at])
		r.unread(p, file, line, col, "this is not UTF-8 text: the file is skipped")
		return "", false
	}
	return text, true
}

// notText is the first byte that no text has, -1 for none.
func notText(s string) int {
	for i, c := range s {
		if c == 0 {
			return i
		}
		if c == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// cause is an error of a file without the file.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// problem notes what is wrong at a place of a file; text is the file's, "" where
// there is none to show.
func (r *reader) problem(p place, file string, line, col int, text, format string, args ...any) {
	x := &definition.Problem{File: path.Join(p.name, file), Line: line, Col: col, Warning: true, Msg: excerpt.Printable(fmt.Sprintf(format, args...))}
	if text != "" {
		x.Excerpt = excerpt.Show(strings.Split(text, "\n"), line, col, "")
	}
	r.Problems = append(r.Problems, x)
}

// unread is problem of a file of which nothing is read.
func (r *reader) unread(p place, file string, line, col int, format string, args ...any) {
	r.problem(p, file, line, col, "", format, args...)
	r.Problems[len(r.Problems)-1].Warning = false
}

func (r *reader) add(p Part) { r.Parts = append(r.Parts, p) }

func (r *reader) aside(format string, args ...any) {
	r.Aside = append(r.Aside, excerpt.Printable(fmt.Sprintf(format, args...)))
}

// bound cuts what is too much.
func (r *reader) bound() {
	bytes := 0
	for i := range r.Parts {
		bytes += len(r.Parts[i].Text)
		if i >= maxParts || bytes > maxAll {
			r.problem(r.project(), "", 1, 1, "", "more than %d parts or %d MiB are in front of agents: from here on they are left out", maxParts, maxAll>>20)
			r.Parts = r.Parts[:i]
			return
		}
	}
}

// files lists the files and links below a directory that match, in the order of their
// paths.
func files(p place, dir, suffix string) (out []string) {
	if p.fs == nil {
		return nil
	}
	_ = fs.WalkDir(p.fs, dir, func(name string, d fs.DirEntry, err error) error { // what cannot be listed is not there
		if err != nil {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, suffix) {
			out = append(out, name)
		}
		if len(out) == maxParts {
			return fs.SkipAll
		}
		return nil
	})
	return out
}

// workflows names those of the project: no request holds them.
func (r *reader) workflows() {
	if p := r.project(); p.fs != nil {
		list, _ := fs.ReadDir(p.fs, ".claude/workflows") // none where it is not there
		var names []string
		for _, e := range list {
			names = append(names, e.Name())
		}
		if names != nil {
			r.aside("workflows (%s): %s", p.called(".claude/workflows"), strings.Join(names, ", "))
		}
	}
}
