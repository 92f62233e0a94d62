package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// lead does what is its own, gives out what is ready, waits for what runs, and
// ends when every item is settled.
func (m *Model) lead() error {
	for _, i := range m.s.lost.list(nil) {
		m.close(i, []string{m.s.lostFor(i)})
	}
	if enters(m) || merges(m) {
		return nil
	}
	for {
		m.block()
		i := m.ownItem()
		if i < 0 {
			break
		}
		if acted, err := m.work(i); acted || err != nil {
			return err
		}
	}
	switch running := m.s.launched.minus(m.done).minus(m.failed).len(); {
	case m.t.merges && m.commit(m.mind().mine()):
	case m.list(), m.spawn():
	case running > 0:
		m.idle(running)
	case plansNow(m):
		if m.s.planning.written || !explore(m) {
			propose(m)
		}
	default:
		m.finish()
	}
	return nil
}

// block fails what comes after a failed item and was not begun, or is to begin again.
func (m *Model) block() {
	for again := true; again; {
		again = false
		for i := range m.t.items {
			if dep := m.failedBefore(i); dep >= 0 && (m.unbegun(i) || m.again.has(i)) {
				m.close(i, []string{itemPrefix + m.t.items[dep].id})
				again = true
			}
		}
	}
}

func (m *Model) unbegun(i int) bool {
	return !m.done.has(i) && !m.failed.has(i) && !m.s.launched.has(i)
}

// afterDone reports whether everything that an item comes after is done.
func (m *Model) afterDone(i int) bool {
	return !slices.ContainsFunc(m.t.items[i].after, func(j int) bool { return !m.done.has(j) })
}

// ready reports whether an item may begin: it was asked for, and everything it comes
// after is done.
func (m *Model) ready(i int) bool {
	return !held(m, i) && m.unbegun(i) && m.t.items[i].turn <= max(m.s.heard, 1) && m.afterDone(i)
}

// inline reports whether the lead does the item itself.
func (m mind) inline(i int) bool {
	return m.t.items[i].byLead || m.t.structure == scenarios.Inline
}

// ownItem is the first ready item that the lead does itself, or -1.
func (m *Model) ownItem() int {
	for i := range m.t.items {
		if m.mind().inline(i) && m.ready(i) {
			return i
		}
	}
	return -1
}

// list looks for the files of the items that are given out next, where an item is
// told from the others by its files and the lead has not seen them. It reports
// whether there was anything to look for.
func (m *Model) list() bool {
	n, most := 0, 1
	for i := range m.t.items {
		if n == most || !m.s.lists && !m.s.shell {
			break
		}
		if m.mind().inline(i) || !m.ready(i) {
			continue
		}
		if n == 0 {
			most = m.spawns(i)
		}
		n++
		if seek(m, i) {
			return true
		}
	}
	return false
}

// seek looks for the files by which an item is told from the others, where the lead has
// not seen them and would name them, and reports whether there was anything to look for.
func seek(m *Model, i int) bool {
	p, it := &m.plan, &m.t.items[i]
	p.reset(m.t, m.s, it)
	for _, f := range it.asked {
		if (m.t.structure == scenarios.Fork || it.prompting != promptLazy) && !m.s.seen.has(f) {
			p.find(f, filePrefix)
		}
	}
	if len(p.searches) > 0 {
		m.use(i, m.atOnce(it, p.searches))
	}
	return len(p.searches) > 0
}

// spawn gives ready items to children, each to one of its own, and reports
// whether there was any.
func (m *Model) spawn() bool {
	n, most := 0, 1
	for i := range m.t.items {
		if n == most {
			break
		}
		if m.mind().inline(i) || !m.ready(i) {
			continue
		}
		if n == 0 {
			most = m.spawns(i)
			m.openSpawn(i)
		}
		m.a.Use(m.q, m.t.names.agent, m.agentInput(i), "")
		n++
	}
	return n > 0
}

// handOut is what a lead is about to do when it gives out work.
const handOut = "give this to an agent of its own"

// openSpawn begins an answer that gives out items, i first.
func (m *Model) openSpawn(i int) {
	m.think(m.givingKey(i), scenarios.Size{}, m.t.items[i].alone, handOut)
	if len(m.closed) > 0 {
		m.say(m.closingText())
	} else {
		m.preamble(m.givingKey(i), i, handOut)
	}
}

// agentInput is the input of the Agent call for an item. A type would make it no
// fork.
func (m *Model) agentInput(i int) *llm.Payload {
	fork, prompt := m.t.structure == scenarios.Fork, m.mind().prompt
	if fork {
		prompt = m.mind().directive
	}
	it := &m.t.items[i]
	typ := cmp.Or(it.agent.Type, m.t.agentType)
	return object("description", it.desc, "prompt", prompt(i), given(!fork && typ != "", m.t.names.agentType), typ,
		given(it.agent.Model != "", "model"), it.agent.Model, // which a fork is told not to heed
		given(m.t.isolates && it.apart, "isolation"), "worktree", given(!fork && m.t.background, "run_in_background"), true)
}

// idle ends the turn while children run.
func (m *Model) idle(running int) {
	text := m.closingText()
	if text != "" {
		text += "\n"
	}
	agents := " agents are"
	if running == 1 {
		agents = " agent is"
	}
	m.say(text + strconv.Itoa(running) + agents + " still at work; I go on when there is a report.")
}

// finish is the lead's last word to the user.
func (m *Model) finish() {
	key := m.leadKey("final")
	all := m.mind().mine()
	m.think(key, scenarios.Size{}, all, "report to the user")
	text := m.news() + m.tally()
	if failed := m.failed.minus(m.done).len(); failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	n := m.t.draw(key, scenarios.Size{}, m.t.profile.ReportTokens, "output")
	m.say(text + ". " + m.mind().prose(reports, key, all, "", n))
}
