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
	p Prefixes
}

func (s *prefixStory) start(agent, parent int32, lineage string) {
	b := &transcript.AgentStart{Lineage: lineage, Parent: parent}
	if parent >= 0 {
		b.ToolUse[0] = byte(agent)
	}
	s.p.Emit(&transcript.Event{Agent: agent, Body: b})
}

func (s *prefixStory) request(agent int32, call int, says string) {
	n := s.b.Root(llm.Scope{Model: "m"}, llm.Salts{})
	n = s.b.Border(n, llm.System, llm.Salts{})
	n = s.b.Border(n, llm.Messages, llm.Salts{})
	for _, text := range strings.Fields(says) {
		n = s.b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	}
	s.p.Emit(&transcript.Event{Agent: agent, Body: &transcript.Request{Call: call, Head: n}})
}

func TestPrefixes(t *testing.T) {
	t.Run("MET-01 CLI-05 the common prefix of siblings is known to the block and the byte in which two of them differ first", func(t *testing.T) {
		s := &prefixStory{}
		s.start(0, -1, "main")
		s.request(0, 0, "go")
		for i := int32(1); i <= 3; i++ {
			s.start(i, 0, "main/x")
		}
		s.request(1, 0, "shared own-abc")
		s.request(2, 0, "shared own-abd")
		s.request(3, 0, "shared own-xbc")
		got := s.p.Siblings()
		// {"tools":[],"system":[],"messages":[{"role":"user","content":[{"type":"text","text":"shared"},{"type":"text","text":"own-
		want := int64(len(`{"tools":[],"system":[],"messages":[{"role":"user","content":[{"type":"text","text":"shared"},{"type":"text","text":"own-`))
		if len(got) != 1 || got[0].Who != "main#1" || got[0].Siblings != 3 || got[0].Block != 2 || got[0].Byte != want {
			t.Errorf("got %+v, want block 2, byte %d of the three children of main#1", got, want)
		}
	})
	t.Run("MET-01 CLI-05 a request that does not begin with the agent's one before it is told, with what is cut off", func(t *testing.T) {
		s := &prefixStory{}
		s.start(0, -1, "main")
		s.request(0, 0, "a b")
		s.request(0, 1, "a b c")
		if s.p.Cut() != 0 || s.p.Parted() != nil {
			t.Fatalf("a request that grows: cut %d, %v", s.p.Cut(), s.p.Parted())
		}
		s.request(0, 2, "a bb c d")
		got := s.p.Parted()
		if len(got) != 1 || got[0].Who != "main#3" || got[0].Block != 2 || s.p.Cut() != got[0].Of-got[0].Byte || s.p.Cut() <= 0 {
			t.Errorf("got %+v, cut %d", got, s.p.Cut())
		}
	})
}
