package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentsim/sim/mark"
)

// The ways in which a lead writes prompts (CON-13).
const (
	promptFull     = "full"     // what it knows, and where the rest stands
	promptPointers = "pointers" // where it stands
	promptLazy     = "lazy"     // neither
)

// directive is a fork's prompt. A fork knows what its parent knows and is told
// which files are its own.
func (m mind) directive(i int) string {
	it := &m.t.items[i]
	text := m.naming(it, false) + " with what you already know." + it.sayAbout() + " " + it.oneOf("keeping") + m.purpose(it)
	s := section{t: m.t, title: "\nWhat is known:", budget: m.t.profile.PromptBudget}
	for _, f := range it.asked {
		m.pointTo(&s, filePrefix+m.t.files[f], f)
	}
	return text + s.text("")
}

// pointTo enters where a file is if its path stands in the writer's request: who
// writes a prompt names no place that it was never told.
func (m mind) pointTo(s *section, name string, file int) {
	if m.s.seen.has(file) {
		s.add(entry{name: name, place: m.placeLine(name, file, 1)})
	}
}

// prompt is a sub-agent's prompt. It stands for itself: whoever gets it sees
// nothing of the conversation that it comes from.
func (m mind) prompt(i int) string {
	it := &m.t.items[i]
	if it.prompting == promptLazy {
		return m.naming(it, true) + " based on your findings, and report what came of it." + it.sayAbout() + committing(it) + m.goal() + m.purpose(it)
	}
	return m.naming(it, false) + "." + it.work() + committing(it) + m.goal() + m.purpose(it) +
		m.known(it, relay{full: it.prompting != promptPointers})
}

// committing asks whoever works on a branch for a commit.
func committing(it *item) string {
	if !it.apart {
		return ""
	}
	return " " + commitAsked
}

// naming says which item is to be done, by its mark and in words; plain, in those that
// are always the same.
func (m mind) naming(it *item, plain bool) string {
	words := phrases[it.kind+" open"][0]
	if !plain {
		words = it.oneOf(it.kind + " open")
	}
	return m.t.marks.Text(mark.Do, it.id) + " " + strings.Replace(words, "{title}", it.title, 1)
}

// work says what an item is about, how one goes about it and what is to be reported.
func (it *item) work() string {
	return it.sayAbout() + " " + it.oneOf(it.kind+" how") + " " + it.oneOf(it.kind+" report")
}

// sayAbout says what the item is about, where the scenario does.
func (it *item) sayAbout() string {
	if it.about == "" {
		return ""
	}
	first, n := utf8.DecodeRuneInString(it.about)
	return " " + string(unicode.ToUpper(first)) + it.about[n:]
}

// goal says what the user asked for, as far as the writer's own request says it.
func (m mind) goal() string {
	if m.s.goal == "" {
		return ""
	}
	return "\nThe user's goal: \"" + m.s.goal + `"`
}

// asks is how a summary says what the user asked for.
const asks = "The user asked: "

// spoke is how a summary says how often the user did, where work waits for that.
const spoke = "Messages of the user: "

// goalBytes is how much of what the user asked for is passed on.
const goalBytes = 400

// goalOf is what a user's message asks for: all of it or its first sentence, on
// one line and without marks, which would teach.
func goalOf(raw string) string {
	text := strings.Join(strings.Fields(unmarked(strings.ToValidUTF8(raw[:min(len(raw), 4*goalBytes)], ""))), " ")
	if len(text) <= goalBytes {
		return text
	}
	text = strings.ToValidUTF8(text[:goalBytes], "")
	for i := range len(text) - 1 {
		if strings.IndexByte(".!?", text[i]) >= 0 && text[i+1] == ' ' {
			return text[:i+1]
		}
	}
	return text[:max(strings.LastIndexByte(text, ' '), 0)] + " …"
}

// unmarked is a text without its marks.
func unmarked(text string) string {
	for {
		from := strings.Index(text, "[[")
		to := strings.Index(text[max(from, 0):], "]]")
		if from < 0 || to < 0 {
			return text
		}
		text = text[:from] + text[from+to+2:]
	}
}

// placeOf is where the lead sends a worker for a fact: a place that stands in its
// own request, in a pad or with a line if there is one; nil for none.
func (m mind) placeOf(f int) (best *place) {
	if best = m.t.padPlace(m.s, f); best != nil {
		return best
	}
	for p := m.s.places; p != nil; p = p.next {
		if p.fact == f && (best == nil || best.line == 0 && p.line > 0) {
			best = p
		}
	}
	return best
}
