package policy

import (
	"testing"

	"agentsim/mockllm"
	"agentsim/sim/llm"
)

// TestEdges pins bounds that no story comes to.
func TestEdges(t *testing.T) {
	t.Run("LLM-09 CON-16 whoever reports thinks as long as its last item asks for, and without an item as the model does", func(t *testing.T) {
		h := newHouse(t, standard, "work.3.think=1700")
		size := func(items []int) int64 {
			m, a := New(h.table), mockllm.Answer{}
			a.Reset()
			m.a, m.q = &a, &mockllm.Query{Settings: llm.Settings{Thinking: llm.ThinkingAdaptive}}
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
