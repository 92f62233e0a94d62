package script

import (
	"errors"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/scenarios"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/rng"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	counter := tokens.Approx("claude-sonnet-4-5")
	t.Run("LLM-06 filler has exactly the size asked for, by the run's counter", rapid.MakeCheck(func(t *rapid.T) {
		f := NewFiller(counter)
		class := rapid.SampledFrom([]llm.Class{llm.Prose, llm.Code, llm.JSON}).Draw(t, "class")
		n := rapid.Int64Range(0, 70_000).Draw(t, "tokens")
		p := f.Text(class, n)
		if got := counter.Tokens(p.Measure()); got != n {
			t.Fatalf("%d tokens of %s asked for, %d made", n, class, got)
		}
		if p != f.Text(class, n) || !strings.HasPrefix(f.String(class, n+100), p.Raw()) {
			t.Fatal("equal sizes are not one payload, or a longer one begins otherwise")
		}
		// It was not escaped anew, and is what escaping gives.
		for _, p := range []*llm.Payload{p, f.Behind("Call 12, \"quoted\".\n", n)} {
			made, whole := llm.Block{Content: p}, llm.Block{Content: llm.NewText(p.Class(), p.Raw())}
			if made.Measure() != whole.Measure() || string(made.AppendJSON(nil)) != string(whole.AppendJSON(nil)) {
				t.Fatalf("%d tokens of %s are escaped or measured otherwise", n, class)
			}
		}
	}))
	t.Run("SCN-01 content is split into the blocks asked for, and nothing of it is lost", rapid.MakeCheck(func(t *rapid.T) {
		f := NewFiller(counter)
		c := &scenarios.Content{Blocks: rapid.IntRange(1, 12).Draw(t, "blocks")}
		want := int64(0)
		if rapid.Bool().Draw(t, "literal") {
			c.Text = rapid.StringN(c.Blocks, 80, -1).Draw(t, "text")
		} else {
			want = rapid.Int64Range(50, 5000).Draw(t, "tokens")
			c.Tokens = scenarios.Size{Lo: want, Hi: want, Set: true}
		}
		got, text := int64(0), ""
		parts := f.Content(c, rng.Root(1))
		for _, p := range parts {
			got, text = got+counter.Tokens(p.Measure()), text+p.Raw()
		}
		if c.Text != "" && text != strings.ToValidUTF8(c.Text, "\uFFFD") || c.Text == "" && (got != want || len(parts) != c.Blocks) {
			t.Fatalf("%+v became %d parts of %d tokens: %q", c, len(parts), got, text)
		}
	}))
	t.Run("LLM-06 MCP-05 prose within something larger is as long as the whole has to be", func(t *testing.T) {
		f := NewFiller(counter)
		whole := func(text string) llm.Measure {
			return llm.NewJSON(`{"name":"mcp__a__tool_12","description":"` + text + `"}`).Measure()
		}
		for _, n := range []int64{1, 40, 350, 5000} {
			got := f.Tokens(whole(f.Whole(n, whole)))
			if least := f.Tokens(whole("")); got != max(n, least) {
				t.Errorf("%d tokens are asked for, %d came", n, got)
			}
		}
	})
	t.Run("LLM-06 a drawn size belongs to its key and keeps its bounds", rapid.MakeCheck(func(t *rapid.T) {
		lo := rapid.Int64Range(0, 1000).Draw(t, "lo")
		s := scenarios.Size{Lo: lo, Hi: lo + rapid.Int64Range(0, 1000).Draw(t, "span"), Set: true}
		key := rng.Root(rapid.Uint64().Draw(t, "seed"))
		if n := Draw(s, key, 0); n < s.Lo || n > s.Hi || n != Draw(s, key, 0) {
			t.Fatalf("%+v drew %d", s, n)
		}
	}))
	t.Run("LLM-02 scripts and other sources mix by agent", func(t *testing.T) {
		f := NewFiller(counter)
		turn := scenarios.Turn{Text: &scenarios.Content{Text: "scripted"}}
		book, err := NewBook([]scenarios.Script{{Agent: "main/*", Turns: []scenarios.Turn{turn}}}, f)
		if err != nil {
			t.Fatal(err)
		}
		s := mockllm.Sources{book, says("policy")}
		for lineage, want := range map[string]string{"main": "policy", "main/1.1": "scripted"} {
			var a mockllm.Answer
			a.Reset()
			if err := s.Answer(&mockllm.Query{Stream: llm.StreamName{Lineage: lineage}}, &a); err != nil || a.Blocks[0].Content.Raw() != want {
				t.Errorf("%s: %v %v, want %s", lineage, a.Blocks, err, want)
			}
		}
	})
	t.Run("CON-15 an agent that nobody speaks for is named, with the scripts there are and what to write", func(t *testing.T) {
		var scripts []scenarios.Script
		for _, agent := range []string{"main", "main/1.*", "b", "c", "d", "e", "f", "g", "h"} {
			scripts = append(scripts, scenarios.Script{Agent: agent, Turns: []scenarios.Turn{{Text: &scenarios.Content{Text: "x"}}}})
		}
		for _, c := range []struct {
			scripts []scenarios.Script
			want    string
		}{
			{nil, "no script speaks for main/2.1, there are none: add a script with agent: main/2.1, or with a pattern such as main/*"},
			{scripts[:2], "no script speaks for main/2.1, there are scripts for main, main/1.*: add a script with agent: main/2.1, or with a pattern such as main/*"},
			{scripts, "no script speaks for main/2.1, there are scripts for main, main/1.*, b, c, d, e, f, g and 1 more: add a script with agent: main/2.1, or with a pattern such as main/*"},
		} {
			book, err := NewBook(c.scripts, NewFiller(counter))
			if err != nil {
				t.Fatal(err)
			}
			var a mockllm.Answer
			err = mockllm.Sources{book}.Answer(&mockllm.Query{Stream: llm.StreamName{Lineage: "main/2.1"}}, &a)
			if !errors.Is(err, mockllm.ErrNotMine) || err.Error() != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
	})
	t.Run("LLM-09 a scripted answer has thinking, text and tool uses in order, with ids of its own call", func(t *testing.T) {
		turn := scenarios.Turn{Thinking: &scenarios.Content{Tokens: scenarios.Size{Lo: 5, Hi: 9, Set: true}}, Text: &scenarios.Content{Text: "now"},
			Tools: []scenarios.ToolTurn{{Name: "Read", Raw: `{"b":1,"a":2}`}, {Name: "Read", Raw: `{}`}}, Stop: "tool_use"}
		book, err := NewBook([]scenarios.Script{{Agent: "main", Turns: []scenarios.Turn{turn, turn}}}, NewFiller(counter))
		if err != nil {
			t.Fatal(err)
		}
		ids := map[llm.ToolUseID]bool{}
		for call := range 2 {
			var a mockllm.Answer
			a.Reset()
			if err := book.Answer(&mockllm.Query{Stream: llm.StreamName{Lineage: "main", Call: call}, Settings: llm.Settings{Thinking: llm.ThinkingAdaptive}}, &a); err != nil {
				t.Fatal(err)
			}
			b := a.Blocks
			if len(b) != 4 || b[0].Kind != llm.Thinking || b[1].Kind != llm.Text || b[2].Content.Raw() != `{"b":1,"a":2}` || a.Stop != llm.StopToolUse {
				t.Fatalf("answer %+v", a)
			}
			ids[b[2].ID], ids[b[3].ID] = true, true
		}
		if len(ids) != 4 {
			t.Errorf("%d ids for four tool uses", len(ids))
		}
	})
	t.Run("LLM-02 a bad pattern or stop reason is refused with its script and turn", func(t *testing.T) {
		fine := scenarios.Script{Agent: "main/*", Turns: []scenarios.Turn{{}}}
		for _, c := range []struct {
			bad        scenarios.Script
			path, says string
		}{
			{scenarios.Script{Agent: "["}, "answers[1]", `script "[": `},
			{scenarios.Script{Agent: "main", Turns: []scenarios.Turn{{}, {Stop: "tired"}}}, "answers[1].turns[1]", `script "main", turn 2: `},
		} {
			_, err := NewBook([]scenarios.Script{fine, c.bad}, NewFiller(counter))
			if e, ok := err.(*BookError); !ok || e.Path() != c.path || !strings.HasPrefix(e.Error(), c.says) {
				t.Errorf("%+v: %v", c.bad, err)
			}
		}
	})
	t.Run("LLM-02 CON-15 a call that its turn does not fit says which script and turn, counted from 1", func(t *testing.T) {
		turns := []scenarios.Turn{{Text: &scenarios.Content{Text: "one"}}, {Contains: "magic", Text: &scenarios.Content{Text: "two"}}, {Counts: map[int]int64{-1: 10}}}
		book, err := NewBook([]scenarios.Script{{Agent: "main/*"}, {Agent: "main", Turns: turns}}, NewFiller(counter))
		if err != nil {
			t.Fatal(err)
		}
		for call, want := range []string{1: `answers[1].turns[1] script "main", turn 2: the request of main does not contain "magic"`,
			2: `answers[1].turns[2] script "main", turn 3: the turn gives counts alone`,
			3: `answers[1] script "main" has 3 turns, and main makes call 4: `} {
			if want == "" {
				continue
			}
			var a mockllm.Answer
			a.Reset()
			err := book.Answer(&mockllm.Query{Stream: llm.StreamName{Lineage: "main", Call: call}}, &a)
			if at, ok := err.(interface{ Path() string }); !ok || !strings.HasPrefix(at.Path()+" "+err.Error(), want) {
				t.Errorf("call %d: %v, want %s", call, err, want)
			}
		}
	})
}

type says string

func (s says) Answer(_ *mockllm.Query, a *mockllm.Answer) error {
	a.Say(llm.Text, llm.NewText(llm.Prose, string(s)))
	return nil
}
