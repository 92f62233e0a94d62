package policy

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// summed notes a mark that only summaries hold.
func (n *note) summed(m mark.Mark) {
	t := n.table
	i, ok := t.itemIndex[m.Args[0]]
	if !ok {
		return
	}
	switch m.Verb {
	case mark.Out:
		n.out = append(n.out, i)
	case mark.Lost:
		n.lost = append(n.lost, i)
	case mark.Made:
		if k, err := strconv.Atoi(m.Args[1]); err == nil && 0 <= k && k < len(t.items[i].edits) {
			n.made = append(n.made, t.items[i].edits[k])
		}
	}
}

// summary begins anew from the summary of what stood here before: the fold has
// nothing else to go by. The facts of it count as they do anywhere.
func (f *folder) summary(n *note) {
	s := &f.s
	if n.do != nil {
		f.assignment(n.do)
		f.reopen(n)
	}
	f.close(n.done, n.failed)
	for _, i := range n.out {
		s.launched = s.launched.with(i)
	}
	for _, i := range n.lost {
		s.failed, s.lost = s.failed.with(i), s.lost.with(i)
	}
	f.rehired(n)
	for _, e := range n.made {
		s.edited = s.edited.with(e)
	}
	f.outlived(n)
	for _, b := range n.branches {
		branched(f, b)
	}
	s.summed = true
	for _, v := range n.on {
		s.gone = s.gone.with(v.file)
		f.file(v.file).newest = v.hash
	}
}

// asked reports whether the request asks for a summary.
func (m *Model) asked() bool {
	n := m.q.Head
	return n.Role == llm.User && n.Block != nil && n.Block.Kind == llm.Text && m.t.read(n.Block.Content).asks
}

// summarise sums the conversation up. How far the work is stands there in any
// case, with the versions that were read and are gone; of the facts as many are
// told as the budget leaves room for, those first that open items need, and of
// these the newest. The content of files is not relayed, and neither are facts
// of grade verbatim: of them the place is told.
func (m *Model) summarise() {
	head := m.mind().standing()
	s := section{t: m.t, title: "\nWhat is known:", budget: m.t.budget}
	needed, others := m.ranked()
	for _, r := range append(needed, others...) {
		s.add(m.mind().relay(r))
	}
	for _, e := range m.pointers() {
		s.add(e)
	}
	m.say(head + s.text(head))
}

// standing writes how far the work is.
func (m mind) standing() (text string) {
	if m.s.goal != "" && m.s.assign == nil {
		text = asks + m.s.goal + "\n"
		if slices.ContainsFunc(m.t.items, func(it item) bool { return it.turn > 1 }) {
			text += spoke + strconv.Itoa(m.s.heard) + "\n"
		}
	}
	if m.s.assign != nil {
		text += m.itemList("Asked for:", m.mine(), mark.Do) + m.toCorrect(m.mine())
		if m.s.assign.apart {
			text += "\n" + commitAsked
		}
	}
	text += m.itemList("\nFinished:", m.s.done.list(nil), mark.Done)
	for _, i := range m.s.failed.minus(m.s.done).minus(m.s.lost).list(nil) {
		text += "\nNot finished: " + m.t.marks.Text(mark.Failed, m.t.items[i].id, "report")
	}
	text += m.itemList("\nEnded without a report:", m.s.lost.list(nil), mark.Lost)
	if m.s.assign == nil {
		text += m.itemList("\nWith others:", m.s.out().list(nil), mark.Out) + m.workerMarks() + toMergeText(m)
	}
	text += m.teamRecord()
	for _, e := range m.s.edited.list(nil) {
		d := &m.t.edits[e]
		text += "\nChanged: " + m.t.marks.Text(mark.Made, m.t.items[d.item].id, strconv.Itoa(d.n))
	}
	return text + titled("\nRead, and gone with the conversation:", m.goneMarks()) + m.heeded()
}

// goneMarks are the files that were read, with their versions.
func (m mind) goneMarks() (marks []string) {
	for f := range m.t.files {
		k := m.s.files.at(f)
		hash := k.hash
		if hash == "" && m.s.gone.has(f) {
			hash = k.newest
		}
		if hash != "" {
			marks = append(marks, m.t.marks.Text(mark.On, m.t.files[f], hash))
		}
	}
	return marks
}

