package llm

// Parting is where two requests stop being one prefix.
type Parting struct {
	Common *Node // the last node that both share, of the first one; nil when scope or settings differ from the start
	A, B   *Node // what follows it in each; nil where that request ends there
	// At is the first byte in which A and B differ, counted from where they begin with
	// what opens their message or level; -1 when at least one of them ends there.
	At int64
}

// Part finds where two requests part. It takes time for the blocks behind the
// shared part only.
func Part(a, b *Node) Parting {
	p := Parting{Common: Common(a, b), At: -1}
	p.A, p.B = follower(a, p.Common), follower(b, p.Common)
	if p.A == nil || p.B == nil {
		return p
	}
	x, y := AppendDelta(nil, p.A), AppendDelta(nil, p.B)
	n := int64(min(len(x), len(y)))
	for p.At = 0; p.At < n && x[p.At] == y[p.At]; p.At++ {
	}
	return p
}

// follower is the node of a chain whose parent has common's hash; the root when
// nothing is common, and nil when the chain ends there.
func follower(n, common *Node) *Node {
	if common != nil && n.Hash == common.Hash {
		return nil
	}
	for n.Parent != nil && (common == nil || n.Parent.Hash != common.Hash) {
		n = n.Parent
	}
	return n
}
