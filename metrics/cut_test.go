package metrics

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// prefixStory feeds starts and requests of agents that say texts, block by block.
type prefixStory struct {
	b llm.Builder
	c Cuts
}

func (s *prefixStory) request(agent int32, call int, says string) {
	n := s.b.Root(llm.Scope{Model: "m"}, llm.Salts{})
	n = s.b.Border(n, llm.System, llm.Salts{})
	n = s.b.Border(n, llm.Messages, llm.Salts{})
	for _, text := range strings.Fields(says) {
		n = s.b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	}
	s.c.Emit(&transcript.Event{Agent: agent, Body: &transcript.Request{Call: call, Head: n}})
}

func TestCuts(t *testing.T) {
	t.Run("MET-01 CLI-05 what a request cuts off of the agent's one before it is counted, each call once", func(t *testing.T) {
		s := &prefixStory{}
		s.request(0, 0, "a b")
		s.request(0, 1, "a b c")
		s.request(1, 0, "b")
		if s.c.Bytes != 0 {
			t.Fatalf("requests that grow: cut %d", s.c.Bytes)
		}
		s.request(0, 2, "a bb c d")
		s.request(0, 2, "a")
		want := int64(len(`"},{"type":"text","text":"c"}`))
		if tail := s.c.Bytes - want; tail < 0 || tail > 8 {
			t.Errorf("cut %d, want %d and what ends a request", s.c.Bytes, want)
		}
	})
}
