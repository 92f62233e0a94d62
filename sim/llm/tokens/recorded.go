package tokens

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
)

// Records are the exact counts of one conversation at some of its positions,
// such as a recording gives. The zero value holds none. They hold for chains
// that pass through the same nodes: a conversation whose history was rewritten
// needs new Records.
type Records struct {
	at []record // by position
}

type record struct {
	node   *llm.Node
	tokens int64
}

// Set records cumulative tokens by position, from 1, for the chain that ends
// with head. It replaces what was recorded at or behind the first position
// given. It walks from head to that position. An error says which position is
// none of the chain's or counts less than the one before; nothing is recorded
// then.
func (r *Records) Set(head *llm.Node, tokens map[int]int64) error {
	if len(tokens) == 0 {
		return nil
	}
	var found []record
	for n := head; n != nil && len(found) < len(tokens); n = n.Parent {
		if t, ok := tokens[int(n.Pos)]; ok && !n.IsBorder() {
			found = append(found, record{n, t})
		}
	}
	if len(found) < len(tokens) {
		return notFound(head, tokens)
	}
	slices.Reverse(found)
	keep, _ := slices.BinarySearchFunc(r.at, found[0].node.Pos, byPos)
	next := append(slices.Clip(r.at[:keep]), found...)
	for i := range next {
		if i > 0 && next[i].tokens < next[i-1].tokens || next[i].tokens < 0 {
			return fmt.Errorf("recorded count at position %d: %d tokens is less than at the position recorded before; counts are cumulative",
				next[i].node.Pos, next[i].tokens)
		}
	}
	r.at = next
	return nil
}

// notFound is the error for the lowest position that the chain does not have.
func notFound(head *llm.Node, tokens map[int]int64) error {
	bad := make([]int, 0, len(tokens))
	for p := range tokens {
		if p < 1 || p > int(head.Pos) {
			bad = append(bad, p)
		}
	}
	slices.Sort(bad)
	return fmt.Errorf("recorded count at position %d: the request has positions 1 to %d", bad[0], head.Pos)
}

func byPos(r record, pos int32) int { return int(r.node.Pos) - int(pos) }

// Recorded overrides Base by Records; it is an llm.Counts. At a recorded
// position the count is exact. Elsewhere what Base counts since the last
// recorded position is added to it, up to the next recorded count, so that
// counts never decrease.
type Recorded struct {
	Base    llm.Counts
	Records *Records
}

// At is the number of tokens of the prefix that ends with n.
func (r *Recorded) At(n *llm.Node) int64 {
	at := r.Records.at
	i, exact := slices.BinarySearchFunc(at, n.Pos, byPos)
	if exact {
		i++ // n is that block or a border right behind it
	}
	t := r.Base.At(n)
	if i > 0 {
		t += at[i-1].tokens - r.Base.At(at[i-1].node)
	}
	if i < len(at) {
		t = min(t, at[i].tokens)
	}
	return t
}

// Err is how far At may be off: nothing at a recorded position, else what Base
// may be off since the last one.
func (r *Recorded) Err(n *llm.Node) int64 {
	at := r.Records.at
	i, exact := slices.BinarySearchFunc(at, n.Pos, byPos)
	switch {
	case exact:
		return 0
	case i == 0:
		return r.Base.Err(n)
	}
	return max(r.Base.Err(n)-r.Base.Err(at[i-1].node), 0)
}
