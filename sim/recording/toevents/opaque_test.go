package toevents

import (
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
)

func TestOpaque(t *testing.T) {
	t.Run("CRD-09 every block of a recording without content is told from what somebody said", func(t *testing.T) {
		s := &recording.Session{Format: "rows", ID: "s", Threads: []recording.Thread{{Name: "main", Parent: -1, SpawnedBy: -1, ToolTokens: 5}},
			Requests: []recording.Request{{ID: "r", Pred: -1, Model: "m", WritesKnown: true, Billed: true,
				Usage: llm.Usage{Read: 50, Write5m: 30, Input: 9, Output: 4}}}}
		c := newChains(s, nil)
		seen := 0
		for n := c.of(0).answer; n != nil; n = n.Parent {
			if n.Level == llm.Messages && !n.IsBorder() {
				seen++
				if text := n.Block.Content.Raw(); !Opaque(text) {
					t.Errorf("%q passes for something that was said", text)
				}
			}
		}
		if seen < 3 {
			t.Errorf("only %d blocks", seen)
		}
		for _, text := range []string{"", "[x] done", "[no tokens, none]", "block of wood", "[12 tokens", "Fix it.", "block 0123456789abcdefg"} {
			if Opaque(text) {
				t.Errorf("%q was said", text)
			}
		}
		if !Opaque(NamedBlock + "0123456789abcdef") {
			t.Error("a named block passes for something that was said")
		}
	})
}
