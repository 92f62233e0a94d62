package sharedprefix

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// TestSessions holds what sessions found of each other's caches against when they came.
func TestSessions(t *testing.T) {
	const model = "claude-sonnet-4-5"
	for _, c := range []struct {
		what   string
		tokens int64            // of all prefixes
		at     []vtime.Duration // at which each session begins
		turns  int              // of the first, a minute apart
		ttl    llm.TTL
		reads  bool // all but the first
		want   Met
	}{
		{"the second reads what the first one wrote", 2000, []vtime.Duration{0, vtime.Minute}, 1, llm.TTL5m, true, Met{Found: 1}},
		{"what is not read was not readable yet", 2000, []vtime.Duration{0, vtime.Second}, 1, llm.TTL5m, false, Met{}},
		{"six minutes later it has expired", 2000, []vtime.Duration{0, 6 * vtime.Minute}, 1, llm.TTL5m, false, Met{Expired: 1}},
		{"of an hour that is not the reason", 2000, []vtime.Duration{0, 6 * vtime.Minute}, 1, llm.TTL1h, false, Met{}},
		{"nor where a longer prefix was used since", 2000, []vtime.Duration{0, 6 * vtime.Minute}, 3, llm.TTL5m, false, Met{}},
		{"nobody can read what is too short", 900, []vtime.Duration{0, 6 * vtime.Minute}, 1, llm.TTL5m, false, Met{}},
		{"each is of the one before", 2000, []vtime.Duration{0, 6 * vtime.Minute, 12 * vtime.Minute}, 1, llm.TTL5m, false, Met{Expired: 2}},
	} {
		var b llm.Builder
		var s Sessions
		front := b.Append(b.Border(b.Border(b.Root(llm.Scope{Model: model}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{}), llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "front")})
		for i, at := range c.at {
			s.Emit(&transcript.Event{Agent: int32(i), Body: &transcript.AgentStart{Lineage: fmt.Sprintf("s%02d", i+1)}})
			head := front
			for turn := range max(1, c.turns*(1-min(i, 1))) {
				now := at + vtime.Duration(turn)*vtime.Minute
				body := &transcript.Response{Resp: &llm.Response{Started: vtime.Instant(0).Add(now)}}
				if i > 0 && c.reads {
					body.Resp.Cache.ReadTo = front
				}
				s.Emit(&transcript.Event{Agent: int32(i), Body: &transcript.Request{Call: turn, Head: head, Model: model, Breakpoints: []llm.Breakpoint{{Node: head, TTL: c.ttl}}}})
				s.Emit(&transcript.Event{Agent: int32(i), Body: body})
				head = b.Append(head, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, strings.Repeat("more ", turn+1))})
			}
		}
		count := func(string, *llm.Node) int64 { return c.tokens }
		if got := s.Met(count); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}
