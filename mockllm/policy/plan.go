package policy

import "slices"

// The causes for which a model reads or searches again, or would not have had
// to.
const (
	causeLazy      = "lazy"
	causeStale     = "stale"
	causeTruncated = "truncated"
	causeCompacted = "compaction"
)

// action is one tool use to make: a read, a search or an edit.
type action struct {
	kind   actionKind
	read   readKey
	window bool // a read of some lines around one
	search int
	edit   int
	fix    bool // an edit that corrects
	run    int
	look   int
	shell  bool // a search by a command
	cause  string
}

type actionKind uint8

const (
	readAction actionKind = iota
	searchAction
	editAction
	runAction
	lookAction
	callAction
	findAction
)

// plan is what an item needs next. Nothing missing and no action means that the
// item is done.
type plan struct {
	t        *Table
	s        *state
	it       *item
	told     bool // the agent was started with a prompt of its own
	summed   bool // what was done for the item may be gone with a summary
	reads    []action
	searches []action
	edits    []action
	runs     []action
	detours  []action
	missing  []string
	stuck    int // file that reading brings no further, -1 for none
}

func (p *plan) reset(t *Table, s *state, it *item) {
	*p = plan{t: t, s: s, it: it, stuck: -1, runs: p.runs[:0], detours: p.detours[:0], told: s.assign != nil && !s.assign.fork,
		reads: p.reads[:0], searches: p.searches[:0], edits: p.edits[:0], missing: p.missing[:0]}
}

// make fills the plan for an item in a state.
func (p *plan) make() {
	if p.made() {
		if !p.correct() {
			p.check()
			p.run()
			p.call()
		}
		return
	}
	if !p.summed {
		p.wander()
	}
	for _, f := range p.it.whole {
		if k := p.s.files.at(f); !k.current() {
			p.file(f, false, filePrefix)
		}
	}
	for _, f := range p.it.gists {
		if !p.s.gists.has(f) {
			p.gist(f)
		}
	}
	for _, f := range p.it.needs {
		if !p.s.facts.has(f) {
			p.fact(f)
		}
	}
	p.pads()
	if len(p.reads)+len(p.searches)+len(p.missing) > 0 {
		return
	}
	if p.act(); len(p.edits) == 0 {
		p.run()
		p.call()
	}
}

// made reports whether the item edits files and all its edits are made.
func (p *plan) made() bool {
	return len(p.it.edits) > 0 && !slices.ContainsFunc(p.it.edits, func(e int) bool { return !p.s.edited.has(e) })
}

// act lists the open edits, one for each file.
func (p *plan) act() {
	for i, e := range p.it.edits {
		file := p.t.edits[e].file
		earlier := slices.ContainsFunc(p.it.edits[:i], func(o int) bool {
			return p.t.edits[o].file == file && !p.s.edited.has(o)
		})
		if !p.s.edited.has(e) && !earlier {
			p.edits = append(p.edits, action{kind: editAction, edit: e})
		}
	}
}

// file asks for a file's content: reads it when its path is known, else looks
// for it.
func (p *plan) file(f int, tellable bool, prefix string) {
	k := p.s.files.at(f)
	if k.stuck {
		p.stuck = f
	}
	switch {
	case p.s.absent.has(f) || k.tries >= maxTries:
		p.missing = append(p.missing, prefix+p.t.files[f])
	case !p.s.seen.has(f):
		p.find(f, prefix)
	default:
		p.readFile(f, k, tellable)
	}
}

// readFile reads what is still unknown of a file.
func (p *plan) readFile(f int, k *known, tellable bool) {
	a := action{kind: readAction, read: readKey{file: f}}
	switch {
	case k.outdated():
		a.cause = causeStale
	case k.to > 0 || k.limit > 0:
		a.read.offset, a.read.limit, a.cause = k.to+1, k.limit, causeTruncated
	case p.s.gone.has(f):
		a.cause = causeCompacted
	case tellable && p.told:
		a.cause = causeLazy
	}
	p.addRead(a)
}

// addRead enters a read. A read of the whole file takes the place of one of
// some lines, and one that had to be made anyway clears the blame.
func (p *plan) addRead(a action) {
	for i := range p.reads {
		r := &p.reads[i]
		if r.read.file != a.read.file {
			continue
		}
		if r.cause != a.cause && (r.cause == causeLazy || a.cause == causeLazy) {
			r.cause = ""
		}
		if r.window && !a.window {
			r.read, r.window = a.read, false
		}
		return
	}
	p.reads = append(p.reads, a)
}

// addSearch enters a search; lazy says that a pointer, which the author could have
// given, would have spared it.
func (p *plan) addSearch(s int, lazy bool) {
	if slices.ContainsFunc(p.searches, func(a action) bool { return a.search == s }) {
		return
	}
	a := action{kind: searchAction, search: s}
	if lazy {
		a.cause = causeLazy
	}
	p.searches = append(p.searches, a)
}

// A fact's line is read with some lines around it.
const (
	linesBefore = 10
	linesAround = 40
)

// fact asks for a declared fact: reads a place of it that was not yet read, else
// searches for its name.
func (p *plan) fact(f int) {
	tellable := p.it.tellFacts.has(f) && !p.t.facts[f].verbatim
	pointed := false
	for q := p.s.places; q != nil; q = q.next {
		if q.fact != f {
			continue
		}
		if pointed = true; p.readPlace(q, tellable) {
			return
		}
	}
	if s := p.t.facts[f].search; !p.s.searched.has(s) {
		p.addSearch(s, p.told && !pointed && p.it.tellFacts.has(f))
		return
	}
	p.missing = append(p.missing, p.t.facts[f].name)
}

// readPlace reads a place; false when there is nothing left to read there.
func (p *plan) readPlace(q *place, tellable bool) bool {
	k := p.s.files.at(q.file)
	if p.s.absent.has(q.file) || k.tries >= maxTries || k.current() {
		return false
	}
	if q.line == 0 || p.t.isPad(q.file) || k.covers(q.line) || k.outdated() {
		p.readFile(q.file, k, tellable && !p.t.isPad(q.file))
		return true
	}
	a := action{kind: readAction, window: true, read: readKey{q.file, max(1, q.line-linesBefore), linesAround}}
	switch {
	case p.s.gone.has(q.file):
		a.cause = causeCompacted
	case tellable && p.told:
		a.cause = causeLazy
	}
	p.addRead(a)
	return true
}

// mix puts reads and searches behind the detours, each once.
func (p *plan) mix() {
	n := len(p.detours)
	for _, list := range [...][]action{p.reads, p.searches} {
		for _, a := range list {
			same := func(d action) bool { return d.kind == a.kind && d.read == a.read && d.search == a.search }
			if !slices.ContainsFunc(p.detours[:n], same) {
				p.detours = append(p.detours, a)
			}
		}
	}
}

// next is the tool uses that can be made now: detours first, then reads, searches,
// edits, commands; mixed, looks of all kinds together.
func (p *plan) next(mixed bool) []action {
	if mixed {
		p.mix()
	}
	switch {
	case len(p.detours) > 0:
		return p.detours
	case len(p.reads) > 0:
		return p.reads
	case len(p.searches) > 0:
		return p.searches
	case len(p.edits) > 0:
		return p.edits
	}
	return p.runs
}
