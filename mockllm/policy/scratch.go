package policy

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// A pad is the file of an item of research in the directory that workers share:
// its worker writes what it found there and reports where it stands, so that the
// lead passes on places and whoever needs a finding reads it (CRD-08).

// padLine is the line of a pad on which its first finding stands.
const padLine = 3

// pads says where pads are, if there are any.
func (b *binder) pads(sc *scenarios.Scenario) {
	if sc.Structure.Base() == scenarios.Coordinated && sc.Gate("tengu_scratch") == "true" {
		b.t.padDir = sc.Coordinator.Scratchpad
	}
}

// pad gives an item of research its pad.
func (b *binder) pad(it *item, n int) {
	it.pad = -1
	if b.t.padDir == "" || it.kind != "research" {
		return
	}
	it.pad = b.t.addFile(b.t.padDir + "/" + it.id + ".md")
	if b.t.padItem == nil {
		b.t.padItem = map[int]int{}
	}
	b.t.padItem[it.pad] = n
}

func (t *Table) isPad(file int) bool {
	if t.padDir == "" {
		return false
	}
	_, ok := t.padItem[file]
	return ok
}

// A file's gist has places too, those in pads. They stand in the list of places
// with the complement of the file as their fact.
func gistFact(file int) int { return ^file }

// gistAt notes the place of a gist in a pad.
func (n *note) gistAt(name string, file int, line int32) {
	if p, ok := strings.CutPrefix(name, gistPrefix); ok && n.table.isPad(file) {
		if g, ok := n.table.fileIndex[p]; ok {
			n.places = append(n.places, place{fact: gistFact(g), file: file, line: line})
		}
	}
}

// padPlace is a place of a fact in a pad that stands in the conversation, or nil.
func (t *Table) padPlace(s *state, f int) *place {
	if t.padDir == "" {
		return nil
	}
	for p := s.places; p != nil; p = p.next {
		if p.fact == f && t.isPad(p.file) {
			return p
		}
	}
	return nil
}

// gist asks for a file's gist: reads it in a pad if there is word of one, else
// the file.
func (p *plan) gist(f int) {
	tellable := p.it.tellGists.has(f)
	if q := p.t.padPlace(p.s, gistFact(f)); q == nil || !p.readPlace(q, tellable) {
		p.file(f, tellable, gistPrefix)
	}
}

// pads reads what nothing asks for and a pad holds: whoever is pointed to a
// pitfall there looks it up.
func (p *plan) pads() {
	for _, f := range p.it.pitfalls {
		if q := p.t.padPlace(p.s, f); q != nil && !p.s.facts.has(f) {
			p.readPlace(q, false)
		}
	}
}

// writePads writes the pads of finished items that have none yet, and reports
// whether there was any.
func (m *Model) writePads(items []int) (wrote bool) {
	if m.t.padDir == "" || !m.s.proof.write {
		return false
	}
	pr := m.s.proof
	for _, i := range items {
		it := &m.t.items[i]
		if it.pad < 0 || !m.done.has(i) || pr.padded.has(i) || pr.padless.has(i) {
			continue
		}
		if !wrote {
			key := it.key.Sub("pad")
			m.think(key, it.think, it.alone, "write down what was found")
			m.preamble(key, i, "write down what was found")
		}
		m.a.Use(m.q, m.t.names.write, m.mind().padInput(it), "")
		wrote = true
	}
	return wrote
}

// padInput is the input that writes an item's pad: what it yields and the gists
// of what it read, a line each, and the words that its report would have had. No
// budget bounds it. What may not be relayed is not written either.
func (m mind) padInput(it *item) *llm.Payload {
	b := append([]byte(nil), "Findings of work item "...)
	b = append(append(b, it.id...), '\n')
	for _, f := range it.yields {
		b = append(b, m.tellFact(f)...)
	}
	for _, f := range it.gists {
		b = append(b, m.tellGist(f)...)
	}
	b = append(append(b, "\n\n"...), m.words(it)...)
	return object("file_path", m.t.path(it.pad), "content", string(append(b, '\n')))
}

// padResult enters a pad and on which lines its findings stand.
func (f *folder) padResult(b *llm.Block, asked *note) {
	i, ok := f.t.padItem[asked.target]
	if !ok {
		return
	}
	p := own(&f.s.proof)
	if b.IsError {
		p.padless = p.padless.with(i)
		return
	}
	p.padded = p.padded.with(i)
	line := int32(padLine)
	for _, fact := range asked.facts {
		f.place(place{fact: fact, file: asked.target, line: line})
		line++
	}
	for _, g := range asked.gists {
		f.place(place{fact: gistFact(g), file: asked.target, line: line})
		line++
	}
}

// padded reports whether an item's findings stand in its pad.
func (m mind) padded(i int) bool {
	return m.t.items[i].pad >= 0 && m.s.proof.padded.has(i)
}

// inPad is the line that points to a finding's place in a pad, "" for none.
func (m mind) inPad(name string, f int) string {
	if p := m.t.padPlace(m.s, f); p != nil {
		return m.placeLine(name, p.file, p.line)
	}
	return ""
}

// found is what a report passes on of a finding: where it stands if that is a
// pad, else the finding itself with file and line.
func (m mind) found(name string, f int, tell string) entry {
	if place := m.inPad(name, f); place != "" {
		return entry{name: name, place: place}
	}
	if p := m.placeOf(f); tell != "" && p != nil && p.line > 0 {
		tell += " " + m.t.marks.Text(mark.At, name, m.t.placeText(p.file, p.line))
	}
	return entry{name: name, tell: tell}
}
