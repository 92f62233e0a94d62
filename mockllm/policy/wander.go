package policy

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// A detour is a step that a stranger to the code takes on the way to an item and that
// turns out not to help it: a search, a listing, a guess at a path, a file, a look at
// the history, a run of the tests. An item offers every structure the same detours,
// in the same order; who has what leads past one does not make it. That a detour was
// made is read from the conversation, as any other step.
type detour struct {
	action
	what   detourKind
	target int // file of the item whose place leads past a search, or -1
}

type detourKind uint8

const (
	finding       detourKind = iota // spared by the place of what the item is about
	understanding                   // spared by the content or the summary of the very file
	checking                        // spared by the command's success since the last edit
)

// causeDetour marks the tool uses of detours.
const causeDetour = "detour"

// maxDetours bounds what one item offers.
const maxDetours = 200

// shares are of a hundred detours which are what; what is left builds or tests, where
// the project offers it. With the reads and searches that items need themselves, the
// uses of sub-agents come to the recorded mix: Read 43, Bash 25, Grep 17, Glob 7.
const (
	readShare  = 36
	grepShare  = readShare + 11
	globShare  = grepShare + 12
	shellShare = globShare + 14 // grep, find, ls
	gitShare   = shellShare + 12
	guessShare = gitShare + 4
)

// look is a command that a detour runs, or by which edits are checked.
type look struct {
	words string
	input *llm.Payload
	check int // which of the project's checks, or -1
}

// wanderer makes the detours of items.
type wanderer struct {
	*binder
	sc     *scenarios.Scenario
	w      scenarios.Wander
	checks []string // by which one finds out whether the project holds
	facts  set      // files that hold a declared fact
	near   []int    // files of the scenario's items
	all    []int    // files of the kinds that items name, as far as agents read them
}

// wander enters the detours of all items. Only then are files entered that no item
// names.
func (b *binder) wander(sc *scenarios.Scenario) {
	t := b.t
	w := wanderer{binder: b, sc: sc, w: sc.Model.Wander, checks: sc.Checks(b.files)}
	if !w.w.Uses.Set {
		return
	}
	kinds := map[string]bool{}
	for f, p := range t.files {
		if !t.isPad(f) {
			w.near = append(w.near, f)
			kinds[path.Ext(p)] = true
		}
	}
	for i := range t.facts {
		if f := t.facts[i].file; f >= 0 && !w.w.MayLearn {
			w.facts = w.facts.with(f)
		}
	}
	for _, p := range b.files {
		if kinds[path.Ext(p)] && (b.o.Works == nil || b.o.Works(p)) {
			w.all = append(w.all, t.addFile(p))
		}
	}
	for i := range t.items {
		w.item(&t.items[i])
	}
}

// item gives an item its detours: as many as it takes a stranger more uses of tools
// than the item's own needs account for.
func (w *wanderer) item(it *item) {
	own := union(union(slices.Clone(it.whole), it.gists...), it.reads...)
	key, used := it.key.Sub("wander"), set{}
	for _, f := range own {
		used = used.with(f)
	}
	n := script.Draw(w.w.Uses, key, 0) - w.t.needed(it)
	for k := range uint64(max(min(n, maxDetours), 0)) {
		d := w.detour(it, own, &used, key.At(k))
		it.detours = append(it.detours, d)
	}
	if len(it.edits) > 0 && len(w.checks) > 0 {
		check := w.check(key.Sub("check"))
		it.builds = append(it.builds, w.addLook(it, w.checks[check], check, edited+it.id+" with "+w.checks[check]))
	}
}

// check is one of the project's checks.
func (w *wanderer) check(key rng.Key) int { return int(key.Between(0, int64(len(w.checks)-1))) }

// needed is how many uses of tools a stranger makes for what an item needs itself.
func (t *Table) needed(it *item) int64 {
	files := union(slices.Clone(it.whole), it.gists...)
	n := len(files) + len(it.edits) + len(it.runs)
	if len(files) > 0 {
		n++ // the search for them
	}
	for _, f := range it.needs {
		if file := t.facts[f].file; n == 0 || file >= 0 && !slices.Contains(files, file) {
			n += 2 // a search, and a read of some lines
			files = append(files, file)
		}
	}
	return int64(n)
}

// detour draws one. used are the files that are the item's own or another detour's.
func (w *wanderer) detour(it *item, own []int, used *set, key rng.Key) detour {
	file := w.file(used, key.Sub("file"))
	d := detour{what: finding, target: -1, action: action{cause: causeDetour}}
	if len(own) > 0 {
		d.target = own[key.Sub("target").Between(0, int64(len(own)-1))]
	}
	share := key.Sub("kind").Between(0, 99)
	if file < 0 {
		return w.futile(d, key)
	}
	switch p := w.t.files[file]; {
	case share < readShare || share >= guessShare && len(w.checks) == 0:
		*used = used.with(file)
		d.what, d.read.file = understanding, file
	case share < grepShare:
		d.kind, d.search = searchAction, w.t.addSearch("Grep", -1, w.word(p, key))
	case share < globShare:
		d.kind, d.search = searchAction, w.t.addSearch("Glob", -1, path.Join(path.Dir(p), "*"+path.Ext(p)))
	case share < shellShare:
		d.kind, d.shell, d.search = searchAction, true, w.t.addSearch("Grep", -1, w.word(p, key))
	case share < gitShare:
		h := histories[key.Sub("history").Between(0, int64(len(histories)-1))]
		d.kind, d.target, d.look = lookAction, -1, w.addLook(it, h.words+shellWord(p), -1, h.about+path.Base(p))
	case share < guessShare:
		d.read.file = w.t.addFile(w.guess(p))
	default:
		check := w.check(key.Sub("test"))
		d.what, d.kind, d.look = checking, lookAction, w.addLook(it, w.checks[check], check, "Run "+w.checks[check]+" as it stands")
	}
	return d
}

