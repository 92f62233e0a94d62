package toevents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/recording/judge"
	"agentsim/sim/recording/toevents"
	"agentsim/sim/transcript"

	"github.com/cockroachdb/datadriven"
)

// TestStories runs the commands
//
//	events   the canonical lines of a session's run
//	blocks   each request's prompt, block by block: up to where it was read,
//	         what was written, and how many blocks it shares with the request before
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
				s := parseSession(t, d.Input)
				var out strings.Builder
				var sink transcript.Sink = transcript.NewText(&out)
				if d.Cmd == "blocks" {
					sink = &prompts{out: &out, before: map[int32]*llm.Node{}}
				}
				if err := toevents.Emit(s, judge.Classify(s), sink); err != nil {
					return err.Error() + "\n"
				}
				return out.String()
			})
		})
	})
}

// prompts prints the prompts of a run.
type prompts struct {
	out    *strings.Builder
	before map[int32]*llm.Node
	head   *llm.Node
}

func (p *prompts) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.Request:
		shared := int32(0)
		if n := llm.Common(p.before[e.Agent], b.Head); n != nil {
			shared = n.Pos
		}
		fmt.Fprintf(p.out, "agent %d call %d, %d of its blocks shared\n", e.Agent, b.Call, shared)
		p.head, p.before[e.Agent] = b.Head, b.Head
	case *transcript.Response:
		fmt.Fprintf(p.out, "  %s\n", blocksOf(p.head))
		c := b.Resp.Cache
		fmt.Fprintf(p.out, "  read %d to %s, wrote %d to %s%s\n", b.Resp.Usage.Read, position(c.ReadTo), b.Resp.Usage.Written(), position(c.WrittenTo), missed(c.Miss))
	}
}

func position(n *llm.Node) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(n.Pos)
}

func missed(m llm.Miss) string {
	if m.Reason == llm.NotMissed {
		return ""
	}
	return fmt.Sprintf(", lost %d: %s", m.Lost, m.Reason)
}
