package policy

import (
	"slices"

	"agentsim/scenarios"
)

// Who gets work that follows other work (coordinator.workers).
const (
	byTable      = "table"
	continuation = "continue" // a worker that is there, wherever one suits
	spawning     = "spawn"    // always a new one
)

// strict lets an implementation wait for all research (coordinator.synthesis).
const strict = "strict"

// row says why a worker is continued or a new one is started, in the order of
// the table (CRD-10).
type row uint8

const (
	rowNone     row = iota // nobody suits
	rowExplored            // it read the files to edit: continue
	rowBroad               // it read far more than the work is about: spawn
	rowRecent              // a failure to correct, or recent work to extend: continue
	rowVerify              // others wrote what is verified: spawn
	rowAnew                // the last approach failed: spawn
	rowAlways              // the scenario says so
)

// reasons are the rows in words to the user.
var reasons = [...]string{
	rowNone:     "by a new worker",
	rowExplored: "by the worker that explored its files",
	rowBroad:    "by a new worker, since the research was broad",
	rowRecent:   "by the worker that worked on it last",
	rowVerify:   "by a worker that had no part in it",
	rowAnew:     "by a new worker, in another way",
	rowAlways:   "by a worker that is there",
}

// decide says which worker an item goes to: its place, or -1 for a new one.
func (m *Model) decide(i int) (worker int, why row) {
	type choice struct {
		worker int
		why    row
	}
	x := decided(m.t, func(by *scenarios.CoordinatorSpec) choice {
		w, why := decideBy(m, by, i)
		return choice{w, why}
	})
	return x.worker, x.why
}

// decideBy is what is decided as a coordinator leads.
func decideBy(m *Model, by *scenarios.CoordinatorSpec, i int) (worker int, why row) {
	if m.s.roster == nil {
		return -1, rowNone
	}
	c, it := &m.s.roster.attempts[i], &m.t.items[i]
	switch by.Workers {
	case spawning:
		return -1, rowNone
	case continuation:
		if w := m.suited(c, it); w >= 0 {
			return w, rowAlways
		}
		return -1, rowNone
	}
	switch {
	case m.interrupted(c):
		return c.by - 1, rowRecent
	case anew(by, c):
		return -1, rowAnew
	case c.by > 0 && c.times > 0 && m.free(c.by-1):
		return c.by - 1, rowRecent
	case it.kind == "verify":
		return -1, rowVerify
	}
	for w := range m.s.roster.workers {
		if m.free(w) && it.writes.len() > 0 && it.writes.minus(m.s.roster.workers[w].wrote).len() == 0 {
			return w, rowRecent
		}
	}
	return m.explorer(by, it)
}

// anew reports whether the item was corrected as often as may be, so that what
// comes next is another approach.
func (t *Table) anew(c *attempts) bool {
	return decided(t, func(by *scenarios.CoordinatorSpec) bool { return anew(by, c) })
}

// anew is it as a coordinator leads.
func anew(by *scenarios.CoordinatorSpec, c *attempts) bool { return c.tries() > *by.Corrections }

// interrupted reports whether the item's worker was stopped or ended with an
// error and can be told to go on: its approach is as good as it was.
func (m *Model) interrupted(c *attempts) bool {
	if c.by == 0 || c.why != errored && c.why != halted || !m.free(c.by-1) {
		return false
	}
	how := m.s.roster.workers[c.by-1].how
	return how == broken || how == stopped
}

// free reports whether a worker can be given work: it has ended, its id is good,
// and this answer gives it nothing else.
func (m *Model) free(w int) bool {
	how := m.s.roster.workers[w].how
	return how != running && how != gone && !m.taken.has(w)
}

// explorer is the first worker that has read the files that an item edits
// and not many more.
func (m *Model) explorer(by *scenarios.CoordinatorSpec, it *item) (worker int, why row) {
	if it.writes.len() == 0 {
		return -1, rowNone
	}
	for w := range m.s.roster.workers {
		saw := m.s.roster.workers[w].saw
		switch {
		case !m.free(w) || it.writes.minus(saw).len() > 0:
		case saw.len() < by.Broad*it.writes.len():
			return w, rowExplored
		default:
			why = rowBroad
		}
	}
	return -1, why
}

// suited is the worker that knows most of an item's files: whoever had the item
// last, else whoever read or wrote the most of them; -1 where nobody knows any.
func (m *Model) suited(c *attempts, it *item) int {
	if c.by > 0 && m.free(c.by-1) {
		return c.by - 1
	}
	files, best, most := it.writes.or(it.checks).or(it.explores), -1, 0
	for w := range m.s.roster.workers {
		k := &m.s.roster.workers[w]
		known := files.len() - files.minus(k.saw).minus(k.wrote).len()
		if known > most && m.free(w) {
			best, most = w, known
		}
	}
	return best
}

// MaxCut is how many times a worker that was stopped or ended with an error is
// followed up for one item. One more, and the user is told: whatever ends its
// workers will end the next one too.
const MaxCut = 3

// chart enters what a coordinator goes by: which files an item is about, and
// what it is done for.
func (t *Table) chart() {
	for i := range t.items {
		it := &t.items[i]
		for _, e := range it.edits {
			it.writes = it.writes.with(t.edits[e].file)
		}
		for _, f := range it.asked {
			it.explores = it.explores.with(f)
		}
		switch it.kind {
		case "research":
			for _, f := range it.reads {
				it.explores = it.explores.with(f)
			}
		case "verify":
			for _, f := range it.whole {
				it.checks = it.checks.with(f)
			}
		}
		for _, j := range it.after {
			t.items[j].before = append(t.items[j].before, i)
		}
	}
	t.findings()
}

// findings enters which research an implementation waits for, so that whoever
// gives it out has taken the findings in (CRD-07). Research that follows an
// implementation is a later round: nobody waits for it but what comes after it.
func (t *Table) findings() {
	later := t.afterImplementation()
	var all set
	for r := range t.items {
		if t.items[r].kind == "research" && !later.has(r) {
			all = all.with(r)
		}
	}
	for i := range t.items {
		it := &t.items[i]
		if it.kind != "implement" {
			continue
		}
		it.research = all
		for _, r := range all.list(nil) {
			if t.informs(&t.items[r], it) {
				it.informing = it.informing.with(r)
			}
		}
	}
}

// findings are the research that is waited for before the item is given out.
func (it *item) findings(by *scenarios.CoordinatorSpec) set {
	if by.Synthesis == strict {
		return it.research
	}
	return it.informing
}

// afterImplementation is the items that come after an implementation, directly
// or not.
func (t *Table) afterImplementation() (later set) {
	for grown := true; grown; {
		grown = false
		for i := range t.items {
			if !later.has(i) && slices.ContainsFunc(t.items[i].after, func(j int) bool { return t.items[j].kind == "implement" || later.has(j) }) {
				later, grown = later.with(i), true
			}
		}
	}
	return later
}

// informs reports whether research yields what an item needs.
func (t *Table) informs(r, it *item) bool {
	return slices.ContainsFunc(r.yields, func(f int) bool { return slices.Contains(it.needs, f) }) ||
		slices.ContainsFunc(r.gists, func(f int) bool { return slices.Contains(it.gists, f) })
}
