package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// roster is what a coordinator knows of its workers and of the items that it
// gave them. One that a state holds is never changed: a fold that changes
// anything works on a copy.
type roster struct {
	workers  []worker   // in the order in which they were started
	attempts []attempts // by item
}

// worker is an agent that the coordinator started.
type worker struct {
	id    string
	how   ending
	given set // items that it ever had
	now   set // of these, those of its last assignment
	saw   set // files that its items read to find something out
	wrote set // files that its items edit
}

// ending is how a worker stands.
type ending string

const (
	running   ending = "running"
	completed ending = "completed"
	broken    ending = "failed"
	stopped   ending = "killed"
	gone      ending = "gone" // nobody answers to its id
)

// attempts is what became of an item that was given out.
type attempts struct {
	by    int // number from 1 of the worker that has it or had it last; 0 is nobody
	times int // how often it was given out
	cut   int // how often its worker was stopped or ended with an error
	why   trouble
	wrong set // facts for want or because of which its edits were found wrong
}

// tried is what became of an item that a coordinator gives out.
func (s *state) tried(item int) attempts {
	if s.roster == nil {
		return attempts{}
	}
	return s.roster.attempts[item]
}

// tries is how many attempts came to an end of their own: a worker that was
// stopped or ended with an error has neither done its item nor failed at it.
func (c *attempts) tries() int { return c.times - c.cut }

// trouble is why an item has to be given out again.
type trouble string

const (
	noTrouble trouble = ""
	lacking   trouble = "missing" // its worker says that something is missing
	errored   trouble = "error"   // its worker ended with an error
	halted    trouble = "stopped" // its worker was stopped
	silent    trouble = "silent"  // its worker ended without a word of it
	defective trouble = "defect"  // its edits were found wrong
	reported  trouble = "told"    // the user was told that it failed
)

// message is what a payload says of workers.
type message struct {
	task  string // id in a notification
	how   ending // and how that task ended
	to    string // whom a SendMessage or TaskStop is for
	agent string // id in the result of a launch
}

// leads reports whether whoever has the state coordinates workers.
func (f *folder) leads() bool { return f.t.structure == scenarios.Coordinated && f.s.assign == nil }

// roster is the state's, to be changed.
func (f *folder) roster() *roster {
	if !f.opened {
		o := &roster{}
		if old := f.s.roster; old != nil {
			o.workers, o.attempts = slices.Clone(old.workers), slices.Clone(old.attempts)
		} else {
			o.attempts = make([]attempts, len(f.t.items))
		}
		f.s.roster, f.opened = o, true
	}
	return f.s.roster
}

// named is the place of the worker with an id, or -1.
func (o *roster) named(id string) int {
	if o == nil || id == "" {
		return -1
	}
	return slices.IndexFunc(o.workers, func(w worker) bool { return w.id == id })
}

// give enters items as a worker's.
func (f *folder) give(w *worker, items set) {
	w.given = w.given.or(items)
	for _, i := range items.list(nil) {
		w.saw, w.wrote = w.saw.or(f.t.items[i].explores), w.wrote.or(f.t.items[i].writes)
	}
}

// handed is the items that a tool use gives out: those it names, or what a
// worker that is told to go on had last.
func (f *folder) handed(name string, asked *note) (items set) {
	switch {
	case asked.do != nil && (name == f.t.names.agent || name == f.t.names.send):
		for _, i := range asked.do.items {
			items = items.with(i)
		}
	case name == f.t.names.send:
		if w := f.s.roster.named(asked.msg.to); w >= 0 {
			items = f.s.roster.workers[w].now
		}
	}
	return items
}

// handOut enters that items are given out, from the tool use on: they are open
// again until there is news of them.
func (f *folder) handOut(name string, asked *note) {
	items := f.handed(name, asked).list(nil)
	s := &f.s
	for _, i := range items {
		s.launched, s.done = s.launched.with(i), s.done.without(i)
		s.failed, s.lost = s.failed.without(i), s.lost.without(i)
		c := &f.roster().attempts[i]
		c.times, c.why = c.times+1, noTrouble
	}
}

