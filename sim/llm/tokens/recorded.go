package tokens

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
)

// Records are exact counts of prefixes, such as a recording gives. The zero
// value holds none. A count belongs to a prefix, by its hash, and holds for
// every conversation that begins with it: the one it came with, its forks, and
// another root that sends the same bytes.
type Records struct {
	at map[llm.Hash]record
	// near remembers the last recorded block up to which a prefix was looked
	// through, until the next count is recorded.
	near map[llm.Hash]*llm.Node
}

// nearMost bounds what is remembered; what is forgotten is looked for again.
const nearMost = 1 << 12

// record is what is known of one prefix.
type record struct {
	tokens int64 // exact: its count; else the most it can have, for what is longer was recorded
	exact  bool
}

// Set records cumulative tokens by position, from 1, for the chain that ends
// with head. It walks from head to the last block recorded before the first
// position given. An error says which position is none of the chain's, has
// another count already, or counts less than one before it or more than one
// behind it; nothing is recorded then.
func (r *Records) Set(head *llm.Node, tokens map[int]int64) error {
	if len(tokens) == 0 {
		return nil
	}
	found := make([]*llm.Node, 0, len(tokens))
	for n := head; n != nil && len(found) < len(tokens); n = n.Parent {
		if _, ok := tokens[int(n.Pos)]; ok && !n.IsBorder() {
			found = append(found, n)
		}
	}
	if len(found) < len(tokens) {
		return notFound(head, tokens)
	}
	slices.Reverse(found)
	if err := r.check(found, tokens); err != nil {
		return err
	}
	if r.at == nil {
		r.at, r.near = map[llm.Hash]record{}, map[llm.Hash]*llm.Node{}
	}
	for _, n := range found {
		r.enter(n, tokens[int(n.Pos)])
	}
	return nil
}

// check refuses counts that contradict each other or what was recorded before.
// found are the blocks in order.
func (r *Records) check(found []*llm.Node, tokens map[int]int64) error {
	least, from := int64(0), int32(0)
	for _, n := range found {
		if p := r.before(n.Parent); p != nil && p.Pos > from {
			least, from = r.at[p.Hash].tokens, p.Pos
		}
		t := tokens[int(n.Pos)]
		if t < least {
			return fmt.Errorf("recorded count at position %d: %d tokens is less than the %d at position %d; counts are cumulative", n.Pos, t, least, from)
		}
		least, from = t, n.Pos
		switch old, ok := r.at[n.Hash]; {
		case ok && old.exact && old.tokens != t:
			return fmt.Errorf("recorded count at position %d: %d tokens, but the same prefix was recorded with %d before; a prefix has one count", n.Pos, t, old.tokens)
		case ok && old.tokens < t:
			return fmt.Errorf("recorded count at position %d: %d tokens is more than the %d recorded behind it; counts are cumulative", n.Pos, t, old.tokens)
		}
	}
	return nil
}

// enter records one count and bounds those of the blocks before it.
func (r *Records) enter(n *llm.Node, tokens int64) {
	if old, ok := r.at[n.Hash]; ok && old.exact {
		return
	}
	clear(r.near)
	r.at[n.Hash] = record{tokens, true}
	for n = n.Parent; n != nil; n = n.Parent {
		old, ok := r.at[n.Hash]
		if ok && (old.exact || old.tokens <= tokens) {
			return
		}
		r.at[n.Hash] = record{tokens: tokens}
	}
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

// before is the last recorded block of the prefix that ends with n, or nil.
func (r *Records) before(n *llm.Node) *llm.Node {
	if len(r.at) == 0 {
		return nil
	}
	from := n
	for ; n != nil; n = n.Parent {
		if r.at[n.Hash].exact {
			break
		}
		if known, ok := r.near[n.Hash]; ok {
			n = known
			break
		}
	}
	if from != nil {
		if len(r.near) >= nearMost {
			clear(r.near)
		}
		r.near[from.Hash] = n
	}
	return n
}

// Recorded overrides Base by Records; it is an llm.Counts. At a recorded
// position the count is exact. Elsewhere what Base counts since the last
// recorded position is added to it, up to what was recorded behind it, so that
// counts never decrease.
type Recorded struct {
	Base    llm.Counts
	Records *Records
}

// At is the number of tokens of the prefix that ends with n.
func (r *Recorded) At(n *llm.Node) int64 {
	own, ok := r.Records.at[n.Hash]
	if own.exact {
		return own.tokens
	}
	t := r.Base.At(n)
	if from := r.Records.before(n); from != nil {
		t += r.Records.at[from.Hash].tokens - r.Base.At(from)
	}
	if ok {
		t = min(t, own.tokens)
	}
	return t
}

// Err is how far At may be off: nothing at a recorded position, else what Base
// may be off since the last one.
func (r *Recorded) Err(n *llm.Node) int64 {
	from := r.Records.before(n)
	if from == nil {
		return r.Base.Err(n)
	}
	return max(r.Base.Err(n)-r.Base.Err(from), 0)
}
