package importer

import (
	"fmt"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/recording"
	"agentsim/sim/wire"
)

// Marks (cache_control) are no part of a prompt. They say up to where it is looked up
// and written, and for how long.

// differs is how a request differs from what its predecessor let it read, the cause of
// a miss first. It is "" where the predecessor's prompt stands in front of it whole and
// its own last mark is not in front of what that left.
func differs(before, later *wire.Body) string {
	part := llm.Part(before.Head, later.Head)
	was, is := marks(before), marks(later)
	var out []*recording.Difference
	if d := parts(before, later, part); d != nil {
		out = append(out, d)
	}
	if n := unmarked(was, is, part.Common); n != nil {
		d := ofBlock(n)
		d.Unmarked = true
		at := 0
		if len(out) > 0 && out[0].Setting != "" {
			at = 1
		}
		out = slices.Insert(out, at, d)
	}
	if now, earlier := otherTTL(was, is, part.Common); now.Node != nil {
		d := ofBlock(now.Node)
		d.TTL = fmt.Sprintf("%v after %v", now.TTL, earlier)
		out = append(out, d)
	}
	if !slices.Equal(before.Betas, later.Betas) {
		out = append(out, &recording.Difference{Setting: "betas", Perhaps: true})
	}
	for _, name := range before.Beside(later) {
		out = append(out, &recording.Difference{Setting: name, Perhaps: true})
	}
	return recording.Differences(out...)
}

// ofBlock is a difference at a block, without its name, which is the user's own.
func ofBlock(n *llm.Node) *recording.Difference {
	return &recording.Difference{Level: n.Level.String(), Block: n.Pos, Role: n.Role.String(), Kind: n.Block.Kind.String()}
}

// marks are those of a body in order, the automatic one last.
func marks(b *wire.Body) []llm.Breakpoint {
	out := slices.Clip(b.Breakpoints)
	if n := block(b.Head); b.Automatic && n != nil {
		out = append(out, llm.Breakpoint{Node: n, TTL: b.AutoTTL})
	}
	return out
}

// block is the last block up to a node; nil for none.
func block(n *llm.Node) *llm.Node {
	for n != nil && n.IsBorder() {
		n = n.Parent
	}
	return n
}

// unmarked is the last block that two requests share and that the earlier one's marks
// reach, where the later one's do not; nil where they do.
func unmarked(was, is []llm.Breakpoint, shared *llm.Node) *llm.Node {
	left := block(shared)
	if left == nil || len(was) == 0 {
		return nil
	}
	if last := was[len(was)-1].Node; last.Pos <= left.Pos {
		left = last
	}
	if len(is) > 0 && is[len(is)-1].Node.Pos >= left.Pos {
		return nil
	}
	return left
}

// otherTTL is the first mark on a block that two requests share which asks for another
// lifetime than the earlier one's did, else the last one where its does.
func otherTTL(was, is []llm.Breakpoint, shared *llm.Node) (now llm.Breakpoint, earlier llm.TTL) {
	if len(was) == 0 || len(is) == 0 {
		return now, 0
	}
	for _, m := range is {
		i := slices.IndexFunc(was, func(w llm.Breakpoint) bool { return w.Node.Pos == m.Node.Pos })
		if i >= 0 && shared != nil && m.Node.Pos <= shared.Pos && was[i].TTL != m.TTL {
			return m, was[i].TTL
		}
	}
	if m, w := is[len(is)-1], was[len(was)-1]; m.TTL != w.TTL {
		return m, w.TTL
	}
	return now, 0
}
