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
// charged here, and so is what patterns cost: bytes of a line in which there is one
// are compiled, and compared with each name.
type line struct {
	m       *machine
	st      *streams
	whole   bool // one text: no splitting, no file names
	bytes   int
	pattern bool
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
	cost := len(s) + entryWork*(strings.Count(s, " ")+strings.Count(s, "\t")+strings.Count(s, "\n")) // as many words
	if w.pattern {
		cost += 16 * len(s)
	} else if strings.ContainsAny(s, "*?[") {
		w.pattern = true
		cost += 16 * (w.bytes + len(s))
	}
	w.bytes += len(s)
	return w.m.charge(cost)
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
		return expand.Variable{Set: true, Kind: expand.String, Str: w.m.dir}
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
	m.inside(func() { m.list(c.Stmts, &streams{in: w.st.in, out: out, err: w.st.err}) })
	if w.weigh(out.String()) {
		_, _ = io.WriteString(to, out.String()) // into memory
	}
	return m.halted
}

// readDir lists a directory for patterns.
func (w *line) readDir(abs string) (out []fs.DirEntry, err error) {
	m := w.m
	switch abs = path.Clean(abs); {
	case !m.exists(abs):
		return nil, fs.ErrNotExist
	case !m.isDir(abs):
		return nil, fs.ErrInvalid
	}
	for _, e := range m.entries(abs) {
		out = append(out, e)
	}
	m.charge(len(out) * w.bytes / 4)
	return out, m.halted
}

// fields expands words into the arguments of a command: braces, variables,
// commands, splitting, file names. ok is false after an error, which was said.
func (m *machine) fields(all []*syntax.Word, st *streams) (out []string, ok bool) {
	w := &line{m: m, st: st}
	for _, word := range all {
		for _, p := range word.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				w.weigh(lit.Value)
			}
		}
	}
	for _, word := range all {
		err := w.expand(word, func(f string) {
			if out = append(out, f); len(out) > maxFields {
				m.halt(errFields)
			}
		})
		if err != nil {
			return nil, m.failed(err, st)
		}
	}
	return out, m.halted == nil
}

// expand hands on what a word becomes. With braces each of these goes through the
// whole word again, and is charged for it.
func (w *line) expand(word *syntax.Word, take func(string)) error {
	cost := entryWork
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			cost = entryWork + 8*int(word.End().Offset()-word.Pos().Offset())
		}
	}
	for f, err := range expand.FieldsSeq(w.config(), word) {
		if err != nil {
			return err
		}
		if take(f); !w.m.charge(cost) {
			break
		}
	}
	return w.m.halted
}

// text expands a word to one text, without splitting or file names.
func (m *machine) text(word *syntax.Word, st *streams) (string, bool) {
	if word == nil {
		return "", true
	}
	w, parts := &line{m: m, st: st, whole: true}, []string(nil)
	err := w.expand(word, func(f string) { parts = append(parts, f) })
	return strings.Join(parts, " "), m.failed(err, st)
}

// document expands the text of a here-document.
func (m *machine) document(w *syntax.Word, st *streams) (string, bool) {
	s, err := expand.Document((&line{m: m, st: st, whole: true}).config(), w)
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

// constant is a word's text if it expands to that, whatever happens. One that
// may begin with a dash, or become several words, is not.
func constant(w *syntax.Word) (string, bool) {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{~") && !(p.Value == "[" && len(w.Parts) == 1) {
				return "", false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Lit); !ok {
					return "", false
				}
			}
		default:
			return "", false
		}
	}
	out, err := expand.Fields(&expand.Config{}, w)
	return strings.Join(out, " "), err == nil
}
