package policy

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/mark"
)

// recover sorts what failed: what may be tried again is open, and of the rest
// the user is told (CRD-12). An item is tried once, then corrected, then done in
// another way, each as often as the scenario says. What a worker did not come to
// the end of counts for none of these; it is given out again MaxCut times.
func (m *Model) recover() {
	m.again, m.attempted = set{}, failedAttempts{}
	for _, i := range m.s.failed.list(nil) {
		c := m.s.tried(i)
		switch {
		case c.times == 0 || c.why == reported:
		case decided(m.t, func(by *scenarios.CoordinatorSpec) bool {
			return c.tries() <= *by.Corrections+*by.Approaches && c.cut <= MaxCut
		}):
			m.again, m.failed = m.again.with(i), m.failed.without(i)
		default:
			m.close(i, m.mind().wanting(i, &c))
			m.attempted.add(m.t, &c)
		}
	}
}

// news is what the coordinator tells the user of items that it closes: how they
// ended, and that it is at its wits' end with one that was tried often enough.
func (m *Model) news() string {
	text := m.closingText()
	if text == "" {
		return ""
	}
	return text + m.attempted.text() + "\n"
}

// failedAttempts is what was tried for the items that an answer gives up.
type failedAttempts struct {
	any, corrected, another, begun bool
}

func (v *failedAttempts) add(t *Table, c *attempts) {
	v.any = true
	v.corrected = v.corrected || decided(t, func(by *scenarios.CoordinatorSpec) bool { return *by.Corrections > 0 && c.tries() > 1 })
	v.another = v.another || decided(t, func(by *scenarios.CoordinatorSpec) bool { return c.tries() > 1+*by.Corrections })
	v.begun = v.begun || c.cut > MaxCut
}

// text says what was tried in vain, and whose turn it is; nothing where nothing
// is given up.
func (v *failedAttempts) text() string {
	var did []string
	for _, x := range [...]struct {
		was  bool
		what string
	}{{v.corrected, "corrections"}, {v.another, "another approach"}, {v.begun, "going on after each interruption"}} {
		if x.was {
			did = append(did, x.what)
		}
	}
	said := "No correction and no other approach was to be tried"
	switch n := len(did) - 1; {
	case !v.any:
		return ""
	case n == 0:
		said = did[0] + " did not help"
	case n > 0:
		said = strings.Join(did[:n], ", ") + " and " + did[n] + " did not help"
	}
	return "\n" + strings.ToUpper(said[:1]) + said[1:] + ": how to go on is for you to say."
}

// wanting is what the user is told that an item failed for: what made its edits
// wrong, what the coordinator does not know either, else that there is no good
// report.
func (m mind) wanting(i int, c *attempts) (names []string) {
	switch c.why {
	case defective:
		for _, f := range c.wrong.list(nil) {
			names = append(names, m.t.facts[f].name)
		}
	case lacking:
		for _, f := range m.t.items[i].needs {
			if !m.s.facts.has(f) {
				names = append(names, m.t.facts[f].name)
			}
		}
	}
	if len(names) == 0 {
		names = []string{"report"}
	}
	return names
}

// stillWrong reports whether an item fails for its edits, which a verification
// found wrong each time, and not for anything that is missing.
func (m mind) stillWrong(i int) bool {
	return m.s.tried(i).why == defective
}

// misleading is the facts that a prompt must leave out for another approach:
// those that misled the last one.
func (m mind) misleading(i int) (out set) {
	c := m.s.tried(i)
	if !m.t.anew(&c) {
		return out
	}
	for _, f := range m.t.items[i].misled {
		if c.wrong.has(f) {
			out = out.with(f)
		}
	}
	return out
}

// besides is the facts that a prompt passes on beside what the item needs: what
// the coordinator takes for a finding that bears on the edits, and what the last
// attempt turned out to have lacked.
func (m mind) besides(i int) (out []int) {
	it := &m.t.items[i]
	for _, f := range it.misled {
		if m.s.facts.has(f) {
			out = append(out, f)
		}
	}
	return union(out, m.s.tried(i).wrong.list(nil)...)
}

// task says what a worker is to do with an item, and how it stands with it. One
// that did not come to its end is told to go on: what it was asked for stands in
// its conversation already.
func (m mind) task(o *order) string {
	c := m.s.tried(o.item)
	if o.worker >= 0 && c.by == o.worker+1 && m.s.roster.workers[o.worker].now.has(o.item) {
		switch c.why {
		case errored:
			return "Go on with what you were asked for: you ended with an error before it was finished."
		case halted:
			return "Go on with what you were asked for: you were stopped before it was finished."
		}
	}
	it := &m.t.items[o.item]
	how := " from where it was left: whoever had it did not finish."
	switch {
	case c.times == 0:
		how = "."
	case m.t.anew(&c):
		how = " in another way: the approach that was tried failed. Start from the files as they stand."
	case c.why == defective:
		how = " again: what was done is wrong. Correct it where it stands."
	case c.why == lacking:
		how = " again: what was missing stands below."
	}
	return m.naming(it, it.prompting == promptLazy) + how + it.work()
}

// wrongs names what a verification found wrong with an item's edits.
func (m mind) wrongs(i int) string {
	return titled("\nWhat failed:", m.wrongMarks(i))
}

func (m mind) wrongMarks(i int) (marks []string) {
	for _, f := range m.s.tried(i).wrong.list(nil) {
		marks = append(marks, m.t.marks.Text(mark.Defect, m.t.items[i].id, m.t.facts[f].name))
	}
	return marks
}
