package lint

import "slices"

// Node is one block of a run's conversations as a record holds it: the block and
// the one before it. A border has no kind.
type Node struct {
	Hash, Parent string
	Block
}

// Turn is one request as a record holds it.
type Turn struct {
	Call
	Head, Answer string // hashes of nodes
}

// Assemble finds what was new in each request and what was answered, and hands
// out the calls that were answered. A fork's request has nothing new of what its
// parent's held. A history that was made anew has what differs from the one before.
func Assemble(nodes []Node, turns []Turn, agents []Agent) []Call {
	a := &assembler{nodes: map[string]*Node{}, seen: make([]map[string]bool, len(agents)), last: make([][]*Node, len(agents)), agents: agents}
	for i := range nodes {
		a.nodes[nodes[i].Hash] = &nodes[i]
	}
	var out []Call
	for i := range turns {
		t := &turns[i]
		if t.Answer == "" && t.Head == "" {
			continue
		}
		c := t.Call
		c.Said = a.said(c.Agent, t.Head)
		c.Answer = blocks(a.behind(t.Answer, t.Head))
		a.seen[c.Agent][t.Answer] = true
		a.last[c.Agent] = a.behind(t.Answer, "")
		out = append(out, c)
	}
	return out
}

type assembler struct {
	nodes  map[string]*Node
	agents []Agent
	seen   []map[string]bool // by agent: nodes that its conversation held
	last   [][]*Node         // by agent: its conversation with the latest answer
}

// said is what stands in a conversation and did not in the agent's last one.
func (a *assembler) said(agent int32, head string) []Block {
	if a.seen[agent] == nil {
		a.seen[agent] = map[string]bool{}
		if p := a.agents[agent].Parent; p >= 0 && a.agents[agent].Structure == "fork" && a.seen[p] != nil {
			for h := range a.seen[p] { // order: a set is copied
				a.seen[agent][h] = true
			}
			a.last[agent] = a.last[p]
		}
	}
	seen := a.seen[agent]
	var fresh []*Node
	n := a.nodes[head]
	for ; n != nil && n.Kind != "" && !seen[n.Hash]; n = a.nodes[n.Parent] {
		fresh = append(fresh, n)
		seen[n.Hash] = true
	}
	slices.Reverse(fresh)
	if n == nil || n.Kind == "" {
		fresh = differing(a.last[agent], fresh)
	}
	return blocks(fresh)
}

// differing is what of a conversation stands behind the part that it has in
// common with another, of equal content if not of equal hashes.
func differing(before, now []*Node) []*Node {
	i := 0
	for i < len(before) && i < len(now) && before[i].Kind == now[i].Kind && before[i].Role == now[i].Role && before[i].Text == now[i].Text {
		i++
	}
	return now[i:]
}

// behind are the nodes after one up to another.
func (a *assembler) behind(to, from string) (out []*Node) {
	for n := a.nodes[to]; n != nil && n.Kind != "" && n.Hash != from; n = a.nodes[n.Parent] {
		out = append(out, n)
	}
	slices.Reverse(out)
	return out
}

func blocks(nodes []*Node) (out []Block) {
	for _, n := range nodes {
		out = append(out, n.Block)
	}
	return out
}
