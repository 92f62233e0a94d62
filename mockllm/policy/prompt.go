package policy

import (
	"strconv"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

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
	told, toldGists := set{}, set{}
	if it.prompting != promptPointers {
		r := relay{m: m, budget: m.t.profile.PromptBudget, from: m.s}
		b = r.append(b, "\nWhat is known:", it.needs, it.gists)
		told, toldGists = r.facts, r.gists
	}
	b = m.appendPlaces(b, it, told, toldGists)
	m.buf = b
	return string(b)
}

// appendPlaces points to what was not told: to facts at the place the lead knows
// or the one it was trained on, and to the files that hold what is needed.
func (m *Model) appendPlaces(b []byte, it *item, told, toldGists set) []byte {
	start := len(b)
	b = append(b, "\nWhere to look:"...)
	head := len(b)
	for _, f := range it.needs {
		if told.has(f) {
			continue
		}
		if file, line, ok := m.placeOf(f); ok {
			b = m.appendPlace(b, m.t.facts[f].name, file, line)
		}
	}
	named := set{}
	for _, f := range it.whole {
		b, named = m.appendPlace(b, filePrefix+m.t.files[f], f, 1), named.with(f)
	}
	for _, list := range [2][]int{it.gists, it.reads} {
		for _, f := range list {
			if !named.has(f) && !toldGists.has(f) {
				b, named = m.appendPlace(b, gistName(m.t.files[f]), f, 1), named.with(f)
			}
		}
	}
	if len(b) == head {
		return b[:start]
	}
	return b
}

func (m *Model) appendPlace(b []byte, name string, file int, line int32) []byte {
	b = append(b, "\n- "...)
	return append(b, m.t.marks.Text(mark.At, name, m.t.files[file]+":"+strconv.Itoa(int(line)))...)
}

// placeOf is where the lead sends a worker for a fact.
func (m *Model) placeOf(f int) (file int, line int32, ok bool) {
	for p := m.s.places; p != nil; p = p.next {
		if p.fact == f && p.line > 0 {
			return p.file, p.line, true
		}
	}
	d := &m.t.facts[f]
	return d.file, max(d.line, 1), d.file >= 0
}

// relay passes facts and gists on within a budget of tokens, and says what it
// dropped.
type relay struct {
	m            *Model
	budget       int64
	from         *state
	facts, gists set      // what was passed on
	dropped      []string // what did not fit
}

func (r *relay) append(b []byte, title string, facts, gists []int) []byte {
	start := len(b)
	b = append(b, title...)
	head := len(b)
	for _, f := range facts {
		d := &r.m.t.facts[f]
		if r.from.facts.has(f) && !d.verbatim && r.fits(d.name, d.gist) {
			b, r.facts = r.item(b, d.name, d.gist), r.facts.with(f)
		}
	}
	for _, f := range gists {
		name := gistName(r.m.t.files[f])
		if n := r.m.t.profile.GistTokens; r.from.gists.has(f) && r.fits(name, n) {
			b, r.gists = r.item(b, name, n), r.gists.with(f)
		}
	}
	if len(b) == head {
		b = b[:start]
	}
	if len(r.dropped) > 0 {
		b = append(b, "\nLeft out for want of room:"...)
		for i, name := range r.dropped {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, ' '), name...)
		}
		b = append(b, '.')
	}
	return b
}

func (r *relay) fits(name string, tokens int64) bool {
	if tokens > r.budget {
		r.dropped = append(r.dropped, name)
		return false
	}
	r.budget -= tokens
	return true
}

func (r *relay) item(b []byte, name string, tokens int64) []byte {
	b = append(append(b, "\n- "...), r.m.t.marks.Text(mark.Fact, name)...)
	return append(append(b, ' '), r.m.t.filler.String(llm.Prose, tokens)...)
}
