package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// section is what a prompt or a report passes on: what is told, where to look
// for the rest, and the names of what found no room. All of it, as the counter
// counts it, stays within the budget. A budget that cannot even hold the names
// gets their number; less than that is not said.
type section struct {
	t       *Table
	title   string // in front of what is told
	budget  int64
	entries []entry
	used    llm.Measure // of what is taken
	names   llm.Measure // of the entries that would be listed now
	listed  int
	naming  bool // there is room for names
}

// entry is one thing to pass on.
type entry struct {
	name          string
	tell          string // the line that tells it, "" when it is not known or not to be told
	place         string // the line that points to it, "" when there is none
	told, pointed bool
}

// In front of the parts of a section.
const (
	lookTitle  = "\nWhere to look:"
	leftTitle  = "\nLeft out for want of room: "
	leftNumber = " findings."
)

func measureOf(s string) llm.Measure { return llm.MeasureOf(llm.Prose, s) }

// add enters something to pass on; nothing that can neither be told nor
// pointed to.
func (s *section) add(e entry) {
	if e.tell != "" || e.place != "" {
		s.entries = append(s.entries, e)
	}
}

// text chooses what is passed on and says it. fixed is what the prompt or
// report says in any case, charged first.
func (s *section) text(fixed string) string {
	s.used = measureOf(fixed)
	for i := range s.entries {
		s.names, s.listed = s.names.Plus(measureOf(", "+s.entries[i].name)), s.listed+1
	}
	s.naming = true
	s.naming = s.fits(s.used)
	first := s.title
	for i := range s.entries {
		if e := &s.entries[i]; e.tell != "" && s.take(first+e.tell, e) {
			e.told, first = true, ""
		}
	}
	first = lookTitle
	for i := range s.entries {
		e := &s.entries[i]
		if e.told || e.place == "" {
			continue
		}
		gone := e
		if e.tell != "" {
			gone = nil // it is named as left out, and pointed to
		}
		if s.take(first+e.place, gone) {
			e.pointed, first = true, ""
		}
	}
	return s.lines(s.title, func(e *entry) (string, bool) { return e.tell, e.told }) + s.leftOut() +
		s.lines(lookTitle, func(e *entry) (string, bool) { return e.place, e.pointed })
}

// take charges a line if it fits, and strikes an entry off the list of what is
// left out; nil strikes none.
func (s *section) take(line string, gone *entry) bool {
	before := *s
	s.used = s.used.Plus(measureOf(line))
	if gone != nil {
		s.names, s.listed = minus(s.names, measureOf(", "+gone.name)), s.listed-1
	}
	if s.fits(s.used) {
		return true
	}
	s.used, s.names, s.listed = before.used, before.names, before.listed
	return false
}

// fits reports whether so much and the list of what is left out are within the
// budget.
func (s *section) fits(m llm.Measure) bool {
	switch {
	case s.listed > 0 && s.naming:
		m = m.Plus(measureOf(leftTitle)).Plus(s.names)
	case s.listed > 0:
		m = m.Plus(measureOf(leftTitle + strconv.Itoa(len(s.entries)) + leftNumber))
	}
	return s.t.filler.Tokens(m) <= s.budget
}

func minus(a, b llm.Measure) llm.Measure {
	for i := range a.Bytes {
		a.Bytes[i] -= b.Bytes[i]
	}
	return a
}

// left reports whether an entry is listed as left out.
func (e *entry) left() bool { return !e.told && (e.tell != "" || !e.pointed) }

// lines are those that were taken, behind their title.
func (s *section) lines(title string, line func(*entry) (string, bool)) (text string) {
	for i := range s.entries {
		if one, ok := line(&s.entries[i]); ok {
			text, title = text+title+one, ""
		}
	}
	return text
}

// leftOut says what is left out: the names where there is room for them, else
// how many they are, if there is room for that.
func (s *section) leftOut() string {
	switch {
	case s.listed == 0:
		return ""
	case !s.naming:
		text := leftTitle + strconv.Itoa(s.listed) + leftNumber
		if s.t.filler.Tokens(s.used.Plus(measureOf(text))) > s.budget {
			return ""
		}
		return text
	}
	var names []string
	for i := range s.entries {
		if e := &s.entries[i]; e.left() {
			names = append(names, e.name)
		}
	}
	return leftTitle + strings.Join(names, ", ") + "."
}

