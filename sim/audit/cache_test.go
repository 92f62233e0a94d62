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
		for i := range 4 {
			nodes = append(nodes, &llm.Node{Hash: llm.Hash{Lo: uint64(i + 1)}, Pos: int32(i + 1), Block: &llm.Block{}})
		}
		a := &agent{life: &life{}}
		ask := func(at vtime.Instant, read, write *llm.Node, marks ...*llm.Node) {
			b := &transcript.Request{Head: write}
			for _, n := range marks {
				b.Breakpoints = append(b.Breakpoints, llm.Breakpoint{Node: n})
			}
			u.sent(a, b, at)
			u.landed(a, at+1)
			u.readable(a, &llm.Response{Started: at, Began: at + 1, Cache: llm.CacheReport{ReadTo: read, WrittenTo: write}})
		}
		minute := vtime.Instant(vtime.Minute)
		ask(0, nil, nodes[0], nodes[0])
		ask(minute, nil, nodes[3], nodes[3])
		ask(4*minute, nodes[0], nodes[1], nodes[1])
		ask(8*minute, nodes[1], nodes[2], nodes[2])
		u.forget(10 * minute)
		for i, want := range []bool{true, true, true, false} {
			if got := u.find(&marked{nodes[i], -1}) != nil; got != want {
				t.Errorf("prefix %d is known: %v", i+1, got)
			}
		}
	})
}