// engaged is the result of a call of Agent: there is a worker, or there is none.
func (f *folder) engaged(u *use, b *llm.Block, n, asked *note) {
	if b.IsError || n.msg.agent == "" {
		f.agentResult(n, asked)
		f.blame(f.handed(u.name, asked), errored)
		return
	}
	items := f.handed(u.name, asked)
	o := f.roster()
	o.workers = append(o.workers, worker{id: n.msg.agent, how: running, now: items})
	f.give(&o.workers[len(o.workers)-1], items)
	for _, i := range items.list(nil) {
		o.attempts[i].by = len(o.workers)
	}
}

// sent is the result of a message to a worker: it runs again, or cannot be
// reached.
func (f *folder) sent(u *use, b *llm.Block, asked *note) {
	w, items := f.s.roster.named(asked.msg.to), f.handed(u.name, asked)
	if b.IsError {
		for _, i := range items.list(nil) {
			f.ended(i)
		}
		f.blame(items, errored)
	}
	if w < 0 {
		return
	}
	k := &f.roster().workers[w]
	if b.IsError {
		k.how = gone
		return
	}
	k.how, k.now = running, items
	f.give(k, items)
	for _, i := range items.list(nil) {
		f.roster().attempts[i].by = w + 1
	}
}

// blame notes why items that are lost are lost.
func (f *folder) blame(items set, why trouble) {
	for _, i := range items.list(nil) {
		if !f.s.lost.has(i) {
			continue
		}
		c := &f.roster().attempts[i]
		if c.why != errored && c.why != halted {
			c.cut++
		}
		c.why = why
	}
}

// heard is a notification: how a worker ended, and what it says of its items.
func (f *folder) heard(n *note) {
	w := f.s.roster.named(n.msg.task)
	if w < 0 {
		return
	}
	k := &f.roster().workers[w]
	k.how = n.msg.how
	f.close(n.done, n.failed)
	for _, i := range n.failed {
		f.roster().attempts[i].why = lacking
	}
	why := errored
	switch k.how {
	case stopped:
		why = halted
	case completed:
		why = silent
	}
	for _, i := range k.now.list(nil) {
		if f.roster().attempts[i].by == w+1 {
			f.ended(i)
		}
	}
	f.blame(k.now, why)
	f.found(n)
}

// found takes in what a failed item found wrong. The items that it blames are to
// be made again, and whatever verifies them is to be done once more, by an agent
// that did not see the first attempt.
func (f *folder) found(n *note) {
	if len(n.failed) == 0 {
		return
	}
	var again set
	for _, d := range n.defects {
		if f.suspect(d) {
			again = again.with(d.item)
		}
	}
	if again.len() == 0 {
		return
	}
	s, o := &f.s, f.roster()
	for v := range f.t.items {
		it := &f.t.items[v]
		if it.kind != "verify" || !slices.ContainsFunc(it.after, again.has) || f.out(v) {
			continue
		}
		s.done, s.failed, s.lost, s.launched = s.done.without(v), s.failed.without(v), s.lost.without(v), s.launched.without(v)
		o.attempts[v].times, o.attempts[v].cut, o.attempts[v].why = 0, 0, noTrouble
	}
}

// suspect notes a defect, and reports whether the item is to be made again: not
// while somebody is at it, and not once the user knows that it failed.
func (f *folder) suspect(d defect) bool {
	s, c := &f.s, &f.roster().attempts[d.item]
	c.wrong = c.wrong.with(d.fact)
	if f.out(d.item) || c.times == 0 || c.why == reported {
		return false
	}
	s.done, s.failed, c.why = s.done.without(d.item), s.failed.with(d.item), defective
	return true
}

// out reports whether a worker has the item.
func (f *folder) out(i int) bool { return f.s.out().has(i) }

// out is the items that somebody has and has not reported.
func (s *state) out() set { return s.launched.minus(s.done).minus(s.failed) }