func (m mind) itemList(title string, items []int, v mark.Verb) string {
	var marks []string
	for _, i := range items {
		marks = append(marks, m.t.marks.Text(v, m.t.items[i].id))
	}
	return titled(title, marks)
}

// titled is marks behind their title; nothing where there are none.
func titled(title string, marks []string) string {
	if len(marks) == 0 {
		return ""
	}
	return title + " " + strings.Join(marks, " ")
}

// mine is the items that the agent has to see to: those assigned, or all.
func (m mind) mine() []int {
	if m.s.assign != nil {
		return m.s.assign.items
	}
	all := make([]int, len(m.t.items))
	for i := range all {
		all[i] = i
	}
	return all
}

// open is the agent's items that are still to be done and with nobody else.
func (m *Model) openItems() []int {
	return slices.DeleteFunc(slices.Clone(m.mind().mine()), func(i int) bool {
		return m.done.has(i) || m.failed.has(i) || m.s.assign == nil && m.s.launched.has(i)
	})
}

// relayed is a fact, or the gist of a file, that the model knows, and where it
// last stood: a file, or -1.
type relayed struct {
	fact, gist int // one of them, the other is -1
	file       int
}

// ranked lists what the messages taught, newest first: what open items need or
// are to yield, and the rest.
func (m *Model) ranked() (needed, others []relayed) {
	var facts, gists set
	var neededFacts, neededGists []int
	for _, i := range m.openItems() {
		it := &m.t.items[i]
		neededFacts, neededGists = union(neededFacts, it.needs...), union(neededGists, it.gists...)
	}
	enter := func(r relayed, need bool) {
		if need {
			needed = append(needed, r)
		} else {
			others = append(others, r)
		}
	}
	for n := m.q.Head; !n.IsBorder(); n = n.Parent {
		if n.Block.Kind == llm.Thinking {
			continue
		}
		note := m.t.read(n.Block.Content)
		file := -1
		if note.page != nil {
			file = note.page.file
			if m.s.gists.has(file) && !gists.has(file) {
				gists = gists.with(file)
				enter(relayed{-1, file, file}, slices.Contains(neededGists, file))
			}
		}
		for _, f := range note.facts {
			if !facts.has(f) {
				facts = facts.with(f)
				enter(relayed{f, -1, file}, slices.Contains(neededFacts, f))
			}
		}
		for _, g := range note.gists {
			if !gists.has(g) {
				gists = gists.with(g)
				enter(relayed{-1, g, g}, slices.Contains(neededGists, g))
			}
		}
	}
	return needed, others
}

// relay is what a summary says of a fact or a gist: what it is, else where.
func (m mind) relay(r relayed) entry {
	if r.gist >= 0 {
		name := gistName(m.t.files[r.gist])
		return entry{name: name, tell: m.tellGist(r.gist), place: m.placeLine(name, r.gist, 1)}
	}
	e := entry{name: m.t.facts[r.fact].name, tell: m.tellFact(r.fact)}
	if p := m.knownPlace(r.fact); p != nil {
		e.place = m.placeLine(e.name, p.file, p.line)
	} else if r.file >= 0 {
		e.place = m.placeLine(e.name, r.file, 0)
	}
	return e
}

// knownPlace is a place of a fact that stands in the conversation, or nil.
func (m mind) knownPlace(f int) *place {
	for p := m.s.places; p != nil; p = p.next {
		if p.fact == f {
			return p
		}
	}
	return nil
}

// pointers are the places of what open items need and the model does not know
// yet.
func (m *Model) pointers() (out []entry) {
	for _, i := range m.openItems() {
		for _, f := range m.t.items[i].needs {
			if p := m.mind().knownPlace(f); p != nil && !m.s.facts.has(f) {
				name := m.t.facts[f].name
				out = append(out, entry{name: name, place: m.mind().placeLine(name, p.file, p.line)})
			}
		}
	}
	return out
}
