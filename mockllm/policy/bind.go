package policy

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/rng"

	"github.com/bmatcuk/doublestar/v4"
)

// Options are what a Table needs beside the scenario.
type Options struct {
	Files []string // the project's paths, relative, with forward slashes
	Root  string   // in front of every path that agents write; "" for none
	Place string   // the directory that the user says all files are in; "" for none
	// Apart reports whether agents of a type ("" the default one) work in a worktree by
	// their definition; nil where none do.
	Apart func(typ string) bool
	// Works reports whether somebody who loses the way may read a file; nil for all.
	Works func(path string) bool
	// Says is the line of a file as whoever reads it sees it; nil where nobody can
	// tell. Only whoever knows a fact says so.
	Says   func(path string, line int) string
	Key    rng.Key // the run's: picks and sizes hang below it
	Marks  mark.Key
	Filler *script.Filler
}

// BindError is work that does not fit the project: Item is its id.
type BindError struct{ Item, Why string }

func (e *BindError) Error() string { return fmt.Sprintf("work item %q: %s", e.Item, e.Why) }

// Bind binds the work of an effective scenario to a project. The error is a
// *BindError.
func Bind(sc *scenarios.Scenario, o Options) (*Table, error) {
	t := &Table{
		profile: sc.Model, budget: sc.SummaryBudget(), structure: cmp.Or(sc.Structure.Base(), scenarios.Inline), background: sc.Background(), agentType: sc.Type,
		coordinator: sc.Coordinator, isolates: sc.Isolation == scenarios.Isolated, plan: sc.Plan, names: namesOf(sc),
		root: o.Root, marks: o.Marks, filler: o.Filler, key: o.Key,
		factIndex: map[string]int{}, fileIndex: map[string]int{}, itemIndex: map[string]int{}, descIndex: map[string]int{},
		otherwise: otherwises(&sc.Coordinator), searchIndex: map[string]int{}, reads: map[readKey]*llm.Payload{}, defectIndex: map[defect]int{}, runIndex: map[string]int{}, lookIndex: map[string]int{},
	}
	b := binder{t: t, o: &o}
	b.files = slices.Sorted(slices.Values(o.Files))
	b.declare(sc.Project.Facts)
	b.injections(sc)
	b.pads(sc)
	for i := range sc.Work {
		if err := b.item(&sc.Work[i], sc); err != nil {
			return nil, &BindError{sc.Work[i].ID, err.Error()}
		}
	}
	b.apart(sc)
	b.close(sc.Work)
	b.wander(sc)
	b.families()
	return t, nil
}

// apart notes who works in a worktree: the lead asks for one, or the definition does.
func (b *binder) apart(sc *scenarios.Scenario) {
	defined := func(it *item) bool {
		return b.o.Apart != nil && b.t.structure == scenarios.Subagent && b.o.Apart(cmp.Or(it.agent.Type, sc.Type))
	}
	for i := range b.t.items {
		it := &b.t.items[i]
		it.apart = len(it.edits) > 0 && !it.byLead && (b.t.isolates || defined(it))
		b.t.merges = b.t.merges || it.apart
	}
}

type binder struct {
	t     *Table
	o     *Options
	files []string // sorted
}

func (b *binder) declare(facts []scenarios.Fact) {
	for _, f := range facts {
		i := b.fact(f.Name)
		d := &b.t.facts[i]
		d.verbatim, d.line = f.Grade == "verbatim", int32(f.Line)
		if f.Gist > 0 {
			d.gist, d.sized = f.Gist, true
		}
		if f.File != "" {
			d.file = b.t.addFile(f.File)
			if b.o.Says != nil {
				d.told = b.t.quote(f.Name, b.o.Says(f.File, f.Line), d.gist)
			}
		}
	}
}

// wordsOf makes words of an id.
var wordsOf = strings.NewReplacer("-", " ", "_", " ", ".", " ")

// sentence ends a text as a sentence does.
func sentence(text string) string {
	text = strings.Join(strings.Fields(unmarked(text)), " ")
	if text != "" && strings.IndexByte(".!?", text[len(text)-1]) < 0 {
		text += "."
	}
	return text
}