// told is what the coordinator itself said to the user had failed.
func (f *folder) told(failed []int) {
	for _, i := range failed {
		f.roster().attempts[i].why = reported
	}
}

// dispatch reads what a text or a tool use's input says of workers.
func (n *note) dispatch(raw string, input bool) {
	const to, agent = `{"to":"`, `"agentId":"`
	switch {
	case input && strings.HasPrefix(raw, to):
		n.msg.to = unquote(raw[len(to):])
	case input:
	case n.launched:
		_, rest, _ := strings.Cut(raw, agent)
		n.msg.agent = unquote(rest)
	case n.notice:
		n.msg.task, n.msg.how = agentOf(between(raw, "<task-id>", "</task-id>")), ending(between(raw, "<status>", "</status>"))
	}
}

// agentOf is the id of a task's agent: of a remote one the letter is another.
func agentOf(id string) string {
	if digits, remote := strings.CutPrefix(id, "r"); remote {
		return "a" + digits
	}
	return id
}

// between is what stands between two strings for the first time, "" for nothing.
func between(s, open, end string) string {
	_, rest, _ := strings.Cut(s, open)
	out, _, ok := strings.Cut(rest, end)
	if !ok {
		return ""
	}
	return out
}

// workerMarks is the workers and what became of items, for a summary.
func (m mind) workerMarks() string {
	o := m.s.roster
	if o == nil {
		return ""
	}
	var workers, given []string
	for w := range o.workers {
		k := &o.workers[w]
		workers = append(workers, m.t.marks.Text(mark.Crew, k.id, string(k.how), m.ids(k.given)+"/"+m.ids(k.now)))
	}
	for i := range o.attempts {
		c := &o.attempts[i]
		if c.times == 0 && c.by == 0 && c.why == noTrouble && c.wrong.len() == 0 {
			continue
		}
		given = append(append(given, m.t.marks.Text(mark.Tried, m.t.items[i].id, m.triedWords(c))), m.wrongMarks(i)...)
	}
	return titled("\nWorkers:", workers) + titled("\nGiven out:", given)
}

func (m mind) triedWords(c *attempts) string {
	id := ""
	if c.by > 0 {
		id = m.s.roster.workers[c.by-1].id
	}
	words := id + "/" + strconv.Itoa(c.times) + "/" + string(c.why)
	if c.cut > 0 {
		words += "/" + strconv.Itoa(c.cut)
	}
	return words
}

func (m mind) ids(s set) string {
	var out []string
	for _, i := range s.list(nil) {
		out = append(out, m.t.items[i].id)
	}
	return strings.Join(out, ",")
}

func (t *Table) itemSet(ids string) (out set) {
	for id := range strings.SplitSeq(ids, ",") {
		if i, ok := t.itemIndex[id]; ok {
			out = out.with(i)
		}
	}
	return out
}

// rehired takes the workers, and what became of items, out of a summary's marks.
func (f *folder) rehired(n *note) {
	if !f.leads() || len(n.workers) == 0 {
		return
	}
	o := f.roster()
	for _, m := range n.workers {
		i, ok := f.t.itemIndex[m.Args[0]]
		switch words := strings.Split(m.Args[1]+"/", "/"); {
		case m.Verb == mark.Crew:
			given, now, _ := strings.Cut(m.Args[2], "/")
			o.workers = append(o.workers, worker{id: m.Args[0], how: ending(m.Args[1]), now: f.t.itemSet(now)})
			f.give(&o.workers[len(o.workers)-1], f.t.itemSet(given))
		case ok && len(words) >= 4:
			times, _ := strconv.Atoi(words[1])
			cut, _ := strconv.Atoi(words[3])
			o.attempts[i] = attempts{by: o.named(words[0]) + 1, times: times, cut: cut, why: trouble(words[2])}
		}
	}
	for _, d := range n.defects {
		o.attempts[d.item].wrong = o.attempts[d.item].wrong.with(d.fact)
	}
}
