package policy

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"agentsim/sim/llm"
	"agentsim/sim/rng"
)

// words.txt has lists of phrases under their titles: of prompts by kind of item, of other
// texts by voice, with the first sentences apart. {title} and {about} are the item's; {file},
// {line} and {name} are a place whose content stands in the writer's request and a name that
// is read there; {changed} is a file that was edited, {next} what is done next. A sentence
// whose blanks cannot be filled is not said; one in bold is an entry of a list.
//
//go:embed words.txt
var wordsText string

var phrases = phrasesOf(wordsText)

func phrasesOf(text string) map[string][]string {
	lists := map[string][]string{}
	for list := range strings.SplitSeq("\n"+text, "\n# ") {
		title, lines, _ := strings.Cut(list, "\n")
		lists[title] = strings.Split(strings.TrimSpace(lines), "\n")
	}
	return lists
}

// voice is how one kind of text is written: the words in front of its lists.
type voice string

const (
	preambles voice = "preamble" // beside tool uses
	thoughts  voice = "thought"
	reports   voice = "report"
	gists     voice = "gist"  // what a file is for, known to whoever has its gist
	asides    voice = "aside" // beside a line that is quoted
)

// writer writes a text of a drawn size about items of work: sentences of a voice, whose
// blanks are filled with what stands in the writer's own request.
type writer struct {
	t     *Table
	s     *state
	v     voice
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
func (m mind) prose(v voice, key rng.Key, items []int, next string, n int64) string {
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
	own := string(w.v)
	if len(w.items) == 1 {
		own += " " + w.t.items[w.items[0]].kind
	}
	if w.round(own+" first", 1) == 0 {
		w.round(string(w.v)+" first", 1)
	}
	w.round(own+" then", maxSentences)
	for w.round(string(w.v)+" then", maxSentences) > 0 {
	}
	w.close()
	return w.text.String()
}

// look enters the places of an item: of its own files those whose content stands in the
// request, and those of its facts that it has.
func (w *writer) look(it *item) {
	for _, f := range slices.Concat(it.whole, it.gists) {
		w.spot(f, 0, false)
	}
	for _, e := range it.edits {
		if f := w.t.edits[e].file; w.s.edited.has(e) {
			w.spot(f, 0, true)
		}
	}
	for p := w.s.places; p != nil; p = p.next {
		if p.line > 0 && slices.Contains(it.needs, p.fact) && !w.t.isPad(p.file) {
			w.spot(p.file, p.line, false)
		}
	}
	if w.v == reports {
		return // what else was read, a report names by its findings alone
	}
	for _, f := range it.reads {
		w.spot(f, 0, false)
	}
	for i := range it.detours {
		if d := &it.detours[i]; d.kind == readAction {
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

// fills reports whether so many bytes of plain words on top of a measure are enough.
func (w *writer) fills(m llm.Measure, bytes int) bool {
	m.Bytes[llm.Prose] += uint32(bytes)
	return w.t.filler.Tokens(m) >= w.n
}

// maxSentences is the longest list of sentences.
const maxSentences = 48

// round says up to most sentences of a list, in drawn order, until a short one fills what
// is left, and reports how many.
func (w *writer) round(list string, most int) (said int) {
	var order [maxSentences]int
	table, tails, key := phrases[list], phrases["tails"], w.key.Sub(list).At(uint64(w.text.Len()))
	longest := len(tails[len(tails)-1])
	perm := order[:len(table)]
	key.Perm(perm)
	for _, i := range perm {
		if said == most || w.text.Len() > 0 && w.fills(w.used, longest) {
			break
		}
		if w.fits(table[i]) && w.try(table[i], key.Sub("sentence").At(uint64(i))) {
			said++
		}
	}
	return said
}

// fits reports whether a sentence is short enough without what fills its blanks.
func (w *writer) fits(sentence string) bool {
	if !w.fills(w.used, len(sentence)) {
		return true
	}
	m := w.used
	for sentence != "" {
		words, rest, _ := strings.Cut(sentence, "{")
		m.Bytes[llm.Prose] += uint32(len(words))
		_, sentence, _ = strings.Cut(rest, "}")
	}
	return w.t.filler.Tokens(m) <= w.n
}

// try says a sentence if its blanks can be filled and what it leaves can be filled too.
func (w *writer) try(sentence string, key rng.Key) bool {
	sep := " "
	switch {
	case w.text.Len() == 0:
		sep = ""
	case strings.HasPrefix(sentence, "**"):
		sep = "\n- "
	case w.v == reports && key.Between(0, 4) == 0:
		sep = "\n\n"
	}
	text, ok := w.sentence(sep, sentence, key)
	if !ok {
		return false
	}
	used := w.used.Plus(llm.MeasureOf(llm.Prose, text))
	if w.t.filler.Tokens(used) > w.n || !w.fills(used, 0) && w.fills(used, 2) {
		return false // it is too long, or leaves a byte or two
	}
	w.say(text, used)
	return true
}

// say says a text, with which so much is said.
func (w *writer) say(text string, used llm.Measure) {
	w.used = used
	w.text.WriteString(text)
}

// close fills what is left with short sentences, to the token: one that is as long as
// what is left or a byte longer, else the longest that leaves room for another.
func (w *writer) close() {
	for left := w.left(); left > 0; left = w.left() {
		sep, said := " ", ""
		if w.text.Len() == 0 {
			sep = ""
		}
		for _, tail := range phrases["tails"] {
			if rest := left - len(sep) - len(tail); rest == -1 || rest == 0 || rest > 3 {
				said = sep + tail
			}
		}
		if said == "" {
			said = strings.Repeat(".", left)
		}
		w.say(said, w.used.Plus(llm.MeasureOf(llm.Prose, said)))
	}
}

// sentence is a sentence with its blanks filled, behind a separator; false where there
// is nothing to fill one with.
func (w *writer) sentence(sep, form string, key rng.Key) (string, bool) {
	w.buf = append(w.buf[:0], sep...)
	var at spot
	if n := int64(len(w.spots)); n > 0 {
		at = w.spots[key.Sub("spot").Between(0, n-1)]
	}
	it := &item{}
	if n := int64(len(w.items)); n > 0 {
		it = &w.t.items[w.items[key.Sub("item").Between(0, n-1)]]
	}
	line, name, picked := int32(0), "", false
	for {
		before, rest, blank := strings.Cut(form, "{")
		w.buf = append(w.buf, before...)
		if !blank {
			return string(w.buf), true
		}
		word, after, _ := strings.Cut(rest, "}")
		if !picked && (word == "line" || word == "name") {
			line, name = at.pick(key.Sub("line"))
			picked = true
		}
		text := ""
		switch {
		case word == "title":
			text = it.title
		case word == "about":
			text = strings.TrimRight(it.about, ".!?")
		case word == "next":
			text = w.next
		case word == "name":
			text = name
		case word == "line" && line > 0:
			text = strconv.Itoa(int(line))
		case word == "file" && len(w.spots) > 0, word == "changed" && at.changed:
			text = w.t.files[at.file]
		}
		if text == "" {
			return "", false
		}
		w.buf, form = append(w.buf, text...), after
	}
}

// pick draws a line of what was read at a spot, and a name that stands there; of a line
// that is known to matter, every other time that one, without a name.
func (s *spot) pick(key rng.Key) (line int32, name string) {
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

// nameIn is the longest name that a line of code calls, "" in one that calls none.
func nameIn(code string) (name string) {
	rest := strings.TrimSpace(code)
	if rest == "" || strings.IndexByte("/#*-", rest[0]) >= 0 || strings.Contains(rest, "[[") {
		return ""
	}
	for more := true; more; {
		var before string
		before, rest, more = strings.Cut(rest, "(")
		word := before[strings.LastIndexFunc(before, endsName)+1:]
		if more && len(word) > max(len(name), 3) && len(word) < 40 && word[0] > '9' && word != "func" && word != "string" {
			name = word
		}
	}
	return name
}

func endsName(r rune) bool {
	return r != '_' && (r > 'z' || !unicode.IsLetter(r) && !unicode.IsDigit(r))
}

// doing is what some actions do, in words.
func (t *Table) doing(actions []action) string {
	a := &actions[0]
	switch a.kind {
	case readAction:
		return "read " + t.files[a.read.file]
	case editAction:
		return "change " + t.files[t.edits[a.edit].file]
	case runAction:
		return "run " + t.runs[a.run].words
	case lookAction:
		return "run " + t.looks[a.look].words
	case callAction:
		return "call " + t.calls[a.run].name
	case findAction:
		return "look for " + t.calls[a.run].name
	}
	s := &t.searches[a.search]
	if s.tool == fullNames.grep {
		return "search for " + s.pattern
	}
	return "list " + s.pattern
}

// aside is n tokens of words that go with a fact.
func (t *Table) aside(name string, n int64) string {
	return mind{t, &blank}.prose(asides, t.key.Sub("fact").Sub(name), nil, "", n)
}

// gistOf is the gist of a file, the same whoever tells it.
func (t *Table) gistOf(f int) string {
	w := writer{t: t, s: &blank, v: gists, key: t.key.Sub("gist").Sub(t.files[f]), n: t.profile.GistTokens, spots: []spot{{file: f}}}
	return w.write()
}

// oneOf is one phrase of a list, drawn by an item.
func (it *item) oneOf(list string) string {
	from := phrases[list]
	return from[it.key.Sub("phrase").Sub(list).Between(0, int64(len(from)-1))]
}
