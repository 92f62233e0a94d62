package oracle

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
)

// SGLang is the radix tree once more, as a list of nodes that know their whole
// prefix. Everything is found by looking at every node.
type SGLang struct {
	Page   int
	Policy cachemodel.SGLangPolicy
	nodes  []*SNode
	clock  int
}

// SNode is a node: the tokens prefix[from:] behind those of its parent.
type SNode struct {
	extra      string
	prefix     []cachemodel.Token
	from       int
	locks      int
	used, made int
	hits       int
	priority   int64
}

// next is the node that the tokens behind the first at ones begin with, and how
// many they share, in whole pages.
func (s *SGLang) next(extra string, tokens []cachemodel.Token, at int) (*SNode, int) {
	for _, n := range s.nodes {
		if n.extra != extra || n.from != at || len(tokens) < at || !slices.Equal(n.prefix[:at], tokens[:at]) {
			continue
		}
		same := at
		for same+s.Page <= min(len(n.prefix), len(tokens)) && slices.Equal(n.prefix[same:same+s.Page], tokens[same:same+s.Page]) {
			same += s.Page
		}
		if same > at {
			return n, same
		}
	}
	return nil, at
}

// path stamps the nodes that hold the beginning of tokens, splits the last one
// where they part inside it, and returns them.
func (s *SGLang) path(extra string, tokens []cachemodel.Token) (path []*SNode, at int) {
	s.clock++
	tokens = tokens[:len(tokens)/s.Page*s.Page]
	for at < len(tokens) {
		n, same := s.next(extra, tokens, at)
		if n == nil {
			break
		}
		n.used = s.clock
		if same < len(n.prefix) {
			upper := *n
			upper.prefix, upper.made = n.prefix[:same], s.count()
			n.from = same
			s.nodes = append(s.nodes, &upper)
			n = &upper
		}
		path, at = append(path, n), same
	}
	return path, at
}

// count is the number of nodes made so far, one more each time.
func (s *SGLang) count() int {
	most := 0
	for _, n := range s.nodes {
		most = max(most, n.made)
	}
	return most + 1
}

// Match is how many tokens are stored, and the last node that holds them.
func (s *SGLang) Match(extra string, tokens []cachemodel.Token) (int, *SNode) {
	path, at := s.path(extra, tokens)
	if len(path) == 0 {
		return 0, nil
	}
	return at, path[len(path)-1]
}

// Insert stores tokens and returns how many were.
func (s *SGLang) Insert(extra string, tokens []cachemodel.Token, priority int64) int {
	path, at := s.path(extra, tokens)
	for _, n := range path {
		n.hits++
		n.priority = max(n.priority, priority)
	}
	if whole := len(tokens) / s.Page * s.Page; at < whole {
		s.nodes = append(s.nodes, &SNode{extra: extra, prefix: slices.Clone(tokens[:whole]), from: at,
			used: s.clock, made: s.count(), hits: 1, priority: priority})
	}
	return at
}

// Lock adds to the locks of a node and of all that precede it.
func (s *SGLang) Lock(n *SNode, by int) {
	for _, o := range s.nodes {
		if n != nil && o.extra == n.extra && len(o.prefix) <= len(n.prefix) && slices.Equal(o.prefix, n.prefix[:len(o.prefix)]) {
			o.locks += by
		}
	}
}

// Evict removes leaves until so many tokens are free.
func (s *SGLang) Evict(tokens int) (freed int) {
	for freed < tokens {
		var next *SNode
		for _, n := range s.nodes {
			if n.locks == 0 && s.leaf(n) && (next == nil || s.before(n, next)) {
				next = n
			}
		}
		if next == nil {
			break
		}
		freed += len(next.prefix) - next.from
		s.nodes = slices.DeleteFunc(s.nodes, func(n *SNode) bool { return n == next })
	}
	return freed
}

func (s *SGLang) leaf(n *SNode) bool {
	return !slices.ContainsFunc(s.nodes, func(o *SNode) bool {
		return o.extra == n.extra && o.from == len(n.prefix) && slices.Equal(o.prefix[:o.from], n.prefix)
	})
}

// before orders by the policy's figure, then by use, then by making.
func (s *SGLang) before(a, b *SNode) bool {
	figure := func(n *SNode) []int {
		switch s.Policy {
		case cachemodel.SGLangLFU:
			return []int{n.hits, n.used, n.made}
		case cachemodel.SGLangFIFO:
			return []int{n.made}
		case cachemodel.SGLangMRU:
			return []int{-n.used, -n.made}
		case cachemodel.SGLangFILO:
			return []int{-n.made}
		case cachemodel.SGLangPriority:
			return []int{int(n.priority), n.used, n.made}
		}
		return []int{n.used, n.made}
	}
	return slices.Compare(figure(a), figure(b)) < 0
}

// String prints the nodes as the tree does.
func (s *SGLang) String() string {
	nodes := slices.Clone(s.nodes)
	slices.SortFunc(nodes, func(a, b *SNode) int {
		if c := strings.Compare(a.extra, b.extra); c != 0 {
			return c
		}
		return slices.Compare(a.prefix, b.prefix)
	})
	var b strings.Builder
	extra, tokens, locked := "", 0, 0
	for _, n := range nodes {
		if n.extra != extra {
			extra = n.extra
			fmt.Fprintf(&b, "[%s]\n", extra)
		}
		above := 0
		for _, o := range nodes {
			if o.extra == n.extra && len(o.prefix) < len(n.prefix) && slices.Equal(o.prefix, n.prefix[:len(o.prefix)]) {
				above++
			}
		}
		size := len(n.prefix) - n.from
		fmt.Fprintf(&b, "%s%d %v locks=%d used=%d hits=%d\n", strings.Repeat("  ", above), size, n.prefix[n.from:], n.locks, n.used, n.hits)
		tokens += size
		if n.locks > 0 {
			locked += size
		}
	}
	fmt.Fprintf(&b, "%d tokens, %d locked\n", tokens, locked)
	return b.String()
}
