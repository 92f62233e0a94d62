package policy

import (
	"fmt"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

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
	if approve(m, m.s.team) {
		return nil
	}
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
	if !it.byLead && it.kind != "answer" || len(it.edits)+len(it.whole)+len(it.runs)+len(it.calls) > 0 {
		return false
	}
	p := &m.plan
	p.reset(m.t, m.s, it)
	p.make()
	return len(p.reads)+len(p.searches)+len(p.missing) == 0 && p.stuck < 0
}

// due reports whether an item may be given out as a coordinator leads.
func (m *Model) due(by *scenarios.CoordinatorSpec, i int) bool {
	if m.again.has(i) {
		return m.afterDone(i)
	}
	return m.ready(i) && m.t.items[i].findings(by).minus(m.done).minus(m.failed).len() == 0
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
	most := 1
	for i := range m.t.items {
		if len(m.orders) == most {
			break
		}
		it := &m.t.items[i]
		if !decided(m.t, func(by *scenarios.CoordinatorSpec) bool { return m.due(by, i) && (by.Overlap || !busy.meet(it)) }) {
			continue
		}
		if len(m.orders) == 0 {
			most = m.spawns(i)
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
	m.think(m.givingKey(m.orders[0].item), scenarios.Size{}, m.t.items[m.orders[0].item].alone, handOut)
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
	var next []string
	for _, o := range m.orders {
		next = append(next, m.t.items[o.item].id+" "+reasons[o.why])
	}
	return m.news() + m.tally() + ". Next: " + strings.Join(next, ", ") + "."
}

// tally is how many items are done.
func (m *Model) tally() string {
	return fmt.Sprintf("%d of %d items of work are done", m.done.len(), len(m.t.items))
}

// wait ends the turn while workers are at it.
func (m *Model) wait(out int) {
	m.say(fmt.Sprintf("%s%s, %d under way.", m.news(), m.tally(), out))
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
	text := m.task(o)
	if lazy {
		text += " Do it based on your findings."
	}
	if o.worker < 0 {
		text += m.goal() // who is continued was told when it began
	}
	text += m.purpose(it) + "\nDone means: " + it.oneOf(it.kind+" done")
	if lazy {
		return text
	}
	t := relay{full: it.prompting != promptPointers || !m.first(o.item), also: m.besides(o.item), without: m.misleading(o.item)}
	return text + m.changes(it) + m.wrongs(o.item) + m.known(it, t)
}

// first reports whether an item was never given out.
func (m mind) first(i int) bool { return m.s.tried(i).times == 0 }

// purpose says what the result of an item is for.
func (m mind) purpose(it *item) string {
	if len(it.before) == 0 {
		return "\nPurpose: the result goes into the report to the user."
	}
	var next []string
	for _, j := range it.before {
		next = append(next, strings.ToLower(verbs[m.t.items[j].kind])+" "+m.t.items[j].id)
	}
	return "\nPurpose: this informs " + strings.Join(next, ", ") + "."
}

// changes says what is to be run, and what was changed and where to whoever
// verifies it.
func (m mind) changes(it *item) (text string) {
	for _, r := range it.runs {
		text += "\nRun: " + m.t.runs[r].words
	}
	if it.kind != "verify" {
		return text
	}
	for _, j := range it.after {
		sep := "\nChanged for " + m.t.items[j].id + ": "
		for _, f := range m.t.items[j].writes.both(m.s.seen).list(nil) {
			text, sep = text+sep+m.t.files[f], ", "
		}
	}
	return text
}
