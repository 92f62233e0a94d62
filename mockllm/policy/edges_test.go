package policy

import (
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"

	"pgregory.net/rapid"
)

// TestEdges pins bounds that no story comes to.
func TestEdges(t *testing.T) {
	t.Run("LLM-09 CON-16 whoever reports thinks as long as its last item asks for, and without an item as the model does", func(t *testing.T) {
		h := newHouse(t, standard, "work.3.think=1700")
		size := func(items []int) int64 {
			m, a := New(h.table), mockllm.Answer{}
			a.Reset()
			m.a, m.s, m.q = &a, &blank, &mockllm.Query{Settings: llm.Settings{Thinking: llm.ThinkingAdaptive}}
			m.thinkReport(items)
			return h.table.filler.Tokens(a.Blocks[0].Content.Measure())
		}
		if got := size([]int{h.table.itemIndex["fix-b"], h.table.itemIndex["fix-a"]}); got != 1700 {
			t.Errorf("%d tokens before a report on fix-a", got)
		}
		if got := size(nil); got < 150 || got > 400 {
			t.Errorf("%d tokens before a report on nothing", got)
		}
	})
	t.Run("LLM-03 a file that was read or edited five times in vain is given up, after four times it is read", func(t *testing.T) {
		h := newHouse(t, standard)
		for _, c := range []struct{ tries, reads, missing int }{{maxTries - 1, 1, 0}, {maxTries, 0, 1}} {
			file := h.table.fileIndex["src/store.go"]
			f := folder{t: h.table}
			f.begin(nil)
			f.s.seen = f.s.seen.with(file)
			f.file(file).tries = int32(c.tries)
			p := plan{}
			p.reset(h.table, f.freeze(), h.item("dig"))
			p.file(file, false, filePrefix)
			if len(p.reads) != c.reads || len(p.missing) != c.missing {
				t.Errorf("after %d tries: %d reads, missing %v", c.tries, len(p.reads), p.missing)
			}
			p.reset(h.table, p.s, h.item("dig"))
			if got := p.readPlace(&place{fact: 0, file: file, line: 3}, false); got != (c.reads > 0) || len(p.reads) != c.reads {
				t.Errorf("after %d tries: a line of it is read: %v, %d reads", c.tries, got, len(p.reads))
			}
		}
	})
}

// givenUp plays two verifiers of one item that stays wrong: the second one fails
// when the user knows of the first.
func givenUp(t *testing.T) {
	h := newHouse(t, `project:
  tests: [{command: go test, files: "*.go", takes: 1s}]
  files:
    f.go: {text: "one\ntwo\nthree\n"}
  facts: [{name: wrong, file: f.go, line: 2}]
structure: coordinator
work:
  - {id: look, kind: research, knows: [summaries], found_in: [f.go], yields: [wrong]}
  - {id: change, kind: implement, after: [look], edits: [{file: f.go, tokens: 9}], misled_by: [wrong]}
  - {id: first, kind: verify, after: [change], runs: [go test]}
  - {id: second, kind: verify, after: [change], runs: [go test]}
  - {id: tell, kind: answer, after: [second], knows: [wrong]}
`, "coordinator.workers=spawn")
	h.tools = []string{"Bash"}
	a := h.run()
	s := New(h.table).memo.state(h.reread(t, a.head))
	for i := range h.table.items {
		if !s.done.has(i) && !s.failed.has(i) {
			t.Errorf("%s is not settled\n%s", h.table.items[i].id, h.log.String())
		}
	}
}

func TestAnchor(t *testing.T) {
	t.Run("an edit holds on to what there is: of a short file its line, of an endless line a part that occurs once", func(t *testing.T) {
		minified := strings.Repeat("a=1;", 300) + "b=2;" + strings.Repeat("a=1;", 300)
		for _, lines := range [][]string{{"x"}, {"package a [[fact one 12 ab]]"}, {minified}, {"", "ab", ""}} {
			content := strings.Join(lines, "\n")
			if piece := anchor(lines, 0, true); piece == "" || strings.Count(content, piece) != 1 {
				t.Errorf("in %.20q: %.20q", content, piece)
			}
		}
		if piece := anchor([]string{"", " "}, 0, true); piece != "" {
			t.Errorf("in white space: %q", piece)
		}
	})
}

func TestLineIndex(t *testing.T) {
	t.Run("lines that occur once are found as by counting them in the whole text", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "aa", "ab", "}"}), 1, 14).Draw(r, "lines")
			from := rapid.IntRange(0, len(lines)-1).Draw(r, "from")
			n := rapid.IntRange(1, len(lines)-from).Draw(r, "n")
			piece := strings.Join(lines[from:from+n], "\n")
			x := newLineIndex(lines)
			if piece == "" {
				return // held on to by nobody
			}
			if got, want := x.once(from, n, piece), strings.Count(x.content, piece) == 1; got != want {
				r.Fatalf("%q, %d lines from %d: %v, want %v", lines, n, from, got, want)
			}
		})
	})
}
