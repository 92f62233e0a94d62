package shell

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// line is what one command line expands to. The library that expands them asks
// for variables, the output of commands and the names in directories; each is
// charged here, as if it were a pattern that is compiled and compared with names.
type line struct {
	m     *machine
	st    *streams
	whole bool // one text: no splitting, no file names
	bytes int
}

// config is what the library is given. It has a home for everybody, or else it
// would ask the machine.
func (w *line) config() *expand.Config {
	c := &expand.Config{Env: w, CmdSubst: w.substitute}
	if !w.whole {
		c.ReadDir2 = w.readDir
	}
	return c
}

// weigh charges a part of the line.
func (w *line) weigh(s string) bool {
	if w.whole {
		return w.m.charge(len(s))
	}
	w.bytes += len(s)
	return w.m.charge(16*len(s) + entryWork*len(strings.Fields(s)))
}

// Get is a variable or special parameter, as the library asks for it.
func (w *line) Get(name string) expand.Variable {
	value, set := w.m.vars[name]
	switch other, isHome := strings.CutPrefix(name, "HOME "); {
	case isHome: // of another user, and there is none
		value, set = "~"+other, true
	case name == "IFS" && w.whole:
		value, set = "", true
	case name == "?":
		value, set = strconv.Itoa(w.m.status), true
	case name == "PWD":
		value, set = w.m.dir, true
	}
	if !set || !w.weigh(value) {
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: value}
}

// Each lists nothing: what asks for it is not available.
func (*line) Each(func(string, expand.Variable) bool) {}

// substitute writes the output of commands.
func (w *line) substitute(to io.Writer, c *syntax.CmdSubst) error {
	m, out := w.m, w.m.buffer()
	m.status = 0
	m.inside(func() { m.list(c.Stmts, &streams{w.st.in, out, w.st.err}) })
	if w.weigh(out.String()) {
		_, _ = io.WriteString(to, out.String()) // into memory
	}
	return m.halted
}

// readDir lists a directory for patterns.
func (w *line) readDir(abs string) (out []fs.DirEntry, err error) {
	if abs = path.Clean(abs); !w.m.isDir(abs) {
		return nil, fs.ErrNotExist
	}
	for _, e := range w.m.entries(abs) {
		out = append(out, e)
	}
	w.m.charge(len(out) * w.bytes / 4)
	return out, w.m.halted
}

// fields expands words into the arguments of a command: braces, variables,
// commands, splitting, file names. With braces each argument goes through the whole
// word again, and is charged for it. ok is false after an error, which was said.
func (m *machine) fields(words []*syntax.Word, st *streams) (out []string, ok bool) {
	w := &line{m: m, st: st}
	for _, word := range words {
		size := int(word.End().Offset() - word.Pos().Offset())
		w.bytes += size
		for f, err := range expand.FieldsSeq(w.config(), word) {
			if err != nil {
				return nil, m.failed(err, st)
			}
			if out = append(out, f); len(out) > maxFields {
				m.halt(errFields)
			}
			if !m.charge(entryWork + 16*size) {
				return nil, false
			}
		}
	}
	return out, m.halted == nil
}

// text expands a word to one text, without braces, splitting or file names.
func (m *machine) text(word *syntax.Word, st *streams) (string, bool) {
	s, err := expand.Literal((&line{m: m, st: st, whole: true}).config(), word)
	return s, m.failed(err, st)
}

// document is the text of a here-document, expanded where its delimiter is not
// quoted.
func (m *machine) document(r *syntax.Redirect, st *streams) (string, bool) {
	if name := r.Word.Lit(); name == "" || strings.Contains(name, `\`) {
		return r.Hdoc.Lit(), true
	}
	s, err := expand.Document((&line{m: m, st: st, whole: true}).config(), r.Hdoc)
	return s, m.failed(err, st)
}

// failed says an error of an expansion, which ends the command it is in, and
// reports whether all is well.
func (m *machine) failed(err error, st *streams) (ok bool) {
	if err != nil && m.halted == nil {
		st.err.put("bash: " + brief(err.Error()) + "\n")
		m.status = 1
	}
	return err == nil && m.halted == nil
}
