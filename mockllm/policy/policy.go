package policy

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/mockllm"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// Model is the policy as a mockllm.Source. It belongs to one run.
type Model struct {
	t    *Table
	memo memo

	// Of the answer being made:
	q         *mockllm.Query
	a         *mockllm.Answer
	s         *state
	done      set // as in s, with what this answer closes
	failed    set
	closed    []closing
	again     set            // of what failed, what may be tried again
	taken     set            // workers that this answer gives something
	orders    []order        // what it gives out
	attempted failedAttempts // what was tried for what the user is told of
	plan      plan
}

// mind is what a model knows: what it was trained on and what its request shows.
// It says so in reports, prompts and summaries, and decides nothing.
type mind struct {
	t *Table
	s *state
}

// mind is what is known for the answer being made.
func (m *Model) mind() mind { return mind{m.t, m.s} }

// closing is an item that this answer reports finished, or failed for want of
// what is missing.
type closing struct {
	item    int
	missing []string
}

// New makes a model of a table.
func New(t *Table) *Model { return &Model{t: t, memo: newMemo(t, generation)} }

// UnreachableError is a file that no further Read brings on: what stands there
// is beyond any reachable page, so the scenario asks for the impossible.
type UnreachableError struct{ Item, Path string }

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("work item %q: reading on in %s brings nothing new: raise tools.preview, or put the fact where a page reaches it", e.Item, e.Path)
}

// Answer implements mockllm.Source: the next step of whoever asks. The error is
// an *UnreachableError.
func (m *Model) Answer(q *mockllm.Query, a *mockllm.Answer) error {
	m.q, m.a, m.s = q, a, m.memo.state(q.Head)
	m.done, m.failed, m.closed = m.s.done, m.s.failed, m.closed[:0]
	err := m.next()
	m.q, m.a, m.s = nil, nil, nil
	m.plan.s = nil
	return err
}

func (m *Model) next() error {
	switch {
	case m.asked():
		m.summarise()
		return nil
	case m.obey():
		return nil
	case m.s.team.me != "":
		return teammate(m)
	case m.s.assign != nil:
		return m.worker()
	case len(m.t.items) == 0 || strings.Contains(m.q.Stream.Lineage, "/"):
		m.plainAnswer()
		return nil
	case m.t.structure == scenarios.Coordinated:
		return m.coordinate()
	case m.t.structure == scenarios.Teamed:
		leadTeam(m)
		return nil
	}
	return m.lead()
}

// plainAnswer is that of an agent without work: a child whose prompt names no
// item, or a lead that has none.
func (m *Model) plainAnswer() {
	key := m.leadKey("answer").At(uint64(m.q.Stream.Call))
	m.think(key, scenarios.Size{}, nil, "answer")
	n := m.t.draw(key, scenarios.Size{}, m.t.profile.ReportTokens, "output")
	m.say(m.mind().prose(reports, key, nil, "", max(n, 1)))
	if more := m.mind().carried(); more != "" {
		m.say(more)
	}
}

// worker does its assignment item by item, then reports.
func (m *Model) worker() error {
	items := m.s.assign.items
	if m.s.planning.writes && slices.ContainsFunc(items, func(i int) bool { return held(m, i) && !m.done.has(i) }) {
		propose(m)
		return nil
	}
	for _, i := range items {
		if m.done.has(i) || m.failed.has(i) {
			continue
		}
		if dep := m.failedBefore(i); dep >= 0 && slices.Contains(items, dep) {
			m.close(i, []string{itemPrefix + m.t.items[dep].id})
			continue
		}
		if acted, err := m.work(i); acted || err != nil {
			return err
		}
	}
	if m.writePads(items) || m.commit(items) {
		return nil
	}
	m.thinkReport(items)
	m.say(m.report(m.s.assign))
	return nil
}

const itemPrefix = "item:"

