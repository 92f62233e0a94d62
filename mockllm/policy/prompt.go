package policy

import "agentsim/sim/mark"

// The ways in which a lead writes prompts (CON-13).
const (
	promptFull     = "full"     // what it knows, and where the rest stands
	promptPointers = "pointers" // where it stands
	promptLazy     = "lazy"     // neither
)

// directive is a fork's prompt. A fork knows what its parent knows.
func (m *Model) directive(i int) string {
	it := &m.t.items[i]
	return m.t.marks.Text(mark.Do, it.id) + " " + verbs[it.kind] + " this item of the work with what you already know. Keep to it."
}

// prompt is a sub-agent's prompt.
func (m *Model) prompt(i int) string {
	it := &m.t.items[i]
	b := append(m.buf[:0], m.t.marks.Text(mark.Do, it.id)...)
	b = append(append(b, ' '), verbs[it.kind]...)
	if it.prompting == promptLazy {
		b = append(b, " this item of the work based on your findings, and report what came of it."...)
		m.buf = b
		return string(b)
	}
	b = append(b, " this item of the work. Report what you found or changed, and name what is missing if you cannot finish."...)
	b = m.known(b, it, telling{full: it.prompting != promptPointers})
	m.buf = b
	return string(b)
}

// placeOf is where the lead sends a worker for a fact.
func (m *Model) placeOf(f int) (file int, line int32, ok bool) {
	if p := m.t.padPlace(m.s, f); p != nil {
		return p.file, p.line, true
	}
	for p := m.s.places; p != nil; p = p.next {
		if p.fact == f && p.line > 0 {
			return p.file, p.line, true
		}
	}
	d := &m.t.facts[f]
	return d.file, max(d.line, 1), d.file >= 0
}
