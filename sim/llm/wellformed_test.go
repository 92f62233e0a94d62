package llm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

func TestWellFormed(t *testing.T) {
	story(t, "LOOP-04-well-formed", wellFormedStory())
	t.Run("LOOP-04 looking at the new nodes only finds what looking at all of them does", rapid.MakeCheck(sinceLaw))
	t.Run("LOOP-04 a request of a kind of block where it may not stand is refused", wrongPlaces)
	t.Run("LOOP-04 the check of a further turn looks at its own nodes and allocates nothing", sinceIsCheap)
}

// script appends messages written one a line: a role and its blocks, `text`,
// `thinking`, `use:N` or `result:N`.
func script(b *Builder, n *Node, lines string) *Node {
	for line := range strings.Lines(lines) {
		words := strings.Fields(line)
		role := User
		if words[0] == "assistant" {
			role = Assistant
		}
		for _, w := range words[1:] {
			n = b.Append(n, role, scriptBlock(w))
		}
	}
	return n
}

func scriptBlock(w string) *Block {
	name, num, _ := strings.Cut(w, ":")
	var id ToolUseID
	if num != "" {
		fmt.Sscan(num, &id[0])
	}
	switch name {
	case "use":
		return &Block{Kind: ToolUse, ID: id, Name: "T", Content: NewJSON("{}")}
	case "result":
		return &Block{Kind: ToolResult, ID: id, Content: NewText(Code, "r")}
	case "thinking":
		return &Block{Kind: Thinking, Content: NewText(Prose, "t")}
	}
	return &Block{Kind: Text, Content: NewText(Prose, w)}
}

func messagesBorder(b *Builder) *Node {
	return b.Border(b.Border(b.Root(testScope, testSalts), System, testSalts), Messages, testSalts)
}

// wellFormedStory: `request` checks the messages of the input; `then` those of
// the last request and the input, behind the last request only, and prints what
// the check of everything says if that differs.
func wellFormedStory() func(t *testing.T, d *datadriven.TestData) string {
	var b Builder
	var last *Node
	verdict := func(err error) string {
		if err != nil {
			return err.Error()
		}
		return "ok"
	}
	return func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd == "request" {
			last = script(&b, messagesBorder(&b), d.Input)
			return verdict(WellFormedSince(last, nil)) + "\n"
		}
		since := last
		last = script(&b, since, d.Input)
		since2, all := verdict(WellFormedSince(last, since)), verdict(WellFormedSince(last, nil))
		if since2 != all {
			return fmt.Sprintf("since: %s\nall: %s\n", since2, all)
		}
		return since2 + "\n"
	}
}

// sinceLaw: over conversations that are well-formed up to some request and then
// go on at random, both checks agree.
func sinceLaw(t *rapid.T) {
	var b Builder
	n := script(&b, messagesBorder(&b), "user text")
	for range rapid.IntRange(0, 3).Draw(t, "turns") {
		n = script(&b, n, rapid.SampledFrom([]string{
			"assistant text use:1\nuser result:1", "assistant use:1 use:2\nuser result:2 result:1 text", "assistant text\nuser text",
		}).Draw(t, "turn"))
	}
	since := n
	if err := WellFormedSince(since, nil); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 6).Draw(t, "further blocks") {
		role := rapid.SampledFrom([]string{"user", "assistant"}).Draw(t, "role")
		word := rapid.SampledFrom([]string{"text", "use:1", "use:2", "result:1", "result:2", "thinking"}).Draw(t, "block")
		n = script(&b, n, role+" "+word)
	}
	quick, whole := WellFormedSince(n, since), WellFormedSince(n, nil)
	if (quick == nil) != (whole == nil) {
		t.Fatalf("behind position %d: %v; everything: %v; %s", since.Pos, quick, whole, AppendPrefix(nil, n))
	}
	if other := script(&b, messagesBorder(&b), "user other"); (WellFormedSince(n, other) == nil) != (whole == nil) {
		t.Fatal("a node of another chain hides what is wrong")
	}
}

func wrongPlaces(t *testing.T) {
	var b Builder
	root := b.Root(testScope, testSalts)
	text := scriptBlock("text")
	def := &Block{Kind: ToolDef, Content: NewJSON(`{"name":"T"}`)}
	finish := func(n *Node) *Node {
		for n.Level != Messages {
			n = b.Border(n, n.Level+1, testSalts)
		}
		return script(&b, n, "user text")
	}
	system := b.Border(root, System, testSalts)
	border := b.Border(system, Messages, testSalts)
	for _, c := range []struct {
		what string
		n    *Node
	}{
		{"text among tools", finish(b.Append(root, NoRole, text))},
		{"a definition in the system prompt", finish(b.Append(system, NoRole, def))},
		{"a definition in a message", b.Append(border, User, def)},
		{"no messages", border},
		{"no messages at all", system},
	} {
		if WellFormedSince(c.n, nil) == nil {
			t.Errorf("%s passes", c.what)
		}
	}
	for _, n := range []*Node{root, border} {
		role := User
		if n == border {
			role = NoRole
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("role %v at %v is accepted", role, n.Level)
				}
			}()
			b.Append(n, role, text)
		}()
	}
}

func sinceIsCheap(t *testing.T) {
	for _, turns := range []int{1, 1000} {
		var b Builder
		n := script(&b, messagesBorder(&b), "user text")
		for range turns {
			n = script(&b, n, "assistant use:1\nuser result:1")
		}
		since := n
		// What stands before since is wrong now; a check that looked at it would
		// say so.
		spoilt := since.Parent.Block
		since.Parent.Block = scriptBlock("result:7")
		n = script(&b, n, "assistant text use:1 use:2\nuser result:1 result:2")
		if err := WellFormedSince(n, since); err != nil {
			t.Errorf("after %d turns: looked behind since: %v", turns, err)
		}
		since.Parent.Block = spoilt
		if got := testing.AllocsPerRun(100, func() { _ = WellFormedSince(n, since) }); got != 0 {
			t.Errorf("after %d turns: %v allocations", turns, got)
		}
	}
}