// failedBefore is an item that i comes after and that has failed, or -1.
func (m *Model) failedBefore(i int) int {
	for _, j := range m.t.items[i].after {
		if m.failed.has(j) {
			return j
		}
	}
	return -1
}

// thinkReport thinks before a report, as long as the last item asks for.
func (m *Model) thinkReport(items []int) {
	key, own := m.leadKey("report"), scenarios.Size{}
	if n := len(items); n > 0 {
		it := &m.t.items[items[n-1]]
		key, own = it.key.Sub("report"), it.think
	}
	m.think(key, own, items, "write the report")
}

// work takes the next step of an item. acted is false when the item needs none:
// it is done, or has failed, and is closed.
func (m *Model) work(i int) (acted bool, err error) {
	p := &m.plan
	p.reset(m.t, m.s, &m.t.items[i])
	p.summed = m.s.summed && len(m.closed) == 0
	p.make()
	switch {
	case p.stuck >= 0:
		return false, &UnreachableError{p.it.id, m.t.files[p.stuck]}
	case len(p.missing) > 0:
		m.close(i, append([]string(nil), p.missing...))
		return false, nil
	}
	actions := p.next(role(m).Set)
	if len(actions) == 0 {
		m.close(i, m.mind().disproved(i))
		return false, nil
	}
	if actions = m.atOnce(p.it, actions); actions[0].kind == editAction {
		return m.editFiles(i, actions), nil
	}
	m.use(i, actions)
	return true, nil
}

// atOnce are those of some actions that one answer makes: as many as its role does at
// once, drawn by item and step, else so many reads or searches and all edits.
func (m *Model) atOnce(it *item, actions []action) []action {
	of, most := role(m), len(actions)
	switch kind := actions[0].kind; {
	case of.Set:
		most = int(script.Draw(of, m.t.stepKey(it, &actions[0]).Sub("uses"), 1))
	case len(m.plan.detours) > 0 || kind == readAction || kind == searchAction:
		most = m.t.profile.ReadsPerTurn
	}
	return actions[:min(len(actions), most)]
}

// role is how many tool uses an answer of the agent's role has, where that is drawn.
func role(m *Model) scenarios.Size {
	if m.s.assign == nil {
		return m.t.profile.AtOnce.Main
	}
	return m.t.profile.AtOnce.SubAgent
}

// spawns is how many agents the answer starts that gives out an item first.
func (m *Model) spawns(i int) int {
	if s := m.t.profile.AtOnce.Spawns; s.Set {
		return int(script.Draw(s, m.givingKey(i).Sub("spawns"), 1))
	}
	return m.t.profile.SpawnsPerTurn
}

// use makes the tool uses of a step of an item.
func (m *Model) use(i int, actions []action) {
	m.open(i, actions)
	for _, a := range actions {
		switch a.kind {
		case readAction:
			m.a.Use(m.q, m.t.names.read, m.t.readInput(a.read), a.cause)
		case runAction:
			m.a.Use(m.q, m.t.names.bash, m.t.runs[a.run].input, a.cause)
		case lookAction:
			m.a.Use(m.q, m.t.names.bash, m.t.looks[a.look].input, a.cause)
		case callAction:
			m.a.Use(m.q, m.t.calls[a.run].name, m.t.calls[a.run].input, a.cause)
		case findAction:
			m.a.Use(m.q, searchTool, m.t.calls[a.run].search, a.cause)
		default:
			s := &m.t.searches[a.search]
			if has := s.tool == fullNames.grep && m.s.greps || s.tool != fullNames.grep && m.s.lists; (!has || a.shell) && m.s.shell {
				m.a.Use(m.q, m.t.names.bash, s.command, a.cause)
			} else {
				m.a.Use(m.q, m.t.names.search(s.tool), s.input, a.cause)
			}
		}
	}
}

