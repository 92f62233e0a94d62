package cachemodel

// SGLangPolicy is which unlocked leaf goes first.
type SGLangPolicy uint8

// The policies of the server, its default first.
const (
	SGLangLRU      SGLangPolicy = iota // used longest ago
	SGLangLFU                          // stored by the fewest requests, then used longest ago
	SGLangFIFO                         // made first
	SGLangMRU                          // used last
	SGLangFILO                         // made last
	SGLangPriority                     // lowest priority, then used longest ago
)

var sglangPolicies = [...]string{"lru", "lfu", "fifo", "mru", "filo", "priority"}

func (p SGLangPolicy) String() string { return sglangPolicies[p] }

// before reports whether a goes before b. No two nodes are equal, since no two
// were made at once.
func (p SGLangPolicy) before(a, b *sglangNode) bool {
	switch p {
	case SGLangFIFO:
		return a.made < b.made
	case SGLangFILO:
		return a.made > b.made
	case SGLangMRU:
		return older(b, a)
	case SGLangLFU:
		if a.hits != b.hits {
			return a.hits < b.hits
		}
	case SGLangPriority:
		if a.priority != b.priority {
			return a.priority < b.priority
		}
	}
	return older(a, b)
}

func older(a, b *sglangNode) bool {
	if a.used != b.used {
		return a.used < b.used
	}
	return a.made < b.made
}

// sglangHeap holds the leaves that may be evicted, the next one first. The
// server builds it anew at each eviction; kept up to date it has the same order.
type sglangHeap struct {
	policy SGLangPolicy
	nodes  []*sglangNode
	made   uint64 // nodes made so far
}

func (h *sglangHeap) put(i int, n *sglangNode) {
	h.nodes[i] = n
	n.place = i
}

func (h *sglangHeap) push(n *sglangNode) {
	h.nodes = append(h.nodes, n)
	h.put(len(h.nodes)-1, n)
	h.moved(n)
}

func (h *sglangHeap) remove(n *sglangNode) {
	last := len(h.nodes) - 1
	moved := h.nodes[last]
	h.put(n.place, moved)
	h.nodes[last] = nil
	h.nodes = h.nodes[:last]
	n.place = none
	if moved != n {
		h.moved(moved)
	}
}

// moved puts a node that is in the heap to its place.
func (h *sglangHeap) moved(n *sglangNode) {
	if n.place == none {
		return
	}
	i := n.place
	for i > 0 && h.policy.before(n, h.nodes[(i-1)/2]) {
		h.put(i, h.nodes[(i-1)/2])
		i = (i - 1) / 2
	}
	for {
		kid := 2*i + 1
		if kid+1 < len(h.nodes) && h.policy.before(h.nodes[kid+1], h.nodes[kid]) {
			kid++
		}
		if kid >= len(h.nodes) || !h.policy.before(h.nodes[kid], n) {
			break
		}
		h.put(i, h.nodes[kid])
		i = kid
	}
	h.put(i, n)
}
