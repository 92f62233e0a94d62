package audit

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestForget(t *testing.T) {
	t.Run("CACHE-L2 what a longer prefix that is read keeps alive is not forgotten, and the rest is", func(t *testing.T) {
		u := newCacheBooks(&ledger{})
		var nodes []*llm.Node
		for i := range 5 {
			nodes = append(nodes, &llm.Node{Hash: llm.Hash{Lo: uint64(i + 1)}, Pos: int32(i + 1), Block: &llm.Block{}})
		}
		a, took := &agent{life: &life{}}, vtime.Instant(1)
		ask := func(at vtime.Instant, read, write *llm.Node, marks ...*llm.Node) {
			b := &transcript.Request{Head: write}
			for _, n := range marks {
				b.Breakpoints = append(b.Breakpoints, llm.Breakpoint{Node: n})
			}
			u.sent(a, b, at)
			u.landed(a, at+took)
			u.readable(a, &llm.Response{Started: at, Began: at + took, Cache: llm.CacheReport{ReadTo: read, WrittenTo: write}})
		}
		known := func(n *llm.Node) bool {
			m := newMarked(n)
			e, _ := u.find(&m)
			return e != nil
		}
		minute := vtime.Instant(vtime.Minute)
		ask(0, nil, nodes[0], nodes[0])
		ask(minute, nil, nodes[3], nodes[3])
		ask(4*minute, nodes[0], nodes[1], nodes[1])
		ask(8*minute, nodes[1], nodes[2], nodes[2])
		u.forget(10 * minute)
		for i, want := range []bool{true, true, true, false, false} {
			if got := known(nodes[i]); got != want {
				t.Errorf("prefix %d is known: %v", i+1, got)
			}
		}
		took = minute
		ask(11*minute, nil, nodes[3], nodes[3])
		u.forget(17 * minute) // five from when its response began
		if !known(nodes[3]) {
			t.Error("an entry is forgotten while it can be read")
		}
		if u.forget(17*minute + 1); known(nodes[3]) {
			t.Error("an entry that nobody can read any more is held")
		}
		ask(20*minute, nil, nodes[3], nodes[3])
		a.last.left = a.last.marks[0]
		ask(24*minute, nil, nodes[4], nodes[4]) // a write refreshes what it passes
		if u.forget(28 * minute); !known(nodes[3]) {
			t.Error("an entry that a write passed is forgotten")
		}
	})
}
