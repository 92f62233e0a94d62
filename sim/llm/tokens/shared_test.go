package tokens

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/llm"

	"pgregory.net/rapid"
)

func TestConformanceShared(t *testing.T) {
	t.Run("CON-06 records hold for every conversation that begins with the prefix, in whatever order they come and are asked for", rapid.MakeCheck(sharedLaw))
	t.Run("CON-06 a prefix recorded with two counts is refused, with both", twoRecords)
	t.Run("CON-06 what is remembered of prefixes without a count is bounded", boundedNear)
}

// branches draws a conversation and others that leave it somewhere.
func branches(t *rapid.T) (chains [][]*llm.Node) {
	trunk := drawChain(t)
	chains = append(chains, trunk)
	var b llm.Builder
	for range rapid.IntRange(1, 3).Draw(t, "branches") {
		from := rapid.SampledFrom(chains).Draw(t, "of")
		at := len(from) - 1 - rapid.IntRange(0, len(from)/2).Draw(t, "back")
		for from[at].Level != llm.Messages {
			at++
		}
		next := slices.Clone(from[:at+1])
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			text := llm.NewText(llm.Prose, strings.Repeat("x ", rapid.IntRange(0, 300).Draw(t, "size")))
			next = append(next, b.Append(next[len(next)-1], llm.User, &llm.Block{Kind: llm.Text, Content: text}))
		}
		chains = append(chains, next)
	}
	return chains
}

func sharedLaw(t *rapid.T) {
	chains, base := branches(t), drawCounts(t)
	r := &Records{}
	c := &Recorded{Base: base, Records: r}
	exact := map[llm.Hash]int64{}
	for range rapid.IntRange(1, 5).Draw(t, "calls") {
		chain := rapid.SampledFrom(chains).Draw(t, "chain")
		at := map[int]int64{}
		for range rapid.IntRange(1, 3).Draw(t, "counts") {
			n := rapid.SampledFrom(chain).Draw(t, "block")
			if !n.IsBorder() {
				at[int(n.Pos)] = c.At(n) + rapid.Int64Range(-20, 200).Draw(t, "off")
			}
		}
		before := maps.Clone(r.at)
		if r.Set(chain[len(chain)-1], at) != nil {
			if !maps.Equal(before, r.at) {
				t.Fatal("refused, yet recorded")
			}
		} else {
			for _, n := range chain {
				if k, ok := at[int(n.Pos)]; ok && !n.IsBorder() {
					exact[n.Hash] = k
				}
			}
		}
		checkShared(t, chains, c, exact)
	}
}

// checkShared asks for the counts of all chains, twice: of records that
// remember what was looked through, and of ones that do not.
func checkShared(t *rapid.T, chains [][]*llm.Node, c *Recorded, exact map[llm.Hash]int64) {
	fresh := &Recorded{Base: c.Base, Records: &Records{at: c.Records.at}}
	for _, chain := range chains {
		checkMonotone(t, chain, c)
		for _, n := range chain {
			fresh.Records.near = map[llm.Hash]*llm.Node{}
			if c.At(n) != fresh.At(n) || c.Err(n) != fresh.Err(n) {
				t.Fatalf("position %d: %d tokens, looked up anew %d", n.Pos, c.At(n), fresh.At(n))
			}
			if k, ok := exact[n.Hash]; ok && (c.At(n) != k || c.Err(n) != 0) {
				t.Fatalf("position %d: %d ± %d tokens, recorded %d", n.Pos, c.At(n), c.Err(n), k)
			}
		}
	}
}

func twoRecords(t *testing.T) {
	nodes := conversation(2)
	head := nodes[len(nodes)-1]
	var r Records
	if err := r.Set(head, map[int]int64{3: 1000, 6: 6000}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   map[int]int64
		want string
	}{
		{map[int]int64{3: 1001}, "recorded count at position 3: 1001 tokens, but the same prefix was recorded with 1000 before"},
		{map[int]int64{5: 6001}, "recorded count at position 5: 6001 tokens is more than the 6000 recorded behind it"},
		{map[int]int64{2: 500, 4: 999}, "recorded count at position 4: 999 tokens is less than the 1000 at position 3"},
	} {
		if err := r.Set(head, c.at); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s…", c.at, err, c.want)
		}
	}
	if err := r.Set(head, map[int]int64{3: 1000, 4: 1000, 6: 6000}); err != nil {
		t.Errorf("said again: %v", err)
	}
}

func boundedNear(t *testing.T) {
	nodes := conversation(1)
	var r Records
	c := &Recorded{Base: For("claude-sonnet-4-6", Options{}), Records: &r}
	if err := r.Set(nodes[0], map[int]int64{1: 1000}); err != nil {
		t.Fatal(err)
	}
	var b llm.Builder
	n := nodes[len(nodes)-1]
	for range 3 * nearMost {
		n = b.Append(n, llm.User, &llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "more")})
		c.At(n)
	}
	if len(r.near) > nearMost {
		t.Errorf("%d prefixes are remembered", len(r.near))
	}
}
