package shell

import "mvdan.cc/sh/v3/syntax"

// streams are what a command has open.
type streams struct {
	in       *input
	out, err *buffer
}

// input is what is left for a command to read.
type input struct{ s string }

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
	if r.Op == syntax.Hdoc {
		text, ok := m.document(r, st)
		own.in = &input{text}
		return t, ok
	}
	word, ok := m.text(r.Word, st)
	if !ok {
		return t, false
	}
	to := own.out
	switch {
	case r.Op == syntax.RdrIn:
		content, why := m.read(word)
		own.in = &input{content}
		return t, m.opened(word, why, st)
	case r.Op == syntax.DplOut && word == "2":
		to = own.err
	case r.Op != syntax.DplOut:
		if t, ok = m.openFile(word, r.Op == syntax.AppOut, st); !ok {
			return t, false
		}
		to = t.b
	}
	if r.N != nil && r.N.Value == "2" {
		own.err = to
	} else {
		own.out = to
	}
	return t, true
}

// opened says why a file could not be opened, and reports whether it could.
func (m *machine) opened(name, why string, st *streams) bool {
	if why != "" {
		st.err.put("bash: " + brief(name) + ": " + why + "\n")
	}
	return why == ""
}

func (m *machine) openFile(name string, add bool, st *streams) (t target, ok bool) {
	abs := m.absolute(name)
	if !m.opened(name, m.writable(abs), st) {
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
	m.write(t.abs, t.b.String())
}
