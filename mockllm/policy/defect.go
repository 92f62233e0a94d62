package policy

import (
	"slices"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
)

// A defect's fact makes the item's edits wrong: a pitfall while the model does not
// know it, a misleading one while it does. Nobody is asked to know it.

// flaw is a defect as it stands in a file. The item's first edit of the file puts
// it there, on a line of its own.
type flaw struct{ defect, file, edit int }

// proof is what a state knows of defects, of commands run and of pads.
type proof struct {
	flawed  set // flaws that stand in their files
	fixing  set // items handed back to be corrected
	tried   set // flaws whose correction was made since the item was handed over
	ran     set // commands run since the last edit
	red     set // of these, those that failed
	barred  set // of the failed ones, those that were not allowed to run
	shown   set // what they showed: run × defect
	looked  set // commands of detours, which prove nothing
	green   set // tests of the project that such a command saw pass since the last edit
	padded  set // items whose pad is written
	padless set // items whose pad was refused
	bash    bool
	write   bool

	committed set    // edits that a commit was tried for
	commit    string // hash of the last one, "" where it failed
}

// flaws enters an item's defects, its pitfalls first, and where they may stand.
func (b *binder) flaws(it *item, n int) {
	t := b.t
	enter := func(facts []int, pitfall bool) {
		for _, f := range facts {
			x := defect{n, f}
			if _, ok := t.defectIndex[x]; ok {
				continue
			}
			t.defectIndex[x] = len(t.defects)
			it.defects = append(it.defects, len(t.defects))
			t.defects, t.pitfall = append(t.defects, x), append(t.pitfall, pitfall)
		}
	}
	enter(it.pitfalls, true)
	enter(it.misled, false)
	var files []int
	for _, e := range it.edits {
		file := t.edits[e].file
		if slices.Contains(files, file) {
			continue
		}
		files = append(files, file)
		for _, d := range it.defects {
			it.flaws = append(it.flaws, len(t.flaws))
			t.flaws = append(t.flaws, flaw{d, file, e})
		}
	}
}

// What stands ahead of the texts in the input of an edit.
const (
	oldField = `,"old_string":"`
	newField = `,"new_string":"`
)

// editInput reads which defects an edit takes away and which it leaves: one whose
// old text begins with a defect corrects.
func (n *note) editInput(raw string) {
	_, old, ok := strings.Cut(raw, oldField)
	if !ok {
		return
	}
	_, added, _ := strings.Cut(old, newField)
	n.fixes = strings.HasPrefix(old, defectOpen)
	left := note{table: n.table}
	n.table.marks.Scan(added, func(m mark.Mark) { left.mark(m) })
	n.left = left.defects
}

// defectOpen is how the mark of a defect begins.
const defectOpen = "[[" + string(mark.Defect) + " "

// reopen takes the defects in an assignment for what is wrong with its items:
// their edits are made, by whomever, and are to be corrected.
func (f *folder) reopen(n *note) {
	for _, d := range n.defects {
		i := d.item
		if _, ok := f.t.defectIndex[d]; !ok || !slices.Contains(n.do.items, i) {
			continue
		}
		for _, e := range f.t.items[i].edits {
			f.s.edited = f.s.edited.with(e)
		}
		p := own(&f.s.proof)
		p.fixing = p.fixing.with(i)
	}
}

// handOver forgets what was proven of items that are assigned anew.
func (f *folder) handOver(items []int) {
	p := own(&f.s.proof)
	for _, i := range items {
		it := &f.t.items[i]
		p.fixing, p.padded, p.padless = p.fixing.without(i), p.padded.without(i), p.padless.without(i)
		for _, w := range it.flaws {
			p.tried = p.tried.without(w)
		}
		f.t.unrun(p, it)
	}
}

// unrun lets an item's commands be run again.
func (t *Table) unrun(p *proof, it *item) {
	for _, r := range it.runs {
		p.ran, p.red, p.barred = p.ran.without(r), p.red.without(r), p.barred.without(r)
		for d := range t.defects {
			p.shown = p.shown.without(t.showing(r, d))
		}
	}
}

// pageRead enters the flaws that a page of a file shows. renewed says that
// nothing that was known of the file before holds.
func (f *folder) pageRead(n *note, renewed bool) {
	if len(f.t.flaws) == 0 {
		return
	}
	p := own(&f.s.proof)
	for w := range f.t.flaws {
		switch l := &f.t.flaws[w]; {
		case l.file != n.page.file:
		case slices.Contains(n.defects, f.t.defects[l.defect]):
			p.flawed = p.flawed.with(w)
		case renewed:
			p.flawed = p.flawed.without(w)
		}
	}
}

