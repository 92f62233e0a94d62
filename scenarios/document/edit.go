package document

// With is a copy of a mapping with a value for a key, without the key where the
// value is nil.
func (n *Node) With(key string, val *Node) *Node {
	out := *n
	out.Pairs = append([]Pair(nil), n.Pairs...)
	p := Pair{Key: key, Pos: n.Pos}
	if val != nil {
		p.Pos = val.Pos
	}
	out.put(p, val)
	return &out
}

// Listing is a list of nodes in the place of a node.
func (n *Node) Listing(items []*Node) *Node { return &Node{Kind: List, Pos: n.Pos, Items: items} }
