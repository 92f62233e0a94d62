package sharedprefix

import (
	"agentsim/cachemodel"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"

	"pgregory.net/rapid"
)

// world sends first requests of agents to a sink. A word of a front is a block
// of the system prompt.
type world struct {
	b llm.Builder
	s Sink
	n int32
}

func (w *world) start(parent int32, lineage, typ string, front string, said ...string) {
	b := &transcript.AgentStart{Lineage: lineage, Type: typ, Parent: parent}
	if parent >= 0 {
		b.ToolUse[0] = 1
	}
	w.s.Emit(&transcript.Event{Agent: w.n, Body: b})
	n := w.b.Border(w.b.Root(llm.Scope{Model: "claude-sonnet-4-5"}, llm.Salts{}), llm.System, llm.Salts{})
	for word := range strings.FieldsSeq(front) {
		n = w.b.Append(n, 0, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, word)})
	}
	mark := n
	n = w.b.Border(n, llm.Messages, llm.Salts{})
	for _, text := range said {
		n = w.b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, text)})
	}
	w.s.Emit(&transcript.Event{Agent: w.n, Body: &transcript.Request{Head: n, Model: "claude-sonnet-4-5", Breakpoints: []llm.Breakpoint{{Node: mark}}}})
	w.n++
}

// run is a run whose main agent starts children with these fronts, two of each
// type t0, t1, …
func run(fronts ...string) *Record {
	w := &world{}
	w.start(-1, "main", "main", "m", "go")
	for i, f := range fronts {
		for j := range 2 {
			w.start(0, fmt.Sprintf("main/1.%d%d", i, j), fmt.Sprintf("t%d", i), f, "context", fmt.Sprint("part", j))
		}
	}
	return w.s.Record()
}

// losses counts what Compare calls lost, by kind.
func losses(before, after *Record) map[string]int {
	out := map[string]int{}
	for _, f := range Compare(before, after, cachemodel.Lookup) {
		out[f.Kind]++
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Run("CLI-05 equal runs have no findings, and neither has one that was written and read again", same)
	t.Run("CLI-05 a word changed in the fronts of all that share it loses nothing; in one of two it does", changed)
	t.Run("CLI-05 whatever a record's text is, reading it gives an error or a record that can be compared", hostile)
	t.Run("CLI-05 of many children the one that shares least decides", least)
}

func drawFronts(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.StringMatching(`[ab]( [ab]){0,4}`), 1, 4).Draw(t, "fronts")
}

func same(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fronts := drawFronts(t)
		a, b := run(fronts...), run(fronts...)
		text, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		c := &Record{}
		if err := errors.Join(json.Unmarshal(text, c), c.Check()); err != nil {
			t.Fatal(err)
		}
		if f := Compare(a, b, cachemodel.Lookup); f != nil {
			t.Fatalf("equal runs: %+v", f)
		}
		if f := Compare(a, c, cachemodel.Lookup); f != nil {
			t.Fatalf("read again: %+v", f)
		}
	})
}

func changed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		front := rapid.StringMatching(`[ab]( [ab]){1,6}`).Draw(t, "front")
		words := strings.Fields(front)
		i := rapid.IntRange(0, len(words)-1).Draw(t, "word")
		words[i] = "changed"
		other := strings.Join(words, " ")
		shorter := strings.Join(append(append([]string{}, words[:i]...), words[i+1:]...), " ")
		before := run(front, front)
		for _, both := range []string{other, shorter} {
			if got := losses(before, run(both, both)); len(got) > 0 {
				t.Fatalf("%q became %q for both: %v", front, both, got)
			}
		}
		if got := losses(before, run(front, other)); got["definitions"] != 1 || len(got) != 1 {
			t.Fatalf("%q became %q for one: %v", front, other, got)
		}
	})
}

func hostile(t *testing.T) {
	good, err := json.Marshal(run("a b", "a c"))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(string(good))
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]byte(`0123456789-,:{}[]"x`)).Draw(t, "byte")
		}
		r := &Record{}
		if json.Unmarshal(text, r) == nil && r.Check() == nil {
			Compare(r, run("a b"), cachemodel.Lookup)
			Compare(run("a b"), r, cachemodel.Lookup)
		}
	})
}

func least(t *testing.T) {
	build := func(odd int) *Record {
		w := &world{}
		w.start(-1, "main", "main", "m", "go")
		for i := range 6 {
			front := "a b c"
			if i == odd {
				front = "a x c"
			}
			w.start(0, fmt.Sprintf("main/1.%d", i), "t", front, fmt.Sprint("part", i))
		}
		return w.s.Record()
	}
	for odd := range 6 {
		found := Compare(build(-1), build(odd), cachemodel.Lookup)
		if len(found) == 0 || found[0].Kind != "siblings" || found[0].At.Block != 2 {
			t.Errorf("child %d differs: %+v", odd, found)
		}
	}
}