// tellLine is the line that tells a fact or a gist.
func (m mind) tellLine(name, told string) string {
	return "\n- " + m.t.marks.Text(mark.Fact, name) + " " + told
}

// placeLine is the line that points to one.
func (m mind) placeLine(name string, file int, line int32) string {
	return "\n- " + m.t.marks.Text(mark.At, name, m.t.placeText(file, line))
}

func (t *Table) placeText(file int, line int32) string {
	return t.files[file] + ":" + strconv.Itoa(int(line))
}

// tellFact and tellGist are the lines for what the model knows and may relay,
// else "".
func (m mind) tellFact(f int) string {
	if d := &m.t.facts[f]; m.s.facts.has(f) && !d.verbatim {
		m.t.relayed = m.t.relayed || !d.sized
		if d.told != "" {
			return m.tellLine(d.name, d.told)
		}
		return m.tellLine(d.name, m.t.aside(d.name, d.gist))
	}
	return ""
}

func (m mind) tellGist(f int) string {
	if m.s.gists.has(f) {
		m.t.relayed = true
		return m.tellLine(gistName(m.t.files[f]), m.t.gistOf(f))
	}
	return ""
}

// findings are what a report passes on of the items: what they yield and the
// gist of what they read. said is what the report says in any case beside.
func (m mind) findings(a *assignment, said string) string {
	var facts, gists []int
	for _, i := range a.items {
		facts, gists = union(facts, m.t.items[i].yields...), union(gists, m.t.items[i].gists...)
	}
	s := section{t: m.t, title: "\nFindings:", budget: m.t.profile.ReportBudget}
	for _, f := range facts {
		s.add(m.found(m.t.facts[f].name, f, m.tellFact(f)))
	}
	for _, f := range gists {
		s.add(m.found(gistName(m.t.files[f]), gistFact(f), m.tellGist(f)))
	}
	return s.text(said)
}

// relay is what a prompt passes on: facts by their content or by their place
// only, those that come to what the item needs, and those that are left out.
type relay struct {
	full    bool
	also    []int
	without set
}

// known is what a prompt passes on of what an item needs: what the lead knows,
// and where the rest is, as far as the lead's own request says it.
func (m mind) known(it *item, t relay) string {
	s := section{t: m.t, title: "\nWhat is known:", budget: m.t.profile.PromptBudget}
	full, facts := t.full, it.needs
	if len(t.also) > 0 || t.without.len() > 0 {
		facts = slices.DeleteFunc(union(slices.Clone(facts), t.also...), t.without.has)
	}
	for _, f := range facts {
		e := entry{name: m.t.facts[f].name}
		if full {
			e.tell = m.tellFact(f)
		}
		if p := m.placeOf(f); p != nil {
			e.place = m.placeLine(e.name, p.file, p.line)
		}
		s.add(e)
	}
	for _, f := range it.whole {
		m.pointTo(&s, filePrefix+m.t.files[f], f)
	}
	for _, f := range it.gists {
		e := entry{name: gistName(m.t.files[f])}
		if full {
			e.tell = m.tellGist(f)
		}
		if m.s.seen.has(f) && !slices.Contains(it.whole, f) {
			e.place = m.placeLine(e.name, f, 1)
		}
		if p := m.inPad(e.name, gistFact(f)); p != "" {
			e.place = p
		}
		s.add(e)
	}
	for _, f := range it.pitfalls {
		if slices.Contains(facts, f) {
			continue
		}
		e := entry{name: m.t.facts[f].name, place: m.inPad(m.t.facts[f].name, f)}
		if full {
			e.tell = m.tellFact(f)
		}
		s.add(e)
	}
	for _, f := range it.reads { // which of the files that it has seen matter, the writer knows of those that it knows
		if m.s.gists.has(f) && !slices.Contains(it.whole, f) && !slices.Contains(it.gists, f) {
			m.pointTo(&s, gistName(m.t.files[f]), f)
		}
	}
	return s.text("")
}
