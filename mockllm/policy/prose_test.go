package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentsim/mockllm/script"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"

	"pgregory.net/rapid"
)

func TestProse(t *testing.T) {
	t.Run("WAN-07 over seeds a prompt says which item it is, how one goes about it, what to report and when it is done", ordersOverSeeds)
	t.Run("WAN-07 CON-16 a text has exactly the tokens that it was drawn to have, whoever counts them, and its numbers are plain", rapid.MakeCheck(toTheToken))
	t.Run("WAN-07 WAN-03 what agents say of files and lines stands in their own requests", saysWhatItRead)
	t.Run("WAN-07 the same place in the same request has the same words, another item or seed has others", sameKeySameWords)
	t.Run("WAN-07 every sentence can be said, and tails close every gap", wholeTables)
	t.Run("WAN-07 words cost by their own size, not by the request's", wordsCost)
}

// dozen is twelve items of all kinds, each about something of its own.
func dozen() string {
	text := "project: {files: {a.go: \"package a\\n\\nfunc Alpha(order int) int { return order }\\n\"}}\nstructure: inline\nwork:\n"
	for i := range 12 {
		kind := []string{"research", "implement", "verify", "answer"}[i%4]
		files := map[string]string{"implement": ", edits: [{file: a.go, tokens: 20}]", "verify": fmt.Sprintf(", after: [item-%d]", i-1)}[kind]
		text += fmt.Sprintf("  - {id: item-%d, kind: %s, about: what becomes of order %d%s}\n", i, kind, i, files)
	}
	return text
}

func ordersOverSeeds(t *testing.T) {
	for seed := range 8 {
		h := newHouse(t, dozen(), "structure=subagent", fmt.Sprintf("seed=%d", seed))
		openings, texts := map[string]bool{}, map[string]bool{}
		for i := range h.table.items {
			it := &h.table.items[i]
			p := mind{h.table, filled(state{goal: "Mend the orders."})}.prompt(i)
			for what, said := range map[string]bool{
				"item":        strings.Contains(p, "[[do "+it.id+" ") && strings.Contains(p, `"`+it.title+`"`),
				"about":       strings.Contains(p, " W"+it.about[1:]),
				"goal":        strings.Contains(p, `The user's goal: "Mend the orders."`),
				"purpose":     strings.Contains(p, "\nPurpose: "),
				"how":         oneStands(p, phrases[it.kind+" how"]),
				"deliverable": oneStands(p, phrases[it.kind+" report"]),
				"end":         regexp.MustCompile(`(?i)\b(done|finished)\b`).MatchString(unmarked(p)),
				"no place":    !strings.Contains(p, "a.go"),
				"no blanks":   !strings.ContainsAny(p, "{}"),
			} {
				if !said {
					t.Errorf("seed %d: %s: %s\n%s", seed, it.id, what, p)
				}
			}
			for _, open := range phrases[it.kind+" open"] {
				if strings.Contains(p, strings.Replace(open, "{title}", it.title, 1)) {
					openings[open] = true
				}
			}
			texts[strings.ReplaceAll(p, it.id, "")] = true
		}
		if len(openings) < 6 || len(texts) < 12 {
			t.Errorf("seed %d: %d openings and %d texts for 12 items", seed, len(openings), len(texts))
		}
	}
}

func oneStands(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(s string) bool { return strings.Contains(text, s) })
}

var voices = []voice{preambles, thoughts, reports, gists, asides}

// read is what a model knows that has read a file of a house.
func (h *house) read(path string) *state {
	s, f := filled(state{}), h.table.fileIndex[path]
	for range f/leafSize + 1 {
		s.files.leaves = append(s.files.leaves, new([leafSize]known))
	}
	content, _ := h.fs.Content(path)
	var page strings.Builder
	for n, line := range strings.Split(content, "\n") {
		fmt.Fprintf(&page, "%6d\t%s\n", n+1, line)
	}
	s.files.leaves[f/leafSize][f%leafSize] = known{hash: "1", text: llm.NewText(llm.Code, page.String())}
	return s
}

// padded is a number that is not plain.
var padded = regexp.MustCompile(`\b0[0-9]|[0-9],[0-9]`)

func toTheToken(t *rapid.T) {
	h := newHouse(new(testing.T), standard)
	model := rapid.SampledFrom([]string{"claude-sonnet-4-5", "claude-sonnet-5-5", "unheard-of"}).Draw(t, "model")
	h.table.filler = script.NewFiller(tokens.Approx(model))
	s := filled(state{})
	if rapid.Bool().Draw(t, "read") {
		s = h.read("src/auth.go")
	}
	v := rapid.SampledFrom(voices).Draw(t, "voice")
	n := rapid.Int64Range(0, 1500).Draw(t, "n")
	key := h.table.key.At(rapid.Uint64().Draw(t, "key"))
	text := mind{h.table, s}.prose(v, key, []int{rapid.IntRange(0, 5).Draw(t, "item")}, "read src/auth.go", n)
	if got := h.table.filler.Tokens(measureOf(text)); got != n {
		t.Fatalf("%d tokens, not %d: %s", got, n, text)
	}
	if strings.ContainsAny(text, "{}") || strings.Contains(text, "..") || padded.MatchString(text) {
		t.Fatalf("%q", text)
	}
}

