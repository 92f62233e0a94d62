package policy

import (
	"strconv"
	"strings"
	"unicode"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// writer writes a text of a drawn size about items of work: sentences of a voice, whose
// blanks are filled with what stands in the writer's own request.
type writer struct {
	t     *Table
	s     *state
	v     *voice
	key   rng.Key
	items []int
	next  string // what the writer does next
	n     int64  // tokens
	text  strings.Builder
	used  llm.Measure
	spots []spot
	buf   []byte
}

// spot is a place that one may speak of: a file, its line if one is known to matter,
// and what was read of it.
type spot struct {
	file    int
	line    int32
	changed bool
	text    *llm.Payload
}

// prose is a text of n tokens about items.
func (m mind) prose(v *voice, key rng.Key, items []int, next string, n int64) string {
	w := writer{t: m.t, s: m.s, v: v, key: key.Sub("words"), items: items, next: next, n: n}
	for _, i := range items {
		w.look(&m.t.items[i])
	}
	return w.write()
}

func (w *writer) write() string {
	if w.n <= 0 {
		return ""
	}
	w.text.Grow(int(4 * w.n))
	w.round(w.v.first, w.key.Sub("first"), 1)
	for k := uint64(0); w.left() >= shortest && w.round(w.v.then, w.key.At(k), len(w.v.then)) > 0; k++ {
	}
	w.close()
	return w.text.String()
}

// look enters the places of an item: of its own files those whose content stands in the
// request, and those of its facts that it has.
func (w *writer) look(it *item) {
	for _, list := range [...][]int{it.whole, it.gists} {
		for _, f := range list {
			w.spot(f, 0, false)
		}
	}
	for _, e := range it.edits {
		if f := w.t.edits[e].file; w.s.edited.has(e) {
			w.spot(f, 0, true)
		}
	}
	for p := w.s.places; p != nil; p = p.next {
		for _, f := range it.needs {
			if p.fact == f && p.line > 0 && !w.t.isPad(p.file) {
				w.spot(p.file, p.line, false)
			}
		}
	}
	for i := range it.detours {
		if d := &it.detours[i]; w.v.wanders && d.kind == readAction {
			w.spot(d.read.file, 0, false)
		}
	}
}

func (w *writer) spot(f int, line int32, changed bool) {
	if k := w.s.files.at(f); k.text != nil || line > 0 {
		w.spots = append(w.spots, spot{f, line, changed, k.text})
	}
}

// left is how many bytes of plain words are still wanted.
func (w *writer) left() int { return w.t.filler.Missing(w.used, w.n) }

// round says up to most of some sentences, in drawn order, and reports how many.
func (w *writer) round(table []string, key rng.Key, most int) (said int) {
	var order [maxSentences]int
	perm := order[:len(table)]
	key.Perm(perm)
	for _, i := range perm {
		if said == most || said > 0 && w.left() < shortest {
			break
		}
		if w.try(table[i], key.Sub("sentence").At(uint64(i))) {
			said++
		}
	}
	return said
}

// try says a sentence if its blanks can be filled and what it leaves can be filled too.
func (w *writer) try(sentence string, key rng.Key) bool {
	sep := ""
	switch {
	case w.text.Len() == 0:
	case w.v.breaks && key.Between(0, 4) == 0:
		sep = "\n\n"
	default:
		sep = " "
	}
	text, ok := w.sentence(sep, sentence, key)
	if !ok {
		return false
	}
	used := w.used.Plus(llm.MeasureOf(llm.Prose, text))
	if w.t.filler.Tokens(used) > w.n {
		return false
	}
	if left := w.t.filler.Missing(used, w.n); left > 0 && left < len(tails[0]) {
		return false
	}
	w.say(text)
	return true
}

func (w *writer) say(text string) {
	w.used = w.used.Plus(llm.MeasureOf(llm.Prose, text))
	w.text.WriteString(text)
}

// close fills what is left with short sentences, to the token.
func (w *writer) close() {
	for left := w.left(); left > 0; left = w.left() {
		sep := ""
		if w.text.Len() > 0 {
			sep = " "
		}
		said := ""
		for _, tail := range tails {
			rest := left - len(sep) - len(tail)
			if rest > -2 && rest <= 0 || rest > len(tails[0]) {
				said = sep + tail
			}
		}
		if said == "" {
			said = strings.Repeat(".", left)
		}
		w.say(said)
	}
}

// sentence is a sentence with its blanks filled, behind a separator; false where there
// is nothing to fill one with.
func (w *writer) sentence(sep, form string, key rng.Key) (string, bool) {
	var at *spot
	if n := int64(len(w.spots)); n > 0 {
		at = &w.spots[key.Sub("spot").Between(0, n-1)]
	}
	line, name := at.pick(w.t, key.Sub("line"))
	b := append(w.buf[:0], sep...)
	for form != "" {
		before, rest, blank := strings.Cut(form, "{")
		b = append(b, before...)
		if !blank {
			break
		}
		word, after, _ := strings.Cut(rest, "}")
		text := ""
		switch form = after; {
		case word == "title":
			text = w.title(key)
		case word == "about":
			text = w.about(key)
		case word == "next":
			text = w.next
		case at == nil || word == "changed" && !at.changed:
		case word == "file", word == "changed":
			text = w.t.files[at.file]
		case word == "line" && line > 0:
			text = strconv.Itoa(int(line))
		case word == "name":
			text = name
		}
		if text == "" {
			return "", false
		}
		b = append(b, text...)
	}
	w.buf = b
	return string(b), true
}

// item is the one that a sentence is about, or nil.
func (w *writer) item(key rng.Key) *item {
	if len(w.items) == 0 {
		return nil
	}
	return &w.t.items[w.items[key.Sub("item").Between(0, int64(len(w.items)-1))]]
}

func (w *writer) title(key rng.Key) string {
	if it := w.item(key); it != nil {
		return it.title
	}
	return ""
}

// about is what an item is about, as words within a sentence.
func (w *writer) about(key rng.Key) string {
	switch it := w.item(key); {
	case it == nil:
		return ""
	case it.about == "":
		return it.title
	default:
		return strings.TrimRight(it.about, ".!?")
	}
}

// pick draws a line of what was read at a spot, and a name that stands there; of a line
// that is known to matter, every other time that one, without a name.
func (s *spot) pick(t *Table, key rng.Key) (line int32, name string) {
	if s == nil {
		return 0, ""
	}
	if s.text == nil || s.text.Raw() == "" || s.line > 0 && key.Between(0, 1) == 0 {
		return s.line, ""
	}
	raw := s.text.Raw()
	for k := range uint64(4) {
		_, rest, _ := strings.Cut(raw[key.At(k).Between(0, int64(len(raw)-1)):], "\n")
		row, _, _ := strings.Cut(rest, "\n")
		number, code, _ := strings.Cut(row, "\t")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if name := nameIn(code); err == nil && name != "" {
			return int32(n), name
		} else if err == nil {
			line = int32(n)
		}
	}
	return line, ""
}

// nameIn is the longest name in a line of code, "" in one that is none.
func nameIn(code string) (name string) {
	text := strings.TrimSpace(code)
	if !strings.ContainsAny(text, "(=") || strings.ContainsAny(text[:1], "/#*-") || strings.Contains(text, "[[") {
		return ""
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r > unicode.MaxASCII || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(word) > max(len(name), 4) && len(word) < 40 && (word[0] > '9') {
			name = word
		}
	}
	return name
}

// doing is what some actions do, in words.
func (t *Table) doing(actions []action) string {
	a := &actions[0]
	switch a.kind {
	case readAction:
		if a.window {
			return "look at the lines around " + strconv.Itoa(int(a.read.offset)+linesBefore) + " of " + t.files[a.read.file]
		}
		return "read " + t.files[a.read.file]
	case editAction:
		return "change " + t.files[t.edits[a.edit].file]
	case runAction:
		return "run " + t.runs[a.run].words
	case lookAction:
		return "run " + t.looks[a.look].words
	}
	s := &t.searches[a.search]
	if s.tool == fullNames.grep {
		return "search for " + s.pattern
	}
	return "list " + s.pattern
}

// aside is n tokens of words that go with a fact.
func (t *Table) aside(name string, n int64) string {
	return mind{t, &state{}}.prose(&asides, t.key.Sub("fact").Sub(name), nil, "", n)
}

// gistOf is the gist of a file, the same whoever tells it.
func (t *Table) gistOf(f int) string {
	w := writer{t: t, s: &state{}, v: &gists, key: t.key.Sub("gist").Sub(t.files[f]), n: t.profile.GistTokens, spots: []spot{{file: f}}}
	return w.write()
}

// oneOf is one of some phrases, drawn by an item and what the phrase is for.
func (it *item) oneOf(phrases []string, what string) string {
	return phrases[it.key.Sub("phrase").Sub(what).Between(0, int64(len(phrases)-1))]
}