// editFiles makes the edits; an item whose file offers no line to hold on to
// fails.
func (m *Model) editFiles(i int, actions []action) bool {
	inputs := make([]*llm.Payload, len(actions))
	for n, a := range actions {
		e := &m.t.edits[a.edit]
		if a.fix {
			inputs[n] = m.fixInput(e, a.edit)
		} else if inputs[n] = m.t.editInput(e, m.s.files.at(e.file), m.mind().wrong(a.edit)); inputs[n] == nil {
			m.close(i, []string{"anchor:" + m.t.files[e.file]})
			return false
		}
	}
	m.open(i, actions)
	for _, in := range inputs {
		m.a.Use(m.q, m.t.names.edit, in, "")
	}
	return true
}

// close notes an item as finished, or as failed when something is missing.
func (m *Model) close(i int, missing []string) {
	m.closed, m.again = append(m.closed, closing{i, missing}), m.again.without(i)
	if len(missing) > 0 {
		m.failed = m.failed.with(i)
	} else {
		m.done = m.done.with(i)
	}
}

// stepKey names a step of an item by what it does first. Whoever skips a step draws
// the same sizes for the later ones.
func (t *Table) stepKey(it *item, a *action) rng.Key {
	key := it.key.Sub("step")
	switch a.kind {
	case readAction:
		return key.Sub("read").Sub(t.files[a.read.file]).At(uint64(a.read.offset))
	case editAction:
		e := &t.edits[a.edit]
		return key.Sub("edit").Sub(t.files[e.file]).At(uint64(e.n))
	case runAction:
		return key.Sub("run").Sub(t.runs[a.run].input.Raw())
	case lookAction:
		return key.Sub("look").Sub(t.looks[a.look].input.Raw())
	case callAction:
		return key.Sub("call").Sub(t.calls[a.run].name)
	case findAction:
		return key.Sub("find").Sub(t.calls[a.run].name)
	}
	return key.Sub("search").Sub(t.searches[a.search].input.Raw())
}

// open begins an answer that makes tool uses for an item: thinking, then what was
// finished before, or a few words.
func (m *Model) open(i int, actions []action) {
	it := &m.t.items[i]
	key := m.t.stepKey(it, &actions[0])
	next := ""
	if m.t.profile.Preamble || m.q.Settings.Thinking != llm.ThinkingDisabled {
		next = m.t.doing(actions)
	}
	m.think(key, it.think, it.alone, next)
	if len(m.closed) > 0 {
		m.say(m.closingText())
		return
	}
	m.preamble(key, i, next)
}

// preamble says a few words about an item and what is done next ahead of tool uses. A fork is told to say none.
func (m *Model) preamble(key rng.Key, i int, next string) {
	if !m.t.profile.Preamble || m.s.assign != nil && m.s.assign.fork {
		return
	}
	n := m.t.draw(key, m.t.profile.StepTokens, scenarios.Size{}, "output")
	if n > 0 || m.t.profile.StepTokens.Dist == nil {
		m.say(m.mind().prose(preambles, key.Sub("said"), m.t.items[i].alone, next, max(n, 1)))
	}
}

// think adds a thinking block about items, and what is done next, when thinking is
// on; own is the item's size.
func (m *Model) think(key rng.Key, own scenarios.Size, items []int, next string) {
	if m.q.Settings.Thinking == llm.ThinkingDisabled {
		return
	}
	if n := m.t.draw(key, own, m.t.profile.ThinkTokens, "think"); n > 0 {
		m.a.Say(llm.Thinking, llm.NewText(llm.Prose, m.mind().prose(thoughts, key, items, next, n)))
	}
}

// leadKey names a step that belongs to no item, by what it does.
func (m *Model) leadKey(what string) rng.Key { return m.t.key.Sub("lead").Sub(what) }

// givingKey names the step that gives work out, by the first item that it gives out
// and how often that was given out before.
func (m *Model) givingKey(i int) rng.Key {
	return m.t.items[i].key.Sub("give").At(uint64(m.s.tried(i).times))
}

func (m *Model) say(text string) { m.a.Say(llm.Text, llm.NewText(llm.Prose, text)) }