// toolUses are the lines of tool uses in an answer.
var toolUses = regexp.MustCompile(`(?m)^tool_use .*$`)

// cited is how sentences cite a line.
var cited = regexp.MustCompile(`(src/[a-z]+\.go):([0-9]+)`)

func saysWhatItRead(t *testing.T) {
	cites := 0
	for seed := range 4 {
		for _, world := range worlds {
			h := newHouse(t, standard, append(slices.Clone(world), fmt.Sprintf("seed=%d", seed))...)
			h.set.Thinking = llm.ThinkingAdaptive
			h.run()
			for _, r := range h.said {
				request := string(llm.AppendRequest(nil, r.query.Head))
				said := toolUses.ReplaceAllString(unmarked(r.answer), "")
				for _, f := range h.table.files {
					if strings.Contains(said, f) && !strings.Contains(request, f) {
						t.Errorf("%v: %s call %d names %s, which stands nowhere in its request", world, r.query.Stream.Lineage, r.query.Stream.Call, f)
					}
				}
				for _, m := range cited.FindAllStringSubmatch(said, -1) {
					cites++
					if !strings.Contains(request, m[1]) || !strings.Contains(request, m[2]+`\t`) && !strings.Contains(request, m[0]) {
						t.Errorf("%v: %s call %d says %s, which stands nowhere in its request", world, r.query.Stream.Lineage, r.query.Stream.Call, m[0])
					}
				}
			}
		}
	}
	if cites < 100 {
		t.Errorf("%d lines are cited", cites)
	}
}

func sameKeySameWords(t *testing.T) {
	said := map[string]string{}
	for seed := range 3 {
		h := newHouse(t, dozen(), fmt.Sprintf("seed=%d", seed))
		for i := range h.table.items {
			for _, v := range voices {
				m := mind{h.table, h.read("a.go")}
				one, again := m.prose(v, h.table.items[i].key, []int{i}, "read a.go", 200), m.prose(v, h.table.items[i].key, []int{i}, "read a.go", 200)
				if one != again {
					t.Errorf("twice the same: %q, %q", one, again)
				}
				if which := fmt.Sprintf("%s %d of seed %d", v, i, seed); said[one] != "" {
					t.Errorf("%s has the words of %s: %s", which, said[one], one)
				} else {
					said[one] = which
				}
			}
		}
	}
}

func wholeTables(t *testing.T) {
	h := newHouse(t, dozen(), "structure=inline")
	s := h.read("a.go")
	s.edited = s.edited.with(0)
	w := writer{t: h.table, s: s, items: []int{1}, next: "read a.go", n: 100}
	w.spot(h.table.fileIndex["a.go"], 0, true)
	for list, forms := range phrases {
		if len(forms) < 2 && list != "" || len(forms) > maxSentences {
			t.Errorf("%s has %d phrases", list, len(forms))
		}
		for _, form := range forms {
			ok := list == "" || strings.HasSuffix(list, " open") && strings.Contains(form, `"{title}"`)
			for k := uint64(0); k < 20 && !ok; k++ { // a drawn line may be an empty one
				text, filled := w.sentence("", form, h.table.key.At(k))
				ok = filled && !strings.ContainsAny(text, "{}") && strings.ContainsAny(text[len(text)-1:], ".?")
			}
			if !ok {
				t.Errorf("%s: %q is never said", list, form)
			}
		}
	}
	for _, v := range voices {
		if phrases[string(v)+" first"] == nil || phrases[string(v)+" then"] == nil {
			t.Errorf("%s has no sentences", v)
		}
	}
	tails := phrases["tails"]
	for i, tail := range tails[1:] {
		if grown := len(tail) - len(tails[i]); grown < 1 || grown > 2 {
			t.Errorf("%q is %d bytes longer than %q", tail, grown, tails[i])
		}
	}
}

func wordsCost(t *testing.T) {
	allocs := func(files int) float64 {
		h := newHouse(t, standard)
		m, key := mind{h.table, h.read("src/auth.go")}, h.table.items[0].key
		for range files {
			k := h.read("src/auth.go").files.at(h.table.fileIndex["src/auth.go"]).text
			m.s.files.leaves[0][h.table.fileIndex["src/auth.go"]].text = llm.NewText(llm.Code, strings.Repeat(k.Raw(), files))
		}
		return testing.AllocsPerRun(50, func() { m.prose(thoughts, key, m.t.items[0].alone, "read src/auth.go", 200) })
	}
	if few, many := allocs(1), allocs(100); many > few+20 || few > 80 {
		t.Errorf("%g allocations, %g where a hundred times as much was read", few, many)
	}
}