// editWritten enters what an edit of a file did to its flaws, and that what the
// file's items had run says nothing any more. A correction is made once.
func (f *folder) editWritten(asked *note) {
	if len(f.t.flaws)+len(f.t.runs)+len(f.t.looks) == 0 {
		return
	}
	p := own(&f.s.proof)
	p.green = set{}
	for w := range f.t.flaws {
		l := &f.t.flaws[w]
		if l.file != asked.target || !slices.Contains(asked.defects, f.t.defects[l.defect]) {
			continue
		}
		if p.flawed = p.flawed.without(w); slices.Contains(asked.left, f.t.defects[l.defect]) {
			p.flawed = p.flawed.with(w)
		}
		if asked.fixes {
			p.tried = p.tried.with(w)
		}
	}
	for i := range f.t.items {
		if it := &f.t.items[i]; len(it.runs) > 0 && !f.s.done.has(i) && f.s.has(i) && f.t.editsFile(i, asked.target) {
			f.t.unrun(p, it)
		}
	}
}

// wrong is the lines that an edit adds for what is wrong with it: a mark for each
// pitfall that the model does not know and each misleading fact that it knows.
func (m mind) wrong(e int) string {
	var b []byte
	for _, w := range m.t.items[m.t.edits[e].item].flaws {
		if l := &m.t.flaws[w]; l.edit == e && m.errs(l.defect) {
			b = append(append(b, '\n'), m.t.defectText(l.defect)...)
		}
	}
	return string(b)
}

// errs reports whether an edit that is made now has a defect.
func (m mind) errs(d int) bool {
	return m.s.facts.has(m.t.defects[d].fact) != m.t.pitfall[d]
}

func (t *Table) defectText(d int) string {
	x := &t.defects[d]
	return t.marks.Text(mark.Defect, t.items[x.item].id, t.facts[x.fact].name)
}

// correct enters what a correction needs: the files of an item that was handed
// back, the facts whose want went wrong, then an edit for each file that has a
// flaw. It reports whether there is anything to do.
func (p *plan) correct() bool {
	pr := p.s.proof
	told := pr.fixing.has(p.it.n)
	if !told && pr.red.len() == 0 {
		return false
	}
	for _, f := range p.it.whole {
		if told && !p.s.files.at(f).current() {
			p.file(f, false, filePrefix)
		}
	}
	for _, w := range p.it.flaws {
		if p.corrects(w, told) {
			p.correction(&p.t.flaws[w])
		}
	}
	if len(p.reads)+len(p.searches)+len(p.missing) > 0 {
		p.edits = p.edits[:0]
	}
	return len(p.reads)+len(p.searches)+len(p.missing)+len(p.edits) > 0
}

// corrects reports whether a flaw is to be corrected: one that stands in what
// was handed back, or a pitfall that the item's own tests have shown, each once.
func (p *plan) corrects(w int, told bool) bool {
	pr, l := p.s.proof, &p.t.flaws[w]
	if !pr.flawed.has(w) || pr.tried.has(w) {
		return false
	}
	return told || p.t.pitfall[l.defect] && p.t.shows(pr, p.it, l.defect)
}

// correction enters what it takes to correct a flaw.
func (p *plan) correction(l *flaw) {
	if f := p.t.defects[l.defect].fact; p.t.pitfall[l.defect] && !p.s.facts.has(f) {
		p.fact(f)
	}
	if !slices.ContainsFunc(p.edits, func(a action) bool { return a.edit == l.edit }) {
		p.edits = append(p.edits, action{kind: editAction, edit: l.edit, fix: true})
	}
}

// fixInput is the input of an edit that puts new text in the place of an item's
// flaws in a file. What misled its author and is still known misleads again.
func (m *Model) fixInput(e *edit, at int) *llm.Payload {
	it, pr := &m.t.items[e.item], m.s.proof
	var old, left []byte
	for _, w := range it.flaws {
		l := &m.t.flaws[w]
		if l.edit != at || !m.plan.corrects(w, pr.fixing.has(e.item)) {
			continue
		}
		text := m.t.defectText(l.defect)
		if old = append(old, text...); m.mind().errs(l.defect) {
			left = append(append(left, '\n'), text...)
		}
		old = append(old, '\n')
	}
	key := it.key.Sub("edit").At(uint64(e.n)).Sub("correction")
	added := m.t.filler.String(llm.Code, max(script.Draw(e.tokens, key.Sub("tokens"), 1), 1))
	return object("file_path", m.t.path(e.file), "old_string", strings.TrimSuffix(string(old), "\n"), "new_string", added+string(left))
}

// toCorrect writes in a summary what is wrong with items handed back and not yet
// corrected.
func (m mind) toCorrect(items []int) string {
	var marks []string
	for _, i := range items {
		if it := &m.t.items[i]; m.s.proof.fixing.has(i) && !m.corrected(it) {
			for _, d := range it.defects {
				marks = append(marks, m.t.defectText(d))
			}
		}
	}
	return titled("\nTo correct:", marks)
}

func (m mind) corrected(it *item) bool {
	return slices.ContainsFunc(it.flaws, m.s.proof.tried.has)
}