// quote is a line in quotes, as many words of it as so many tokens hold, and words
// of the writer's own up to these.
func (t *Table) quote(name, line string, tokens int64) string {
	words := strings.Fields(unmarked(line))
	text := `"` + strings.Join(words, " ") + `"`
	if t.filler.Tokens(measureOf(text)) > tokens {
		front := func(n int) string { return `"` + strings.Join(words[:n], " ") + ` …"` }
		most := max(sort.Search(len(words), func(n int) bool { return t.filler.Tokens(measureOf(front(n))) > tokens })-1, 0)
		text = front(most)
	}
	left := tokens - t.filler.Tokens(measureOf(text+" "))
	switch {
	case len(words) == 0:
		return t.aside(name, tokens)
	case left > 0:
		text += " " + t.aside(name, left)
	}
	return text
}

// fact is the index of a declared fact, entered if it is new.
func (b *binder) fact(name string) int {
	t := b.t
	i, ok := t.factIndex[name]
	if !ok {
		i = len(t.facts)
		t.facts = append(t.facts, fact{name: name, gist: t.profile.GistTokens, file: -1})
		t.factIndex[name] = i
		t.facts[i].search = t.grep(i)
	}
	return i
}

// file is the index of a path that must exist.
func (b *binder) file(p string) (int, error) {
	if _, ok := slices.BinarySearch(b.files, p); !ok {
		return 0, fmt.Errorf("the project has no file %q", p)
	}
	return b.t.addFile(p), nil
}

// pick is the files that a selector means, in order of their paths. A pick is
// keyed by its name, so equal picks of equal globs are equal files.
func (b *binder) pick(s scenarios.Selector, id string) ([]int, error) {
	s = b.globbed(s)
	if s.Path != "" {
		f, err := b.file(s.Path)
		return []int{f}, err
	}
	var found []string
	for _, p := range b.files {
		if doublestar.MatchUnvalidated(s.Glob, p) {
			found = append(found, p)
		}
	}
	if len(found) == 0 || len(found) < s.Count {
		return nil, fmt.Errorf("%d files of the project match %q, %d are asked for", len(found), s.Glob, max(s.Count, 1))
	}
	if s.Count > 0 {
		found = b.some(found, s, id)
	}
	out := make([]int, len(found))
	for i, p := range found {
		out[i] = b.t.addFile(p)
	}
	return out, nil
}

// globbed reads a path that is no file of the project, and has what globs have, as
// a glob.
func (b *binder) globbed(s scenarios.Selector) scenarios.Selector {
	if _, literal := slices.BinarySearch(b.files, s.Path); !literal && scenarios.IsGlob(s.Path) {
		s.Glob, s.Path = s.Path, ""
	}
	return s
}

func (b *binder) some(found []string, s scenarios.Selector, id string) []string {
	order := make([]int, len(found))
	b.o.Key.Sub("pick").Sub(cmp.Or(s.Pick, id)).Perm(order)
	out := make([]string, s.Count)
	for i := range out {
		out[i] = found[order[i]]
	}
	slices.Sort(out)
	return out
}

var verbs = map[string]string{"research": "Research", "implement": "Implement", "verify": "Verify", "answer": "Answer"}

