package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// target is a file that is being written.
type target struct {
	abs string
	b   *buffer
}

// redirect opens what a statement redirects. ok is false when one cannot be
// opened, which was said. What was opened is to be closed in any case.
func (m *machine) redirect(rs []*syntax.Redirect, st *streams) (own *streams, closers []target, ok bool) {
	if len(rs) == 0 {
		return st, nil, true
	}
	own = &streams{in: st.in, out: st.out, err: st.err}
	for _, r := range rs {
		t, ok := m.redirectOne(r, own, st)
		if t.b != nil {
			closers = append(closers, t)
		}
		if !ok || m.halted != nil {
			return own, closers, false
		}
	}
	return own, closers, true
}

func (m *machine) redirectOne(r *syntax.Redirect, own, st *streams) (t target, ok bool) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text, ok := m.hereDoc(r, st)
		own.in = &input{s: text}
		return t, ok
	case syntax.DplOut:
		from := own.out
		if r.Word.Lit() == "2" {
			from = own.err
		}
		own.redirectTo(r, from)
		return t, true
	}
	word, ok := m.text(r.Word, st)
	if !ok {
		return t, false
	}
	switch r.Op {
	case syntax.WordHdoc:
		own.in = &input{s: word + "\n"}
	case syntax.RdrIn:
		content, why := m.read(word)
		if why != "" {
			st.err.put("bash: " + brief(word) + ": " + why + "\n")
			return t, false
		}
		own.in = &input{s: content}
	default:
		if t, ok = m.openFile(word, r.Op == syntax.AppOut || r.Op == syntax.AppAll, st); !ok {
			return t, false
		}
		own.redirectTo(r, t.b)
	}
	return t, true
}

// redirectTo points the streams that a redirection means to a buffer.
func (s *streams) redirectTo(r *syntax.Redirect, b *buffer) {
	switch {
	case r.Op == syntax.RdrAll || r.Op == syntax.AppAll:
		s.out, s.err = b, b
	case r.N != nil && r.N.Value == "2":
		s.err = b
	default:
		s.out = b
	}
}

func (m *machine) openFile(name string, add bool, st *streams) (t target, ok bool) {
	abs := m.absolute(name)
	if why := m.writable(abs); name == "" || why != "" {
		if name == "" {
			why = noFile
		}
		st.err.put("bash: " + brief(name) + ": " + why + "\n")
		return t, false
	}
	b := m.buffer()
	if add && m.isFile(abs) {
		content, _ := m.read(name)
		b.put(content)
	}
	if abs != nullDevice {
		m.open[abs] = b
	}
	return target{abs, b}, true
}

// close writes what a file was given.
func (m *machine) close(t target) {
	if m.open[t.abs] == t.b {
		delete(m.open, t.abs)
	}
	if t.abs == nullDevice {
		return
	}
	m.write(t.abs, t.b.String())
}

// hereDoc is the text of a here-document.
func (m *machine) hereDoc(r *syntax.Redirect, st *streams) (string, bool) {
	if r.Hdoc == nil {
		return "", true
	}
	var text string
	ok := true
	if quotedDelimiter(r.Word) {
		text = r.Hdoc.Lit()
	} else {
		text, ok = m.document(r.Hdoc, st)
	}
	if r.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(text, "\n")
		for i, l := range lines {
			lines[i] = strings.TrimLeft(l, "\t")
		}
		text = strings.Join(lines, "")
	}
	return text, ok
}

// quotedDelimiter reports whether any part of a here-document's delimiter is
// quoted, which makes its text stand as it is.
func quotedDelimiter(w *syntax.Word) bool {
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}
