package policy

import (
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// command is one that an item runs by the Bash tool before it is reported done.
type command struct {
	words string
	input *llm.Payload
}

// runs enters an item's commands. The input of each names its item, so that the
// result of a command that several items run is the one's that asked, and gives
// a test the time that it takes.
func (b *binder) runs(it *item, w *scenarios.Item, sc *scenarios.Scenario) {
	t := b.t
	for _, words := range w.Runs {
		in := t.commandInput(words, w.ID, "Run "+words+" for "+w.ID, sc.Timeout(words))
		if _, ok := t.runIndex[in.Raw()]; ok {
			continue
		}
		t.runIndex[in.Raw()] = len(t.runs)
		it.runs = append(it.runs, len(t.runs))
		t.runs = append(t.runs, command{words, in})
	}
}

// commandInput is a command that is run for an item, of which it says what for: as
// a note behind it, or as the description where commands have one. limit is how
// long it may run in milliseconds, 0 where that goes without saying.
func (t *Table) commandInput(words, note, description string, limit int64) *llm.Payload {
	if !t.names.describes {
		words += " # " + note
	}
	return object("command", words, given(limit > 0, "timeout"), limit, given(t.names.describes, "description"), description)
}

// showing is the place of a run and a defect in the set of what runs showed.
func (t *Table) showing(run, d int) int { return run*len(t.defects) + d }

// shows reports whether a command of the item has shown a defect.
func (t *Table) shows(p *proof, it *item, d int) bool {
	return slices.ContainsFunc(it.runs, func(r int) bool { return p.shown.has(t.showing(r, d)) })
}

// tool notes a tool of the pool without which something cannot be done.
func (f *folder) tool(name string) {
	f.s.lists = f.s.lists || name == f.t.names.glob
	f.s.greps = f.s.greps || name == f.t.names.grep
	f.s.shell = f.s.shell || name == f.t.names.bash
	switch {
	case name == f.t.names.bash && (len(f.t.runs) > 0 || f.t.structure == scenarios.Fork || f.t.merges) && !f.s.proof.bash:
		own(&f.s.proof).bash = true
	case name == f.t.names.write && f.t.padDir != "" && !f.s.proof.write:
		own(&f.s.proof).write = true
	}
}

// runResult enters what a command of an item came to.
func (f *folder) runResult(b *llm.Block, n, asked *note) {
	if asked.commits {
		f.commitResult(b)
	}
	if asked.run < 0 {
		return
	}
	p := own(&f.s.proof)
	p.ran = p.ran.with(asked.run)
	if !b.IsError {
		return
	}
	p.red = p.red.with(asked.run)
	if strings.HasPrefix(b.Content.Raw(), refused) {
		p.barred = p.barred.with(asked.run)
	}
	for _, x := range n.defects {
		if d, ok := f.t.defectIndex[x]; ok {
			p.shown = p.shown.with(f.t.showing(asked.run, d))
		}
	}
}

// run enters the item's commands that were not run since its last edit.
func (p *plan) run() {
	pr := p.s.proof
	if !pr.bash {
		return
	}
	for _, r := range p.it.runs {
		if !pr.ran.has(r) {
			p.runs = append(p.runs, action{kind: runAction, run: r})
		}
	}
}

// disproved is why an item has failed by what it ran, nil if it has not. One that
// verifies fails with whatever fails; another with its own defects only, since
// those of others are not its to answer for.
func (m mind) disproved(i int) (names []string) {
	it, pr := &m.t.items[i], m.s.proof
	for _, d := range m.shown(i) {
		names = append(names, defectPrefix+m.t.facts[m.t.defects[d].fact].name)
	}
	if it.kind == "verify" && len(names) == 0 && slices.ContainsFunc(it.runs, pr.red.has) {
		names = append(names, failedRun(m, i))
	}
	return slices.Compact(names)
}

// failedRun names what is missing where a command of an item failed and showed no defect:
// that it succeeds, or where none failed that was run, that it may run.
func failedRun(m mind, i int) string {
	pr := m.s.proof
	if slices.ContainsFunc(m.t.items[i].runs, func(r int) bool { return pr.red.has(r) && !pr.barred.has(r) }) {
		return runName
	}
	return barredName
}

// refused begins the result of a tool use that is not allowed.
const refused = "Permission to use "

// Names of what is missing where a command failed: a fact whose defect it has
// shown, its success, or that it may run.
const (
	defectPrefix = "defect:"
	runName      = "run"
	barredName   = "barred"
)

// shown is the defects that count against an item, as its commands showed them.
func (m mind) shown(i int) (out []int) {
	it, pr := &m.t.items[i], m.s.proof
	for d := range m.t.defects {
		if (it.kind == "verify" || m.t.defects[d].item == i) && m.t.shows(pr, it, d) {
			out = append(out, d)
		}
	}
	return out
}

// In front of what a report says of the commands that it ran.
const (
	provenBy  = "\nProven by: "
	notProven = "\nNot proven: "
	failsBy   = "\nThe tests fail: "
)

// proof says what the item's commands came to: the marks of defects and,
// for pitfalls, where the fact stands; or that nothing is proven, which somebody
// who reads reports has to see.
func (m mind) proof(i int) (text string) {
	it, pr := &m.t.items[i], m.s.proof
	var defects []string
	for _, d := range m.shown(i) {
		defects = append(defects, m.defect(d))
	}
	if len(defects) > 0 {
		return failsBy + strings.Join(defects, " ") + "."
	}
	for _, r := range it.runs {
		switch words := m.t.runs[r].words; {
		case !pr.bash:
			text += notProven + words + " was not run, there is no shell."
		case !pr.ran.has(r):
			text += notProven + words + " was not run."
		case pr.barred.has(r):
			text += notProven + words + " was not allowed to run."
		case pr.red.has(r):
			text += notProven + words + " failed, not by this item's doing."
		default:
			text += provenBy + words + "."
		}
	}
	return text
}

// defect is a defect as whoever corrects it needs it: its mark, and for
// a pitfall a place of the fact where one is known.
func (m mind) defect(d int) string {
	text, fact := m.t.defectText(d), m.t.defects[d].fact
	if p := m.knownPlace(fact); p != nil && m.t.pitfall[d] {
		text += " " + m.t.marks.Text(mark.At, m.t.facts[fact].name, m.t.placeText(p.file, p.line))
	}
	return text
}

// proofs are those of all items of an assignment.
func (m mind) proofs(a *assignment) (text string) {
	for _, i := range a.items {
		text += m.proof(i)
	}
	return text
}