// item enters one item; what depends on other items is entered by close.
func (b *binder) item(w *scenarios.Item, sc *scenarios.Scenario) error {
	t, n := b.t, len(b.t.items)
	it := item{n: n, alone: []int{n}, id: w.ID, kind: w.Kind, byLead: w.By == "lead", prompting: cmp.Or(w.Prompting, t.profile.Prompting), agent: w.Agent, think: w.Think, output: w.Output,
		turn: sc.Asked(w.ID), title: wordsOf.Replace(w.ID), about: sentence(w.About), key: b.o.Key.Sub("item").Sub(w.ID), desc: verbs[w.Kind] + " work item " + w.ID}
	for _, s := range w.FoundIn {
		files, err := b.pick(s, w.ID)
		if err != nil {
			return err
		}
		it.reads = union(it.reads, files...)
		b.named(&it, s, files)
	}
	if slices.Contains(w.Knows, scenarios.Summaries) {
		it.gists = union(it.gists, it.reads...)
	}
	for _, e := range w.Edits {
		if err := b.edit(&it, n, e, w.ID); err != nil {
			return err
		}
	}
	for _, name := range w.Knows {
		if err := b.knows(&it, name); err != nil {
			return err
		}
	}
	for _, s := range w.Reads {
		files, err := b.pick(s, w.ID)
		if err != nil {
			return err
		}
		it.whole, it.asked = union(it.whole, files...), union(it.asked, files...)
	}
	for _, name := range w.Yields {
		f := b.fact(name)
		it.yields, it.needs = union(it.yields, f), union(it.needs, f)
	}
	for _, name := range w.Pitfalls {
		it.pitfalls = union(it.pitfalls, b.fact(name))
	}
	for _, name := range w.MisledBy {
		it.misled = union(it.misled, b.fact(name))
	}
	b.flaws(&it, n)
	b.runs(&it, w, sc)
	b.calls(&it, w)
	b.pad(&it, n)
	t.items = append(t.items, it)
	t.itemIndex[it.id] = n
	t.descIndex[it.desc], t.descIndex[xmlEscaper.Replace(it.desc)] = n, n
	return nil
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func (b *binder) edit(it *item, n int, e scenarios.Edit, id string) error {
	files, err := b.pick(e.File, id)
	if err != nil {
		return err
	}
	for _, f := range files {
		it.edits = append(it.edits, len(b.t.edits))
		b.t.edits = append(b.t.edits, edit{n, f, e.Tokens, len(it.edits) - 1})
	}
	it.whole = union(it.whole, files...)
	b.named(it, e.File, files)
	return nil
}

// named notes the pattern by which an item names files.
func (b *binder) named(it *item, s scenarios.Selector, files []int) {
	if s = b.globbed(s); s.Glob == "" {
		return
	}
	if it.globs == nil {
		it.globs = map[int]int{}
	}
	search := b.t.addSearch("Glob", -1, s.Glob)
	for _, f := range files {
		if _, ok := it.globs[f]; !ok {
			it.globs[f] = search
		}
	}
}

func (b *binder) knows(it *item, name string) error {
	p, summary := strings.CutPrefix(name, scenarios.SummaryOf)
	switch {
	case name == scenarios.Summaries:
		return nil
	case !summary:
		it.needs = union(it.needs, b.fact(name))
		return nil
	}
	files, err := b.pick(scenarios.Selector{Path: p}, "")
	it.gists = union(it.gists, files...)
	return err
}

// close enters what items have from others: dependencies, what a verifier
// reads, and what an author could have told.
func (b *binder) close(work []scenarios.Item) {
	t := b.t
	for i := range work {
		it := &t.items[i]
		for _, name := range work[i].After {
			if j, ok := t.itemIndex[name]; ok {
				it.after = union(it.after, j)
			}
		}
		if it.kind == "verify" {
			for _, j := range it.after {
				for _, e := range t.items[j].edits {
					it.whole = union(it.whole, t.edits[e].file)
				}
			}
		}
	}
	for i := range t.items {
		b.tellable(&t.items[i], i, map[int]bool{})
		for j := range t.items {
			if t.items[j].byLead && j != i {
				t.tell(&t.items[i], &t.items[j])
			}
		}
	}
	t.chart()
}

// tellable walks the items before it.
func (b *binder) tellable(it *item, from int, seen map[int]bool) {
	for _, j := range b.t.items[from].after {
		if !seen[j] {
			seen[j] = true
			b.t.tell(it, &b.t.items[j])
			b.tellable(it, j, seen)
		}
	}
}

// tell enters what an earlier item leaves to tell.
func (t *Table) tell(it, earlier *item) {
	for _, f := range earlier.yields {
		if !t.facts[f].verbatim {
			it.tellFacts = it.tellFacts.with(f)
		}
	}
	for _, g := range earlier.gists {
		it.tellGists = it.tellGists.with(g)
	}
	for _, f := range union(slices.Clone(earlier.reads), earlier.whole...) {
		it.tellFiles = it.tellFiles.with(f)
	}
}

// union appends what is not yet in the list.
func union(list []int, more ...int) []int {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}