// futile is a search that finds nothing: all files were looked at.
func (w *wanderer) futile(d detour, key rng.Key) detour {
	d.kind, d.search = searchAction, w.t.addSearch("Grep", -1, "legacy_"+strconv.FormatInt(key.Sub("vain").Between(0, 9_999), 10))
	return d
}

// file is a file that does not help: of the scenario's other work or of the whole
// project, the one of the least hash, so that a file more moves only the detours that
// it wins; -1 where all were taken.
func (w *wanderer) file(used *set, key rng.Key) int {
	from := w.all
	if key.Sub("near").Between(0, 99) < w.w.Near {
		from = w.near
	}
	best, least := -1, uint64(0)
	for _, f := range from {
		if used.has(f) || w.facts.has(f) {
			continue
		}
		if h := key.Sub(w.t.files[f]).Uint64(); best < 0 || h < least {
			best, least = f, h
		}
	}
	return best
}

// word is what a search in vain looks for: the name that a file bears, which leads to
// others like it, or one that nothing bears.
func (w *wanderer) word(p string, key rng.Key) string {
	name := strings.TrimSuffix(path.Base(p), path.Ext(p))
	if key.Sub("empty").Between(0, 99) < 15 {
		name = "legacy_" + name
	}
	return regexp.QuoteMeta(name)
}

// guesses are names that files often have.
var guesses = []string{"util", "helpers", "types", "config", "common", "errors", "internal", "main", "handler", "old"}

// guess is a path beside a file that does not exist.
func (w *wanderer) guess(p string) string {
	for n := 0; ; n++ {
		name := guesses[n%len(guesses)] + strings.Repeat("_", n/len(guesses)) + path.Ext(p)
		if guess := path.Join(path.Dir(p), name); !slices.Contains(w.files, guess) {
			return guess
		}
	}
}

// histories are looks at the history of a file. Nothing but themselves spares them:
// no place and no content says what was changed when.
var histories = []struct{ words, about string }{
	{"git log --oneline -5 -- ", "Show the last commits to "},
	{"git diff HEAD~3 -- ", "Show what the last commits changed in "},
}

// edited is in front of an item's id where the check of its edits is described.
const edited = "Check the edits of "

// addLook is the index of a command of an item.
func (w *wanderer) addLook(it *item, words string, check int, about string) int {
	t, note := w.t, it.id
	if strings.HasPrefix(about, edited) {
		note += ", edited"
	}
	in := t.commandInput(words, note, about, w.sc.Timeout(words))
	i, ok := t.lookIndex[in.Raw()]
	if !ok {
		i = len(t.looks)
		t.looks = append(t.looks, look{words, in, check})
		t.lookIndex[in.Raw()] = i
	}
	return i
}

// check enters the build or test by which the item's edits are checked.
func (p *plan) check() {
	pr := p.s.proof
	for _, l := range p.it.builds {
		if p.s.shell && !p.summed && !pr.looked.has(l) && !pr.green.has(p.t.looks[l].check) {
			p.runs = append(p.runs, action{kind: lookAction, look: l})
		}
	}
}

// Detours is how many detours the items offer.
func (t *Table) Detours() (n int) {
	for i := range t.items {
		n += len(t.items[i].detours)
	}
	return n
}

// wander enters the detours of the item that are still to be made.
func (p *plan) wander() {
	for i := range p.it.detours {
		if d := &p.it.detours[i]; !p.spared(d) && !slices.Contains(p.detours, d.action) {
			p.detours = append(p.detours, d.action)
		}
	}
}

// spared reports whether a detour was made, or need not be.
func (p *plan) spared(d *detour) bool {
	if d.what == finding && d.target >= 0 && p.s.seen.has(d.target) {
		return true
	}
	switch d.kind {
	case searchAction:
		return p.s.searched.has(d.search)
	case lookAction:
		return !p.s.shell || p.s.proof.looked.has(d.look) || d.what == checking && p.s.proof.green.has(p.t.looks[d.look].check)
	}
	k := p.s.files.at(d.read.file)
	return k.hash != "" || k.to > 0 || k.tries > 0 || p.s.absent.has(d.read.file) || p.s.gists.has(d.read.file)
}

// lookResult enters a command of a detour, or a check.
func (f *folder) lookResult(b *llm.Block, asked *note) {
	if asked.look < 0 {
		return
	}
	p := own(&f.s.proof)
	p.looked = p.looked.with(asked.look)
	if check := f.t.looks[asked.look].check; check >= 0 && !b.IsError {
		p.green = p.green.with(check)
	}
}
