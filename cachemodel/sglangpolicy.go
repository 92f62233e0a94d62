package cachemodel

import "container/heap"

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

// sglangHeap holds the leaves that may be evicted, the next one first, as package
// heap keeps it. The server builds it anew at each eviction; kept up to date it has
// the same order.
type sglangHeap struct {
	policy SGLangPolicy
	nodes  []*sglangNode
	made   uint64 // nodes made so far
}

func (h *sglangHeap) Len() int           { return len(h.nodes) }
func (h *sglangHeap) Less(i, j int) bool { return h.policy.before(h.nodes[i], h.nodes[j]) }

func (h *sglangHeap) Swap(i, j int) {
	h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i]
	h.nodes[i].place, h.nodes[j].place = i, j
}

// Push appends a node.
func (h *sglangHeap) Push(x any) {
	n := x.(*sglangNode)
	n.place = len(h.nodes)
	h.nodes = append(h.nodes, n)
}

// Pop removes the last node.
func (h *sglangHeap) Pop() any {
	n := h.nodes[len(h.nodes)-1]
	n.place = none
	h.nodes = h.nodes[:len(h.nodes)-1]
	return n
}

// moved puts a node whose order has changed to its place, if it is in the heap.
func (h *sglangHeap) moved(n *sglangNode) {
	if n.place != none {
		heap.Fix(h, n.place)
	}
}
