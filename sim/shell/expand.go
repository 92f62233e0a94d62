package shell

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// expansion is what the library needs to expand words: variables, the output of
// commands and the names in directories, each of which is charged.
func (m *machine) expansion(st *streams, whole bool) *expand.Config {
	c := &expand.Config{Env: environ{m, whole}, CmdSubst: func(w io.Writer, c *syntax.CmdSubst) error {
		out := m.buffer()
		m.status = 0
		m.inside(func() { m.list(c.Stmts, &streams{in: st.in, out: out, err: st.err}) })
		if m.payWords(out.String()) {
			_, _ = io.WriteString(w, out.String()) // into memory
		}
		return m.halted
	}}
	if !whole {
		c.ReadDir2 = m.readDir
	}
	return c
}

// payWords charges a value and the words that it may become.
func (m *machine) payWords(s string) bool {
	return m.charge(len(s) + entryWork*(strings.Count(s, " ")+strings.Count(s, "\t")+strings.Count(s, "\n")))
}

// environ is the script's variables; whole says that values are not split.
type environ struct {
	m     *machine
	whole bool
}

// Get is a variable or special parameter, as the library asks for it.
func (e environ) Get(name string) expand.Variable {
	value, set := e.m.vars[name]
	switch other, isHome := strings.CutPrefix(name, "HOME "); {
	case isHome: // of another user, and there is none
		value, set = "~"+other, true
	case name == "IFS" && e.whole:
		value, set = "", true
	case name == "?":
		value, set = strconv.Itoa(e.m.status), true
	case name == "PWD":
		value, set = e.m.dir, true
	}
	if !set || !e.m.payWords(value) {
		return expand.Variable{}
	}
	return expand.Variable{Set: true, Kind: expand.String, Str: value}
}

// Each lists nothing: what asks for it is not available.
func (environ) Each(func(string, expand.Variable) bool) {}

// readDir lists a directory for patterns.
func (m *machine) readDir(abs string) (out []fs.DirEntry, err error) {
	switch abs = path.Clean(abs); {
	case !m.exists(abs):
		return nil, fs.ErrNotExist
	case !m.isDir(abs):
		return nil, errors.New(notDir)
	}
	for _, e := range m.entries(abs) {
		out = append(out, e)
	}
	return out, m.halted
}

// fields expands words into the arguments of a command: braces, variables,
// commands, splitting, file names. ok is false after an error, which was said.
func (m *machine) fields(words []*syntax.Word, st *streams) (out []string, ok bool) {
	for f, err := range expand.FieldsSeq(m.expansion(st, false), words...) {
		if err != nil {
			return nil, m.failed(err, st)
		}
		if out = append(out, f); len(out) > maxFields {
			m.halt(errFields)
		}
		if !m.charge(entryWork) {
			return nil, false
		}
	}
	return out, m.halted == nil
}

// text expands a word to one text, without splitting or file names.
func (m *machine) text(w *syntax.Word, st *streams) (string, bool) {
	if w == nil {
		return "", true
	}
	parts, err := expand.Fields(m.expansion(st, true), w)
	return strings.Join(parts, " "), m.failed(err, st)
}

// document expands the text of a here-document.
func (m *machine) document(w *syntax.Word, st *streams) (string, bool) {
	s, err := expand.Document(m.expansion(st, true), w)
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
