package policy

import (
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

const coordinatorStrategy = "coordinator"

// order is an item that an answer gives out: to a worker's place, or to a new
// worker (-1).
type order struct {
	item, worker int
	why          row
}

// coordinate does the next thing that is to be done: it answers what it can
// answer, gives out what may begin, waits while workers are at it, and has a last
// word. It reads and edits nothing itself.
func (m *Model) coordinate() error {
	m.taken = set{}
	m.recover()
	for {
		m.block()
		i := m.ownAnswer()
		if i < 0 {
			break
		}
		if acted, err := m.work(i); acted || err != nil {
			return err
		}
	}
	switch out := m.s.out().minus(m.done).len(); {
	case m.delegate():
	case out > 0:
		m.wait(out)
	default:
		m.finish()
	}
	return nil
}

// ownAnswer is the first ready item that the coordinator does itself, or -1:
// there is nothing to read, to edit or to run for it.
func (m *Model) ownAnswer() int {
	for i := range m.t.items {
		if m.ready(i) && m.answers(i) {
			return i
		}
	}
	return -1
}

func (m *Model) answers(i int) bool {
	it := &m.t.items[i]
	if !it.byLead && it.kind != "answer" || len(it.edits)+len(it.whole)+len(it.runs) > 0 {
		return false
	}
	p := &m.plan
	p.reset(m.t, m.s, it)
	p.make()
	return len(p.reads)+len(p.searches)+len(p.missing) == 0 && p.stuck < 0
}

// due reports whether an item may be given out.
func (m *Model) due(i int) bool {
	if !m.again.has(i) {
		return m.ready(i) && m.t.items[i].findings.minus(m.done).minus(m.failed).len() == 0
	}
	for _, j := range m.t.items[i].after {
		if !m.done.has(j) {
			return false
		}
	}
	return true
}

// regions are the files that items under way write, and those that they verify.
type regions struct{ written, checked set }

// meet reports whether an item would disturb what is under way, or be disturbed:
// two that write one file, or one that writes what the other verifies (CRD-13).
func (r *regions) meet(it *item) bool {
	return r.written.meets(it.writes.or(it.checks)) || r.checked.meets(it.writes)
}

func (r *regions) add(it *item) {
	r.written, r.checked = r.written.or(it.writes), r.checked.or(it.checks)
}

// delegate gives out what may begin, and reports whether there was anything.
func (m *Model) delegate() bool {
	var busy regions
	for _, i := range m.s.out().list(nil) {
		busy.add(&m.t.items[i])
	}
	m.orders = m.orders[:0]
	for i := range m.t.items {
		if len(m.orders) == m.t.profile.SpawnsPerTurn {
			break
		}
		it := &m.t.items[i]
		if !m.due(i) || busy.meet(it) && !m.t.coordinator.Overlap {
			continue
		}
		w, why := m.decide(i)
		if w >= 0 {
			m.taken = m.taken.with(w)
		}
		m.orders = append(m.orders, order{i, w, why})
		busy.add(it)
	}
	if len(m.orders) == 0 {
		return false
	}
	m.think(m.leadKey(), scenarios.Size{})
	m.say(m.progress())
	for _, o := range m.orders {
		if o.worker < 0 {
			m.a.Use(m.q, m.t.names.agent, m.mind().workerInput(&o), "")
		} else {
			m.a.Use(m.q, m.t.names.send, m.mind().messageInput(&o), "")
		}
	}
	return true
}

// progress says to the user how far the work is and who does what next.
func (m *Model) progress() string {
	b := m.tally(m.news(nil))
	b = append(b, ". Next: "...)
	for n, o := range m.orders {
		if n > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, m.t.items[o.item].id...), ' '), reasons[o.why]...)
	}
	return string(append(b, '.'))
}

// tally is how many items are done.
func (m *Model) tally(b []byte) []byte {
	b = append(strconv.AppendInt(b, int64(m.done.len()), 10), " of "...)
	return append(strconv.AppendInt(b, int64(len(m.t.items)), 10), " items of work are done"...)
}

// wait ends the turn while workers are at it.
func (m *Model) wait(out int) {
	b := append(m.tally(m.news(nil)), ", "...)
	b = strconv.AppendInt(b, int64(out), 10)
	m.say(string(append(b, " under way."...)))
}

// workerInput is the input of the Agent call that starts a worker.
func (m mind) workerInput(o *order) *llm.Payload {
	return object("description", m.t.items[o.item].desc, "prompt", m.instructions(o), m.t.names.agentType, workerType)
}

// messageInput is the input of the SendMessage call that continues one.
func (m mind) messageInput(o *order) *llm.Payload {
	return object("to", m.s.roster.workers[o.worker].id, "message", m.instructions(o))
}

// instructions are what a worker is told to do. They stand for themselves: it
// sees nothing of the coordinator's conversation.
func (m mind) instructions(o *order) string {
	it := &m.t.items[o.item]
	lazy := it.prompting == promptLazy && m.first(o.item)
	b := m.task(make([]byte, 0, 1024), o)
	if lazy {
		b = append(b, " Do it based on your findings."...)
	}
	if o.worker < 0 {
		b = m.goal(b) // who is continued was told when it began
	}
	b = m.purpose(b, it)
	b = append(b, "\nDone means: "...)
	b = append(b, doneMeans[it.kind]...)
	if lazy {
		return string(b)
	}
	b = m.changes(b, it)
	b = m.wrongs(b, o.item)
	t := relay{full: it.prompting != promptPointers || !m.first(o.item), also: m.besides(o.item), without: m.misleading(o.item)}
	return string(m.known(b, it, t))
}

// doneMeans says when an item of a kind is done.
var doneMeans = map[string]string{
	"research":  "what was asked is found and reported with file and line, and nothing is changed.",
	"implement": "the change stands in its files, no other file is touched, and the report names both.",
	"verify":    "it is proven that the change works, not only that it is there; whatever fails is reported with file and line.",
	"answer":    "the answer says what it rests on.",
}

// first reports whether an item was never given out.
func (m mind) first(i int) bool { return m.s.tried(i).times == 0 }

// purpose says what the result of an item is for.
func (m mind) purpose(b []byte, it *item) []byte {
	b = append(b, "\nPurpose: "...)
	if len(it.before) == 0 {
		return append(b, "the result goes into the report to the user."...)
	}
	b = append(b, "this informs "...)
	for n, j := range it.before {
		if n > 0 {
			b = append(b, ", "...)
		}
		next := &m.t.items[j]
		b = append(append(append(b, strings.ToLower(verbs[next.kind])...), ' '), next.id...)
	}
	return append(b, '.')
}

// changes says what is to be run, and what was changed and where to whoever
// verifies it.
func (m mind) changes(b []byte, it *item) []byte {
	for _, r := range it.runs {
		b = append(append(b, "\nRun: "...), m.t.runs[r].words...)
	}
	if it.kind != "verify" {
		return b
	}
	for _, j := range it.after {
		sep := ": "
		for _, f := range m.t.items[j].writes.list(nil) {
			if sep == ": " {
				b = append(append(b, "\nChanged for "...), m.t.items[j].id...)
			}
			b = append(append(b, sep...), m.t.files[f]...)
			sep = ", "
		}
	}
	return b
}
