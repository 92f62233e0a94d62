package llm

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestPart(t *testing.T) {
	t.Run("CLI-05 two requests part at the first byte in which they differ", rapid.MakeCheck(func(t *rapid.T) {
		b := &Builder{}
		first := parsedRequest(t, b, "first")
		second := parsedRequest(t, b, "second")
		p := Part(first, second)
		x, y := AppendPrefix(nil, first), AppendPrefix(nil, second)
		shared := 0
		for shared < len(x) && shared < len(y) && x[shared] == y[shared] {
			shared++
		}
		switch {
		case p.Common == nil:
			t.Fatal("equal scopes and settings share at least the root")
		case p.A == nil && p.B == nil && !bytes.Equal(x, y):
			t.Fatalf("called equal:\n%s\n%s", x, y)
		case p.A == nil && p.Common.Bytes != int64(len(x)), p.B == nil && p.Common.Bytes != int64(len(y)):
			t.Fatalf("one ends at byte %d of\n%s\n%s", p.Common.Bytes, x, y)
		case p.A != nil && p.B != nil && p.Common.Bytes+p.At != int64(shared):
			t.Fatalf("part at byte %d, not %d of\n%s\n%s", p.Common.Bytes+p.At, shared, x, y)
		}
	}))
	t.Run("CLI-05 requests under other settings share nothing", func(t *testing.T) {
		b := &Builder{}
		p := Part(b.Root(Scope{Model: "a"}, Salts{}), b.Root(Scope{Model: "b"}, Salts{}))
		if p.Common != nil || p.A == nil || p.B == nil {
			t.Fatalf("%+v", p)
		}
	})
}

// parsedRequest draws a short request of few words, so that two often share a
// prefix.
func parsedRequest(t *rapid.T, b *Builder, label string) *Node {
	word := rapid.SampledFrom([]string{"alpha", "alpine", "beta"})
	n := b.Border(b.Root(Scope{}, Salts{}), System, Salts{})
	if rapid.Bool().Draw(t, label+" system") {
		n = b.Append(n, NoRole, &Block{Kind: Text, Content: NewText(Prose, word.Draw(t, label+" prompt"))})
	}
	n = b.Border(n, Messages, Salts{})
	for i := range rapid.IntRange(0, 4).Draw(t, label+" messages") {
		role := User
		if i%2 == 1 {
			role = Assistant
		}
		n = b.Append(n, role, &Block{Kind: Text, Content: NewText(Prose, word.Draw(t, label+" said"))})
	}
	return n
}
