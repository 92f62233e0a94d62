package cachemodel

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// SGLangTree is the radix tree of an SGLang server: a node holds a run of
// tokens, a path from a root a prefix that is cached. A match or an insert that
// ends inside a node splits it; what has no room goes by whole leaves
// (CACHE-85 to CACHE-87; python/sglang/srt/mem_cache/radix_cache.py).
//
// What the source leaves to a clock is an order here: each call is one tick and
// stamps every node of its path with it, and where two nodes have one stamp the
// one that was made first is the older.
type SGLangTree struct {
	page   int
	roots  map[string]*sglangNode // by extra key
	leaves sglangHeap             // unlocked leaves
	clock  uint64
	tokens int // stored
	locked int // of these
	buf    []byte
}

// sglangNode is one node; a root holds no tokens and has no parent.
type sglangNode struct {
	parent   *sglangNode
	kids     map[uint64]*sglangNode // by pageKey of their first page
	key      []Token
	locks    int
	place    int    // in the heap; none when it is not there
	used     uint64 // tick of the last match or insert that went through it
	made     uint64
	hits     int64 // inserts that ended in it or went through it
	priority int64
}

// NewSGLangTree makes an empty tree of pages of so many tokens, at least 1, with
// a policy of eviction.
func NewSGLangTree(page int, policy SGLangPolicy) *SGLangTree {
	if page < 1 {
		panic("cachemodel: a page has at least one token")
	}
	return &SGLangTree{page: page, roots: map[string]*sglangNode{}, leaves: sglangHeap{policy: policy}}
}

// Tokens is how many tokens are stored.
func (t *SGLangTree) Tokens() int { return t.tokens }

// Locked is how many of the stored tokens no eviction may take.
func (t *SGLangTree) Locked() int { return t.locked }

// SGLangMatch is a prefix that was found, for Lock and Unlock.
type SGLangMatch struct {
	Tokens int // a multiple of the page
	last   *sglangNode
}

// root is the namespace of an extra key, such as an adapter or a salt: equal
// tokens under another key are other prefixes.
func (t *SGLangTree) root(extra string) *sglangNode {
	r := t.roots[extra]
	if r == nil {
		r = &sglangNode{place: none}
		t.roots[extra] = r
	}
	return r
}

// pageKey names the first page of tokens: a token by itself, a page by its hash.
func (t *SGLangTree) pageKey(tokens []Token) uint64 {
	if t.page == 1 {
		return tokens[0]
	}
	t.buf = t.buf[:0]
	for _, id := range tokens[:t.page] {
		t.buf = binary.LittleEndian.AppendUint64(t.buf, id)
	}
	return xxh3.Hash(t.buf)
}

// whole cuts tokens to whole pages.
func (t *SGLangTree) whole(n int) int { return n - n%t.page }

// step finds the child that tokens go on into, stamps it, and splits it where
// they part inside it. It is nil where no child has their first page.
func (t *SGLangTree) step(n *sglangNode, tokens []Token) *sglangNode {
	kid := n.kids[t.pageKey(tokens)]
	if kid == nil {
		return nil
	}
	same := t.whole(common(kid.key, tokens))
	if same == 0 {
		return nil // another page with the same hash
	}
	kid.used = t.clock
	t.leaves.moved(kid)
	if same < len(kid.key) {
		return t.split(kid, same)
	}
	return kid
}

// split puts a new node with the first tokens of n above it. It is locked as n
// is and of n's priority.
func (t *SGLangTree) split(n *sglangNode, at int) *sglangNode {
	upper := t.node(n.parent, slices.Clone(n.key[:at]))
	upper.locks, upper.hits, upper.priority = n.locks, n.hits, n.priority
	n.parent.kids[t.pageKey(n.key)] = upper
	n.key, n.parent = n.key[at:], upper
	upper.kids = map[uint64]*sglangNode{t.pageKey(n.key): n}
	return upper
}

// common is how many elements two lists begin with in common.
func common(a, b []Token) int {
	b = b[:min(len(a), len(b))]
	for i, id := range b {
		if a[i] != id {
			return i
		}
	}
	return len(b)
}

// node makes a node that is used now.
func (t *SGLangTree) node(parent *sglangNode, key []Token) *sglangNode {
	n := &sglangNode{parent: parent, key: key, place: none, used: t.clock}
	t.leaves.made++
	n.made = t.leaves.made
	return n
}

// Match finds the longest stored prefix of tokens and stamps its path.
func (t *SGLangTree) Match(extra string, tokens []Token) SGLangMatch {
	t.clock++
	m := SGLangMatch{last: t.root(extra)}
	for tokens = tokens[:t.whole(len(tokens))]; len(tokens) > 0; {
		kid := t.step(m.last, tokens)
		if kid == nil {
			break
		}
		m.last = kid
		m.Tokens += len(kid.key)
		tokens = tokens[len(kid.key):]
	}
	return m
}

// Insert stores tokens, as far as they fill pages, and returns how many of them
// were stored before. Nodes on the path have at least the given priority from
// then on.
func (t *SGLangTree) Insert(extra string, tokens []Token, priority int64) (known int) {
	t.clock++
	n := t.root(extra)
	for tokens = tokens[:t.whole(len(tokens))]; len(tokens) > 0; {
		kid := t.step(n, tokens)
		if kid == nil {
			break
		}
		kid.hits++
		kid.priority = max(kid.priority, priority)
		t.leaves.moved(kid)
		known += len(kid.key)
		n, tokens = kid, tokens[len(kid.key):]
	}
	if len(tokens) == 0 || n.kids[t.pageKey(tokens)] != nil {
		return known
	}
	leaf := t.node(n, slices.Clone(tokens))
	leaf.hits, leaf.priority = 1, priority
	if n.kids == nil {
		n.kids = map[uint64]*sglangNode{}
	}
	n.kids[t.pageKey(tokens)] = leaf
	t.tokens += len(tokens)
	t.sort(n)
	t.sort(leaf)
	return known
}

// sort puts a node among the leaves that may be evicted, or takes it out.
func (t *SGLangTree) sort(n *sglangNode) {
	may := n.parent != nil && n.locks == 0 && len(n.kids) == 0
	switch {
	case may && n.place == none:
		heap.Push(&t.leaves, n)
	case !may && n.place != none:
		heap.Remove(&t.leaves, n.place)
	}
}

// Lock keeps a prefix and all before it from eviction until Unlock.
func (t *SGLangTree) Lock(m SGLangMatch) { t.lock(m.last, 1) }

// Unlock undoes one Lock of the prefix.
func (t *SGLangTree) Unlock(m SGLangMatch) { t.lock(m.last, -1) }

func (t *SGLangTree) lock(n *sglangNode, by int) {
	for ; n.parent != nil; n = n.parent {
		was := n.locks > 0
		if n.locks += by; n.locks < 0 {
			panic("cachemodel: a prefix was unlocked more often than locked")
		}
		switch is := n.locks > 0; {
		case is && !was:
			t.locked += len(n.key)
		case was && !is:
			t.locked -= len(n.key)
		}
		t.sort(n)
	}
}

// Evict removes unlocked leaves by the policy until so many tokens are free or
// no such leaf is left, and returns how many it freed: more than asked where the
// last leaf is longer. A parent that has become an unlocked leaf is next in line
// by its own stamp.
func (t *SGLangTree) Evict(tokens int) (freed int) {
	for freed < tokens && len(t.leaves.nodes) > 0 {
		n := heap.Pop(&t.leaves).(*sglangNode)
		delete(n.parent.kids, t.pageKey(n.key))
		freed += len(n.key)
		t.tokens -= len(n.key)
		t.sort(n.parent)
	}
	return freed
}

// String prints the nodes, children below their parents in the order of their
// tokens: length, tokens, locks.
func (t *SGLangTree) String() string {
	var b strings.Builder
	for _, x := range slices.Sorted(maps.Keys(t.roots)) {
		if x != "" && len(t.roots[x].kids) > 0 {
			fmt.Fprintf(&b, "[%s]\n", x)
		}
		t.roots[x].print(&b, "")
	}
	fmt.Fprintf(&b, "%d tokens, %d locked\n", t.tokens, t.locked)
	return b.String()
}

func (n *sglangNode) print(b *strings.Builder, indent string) {
	if n.parent != nil {
		fmt.Fprintf(b, "%s%d %v locks=%d used=%d hits=%d\n", indent, len(n.key), n.key, n.locks, n.used, n.hits)
		indent += "  "
	}
	for _, k := range slices.SortedFunc(maps.Values(n.kids), func(a, b *sglangNode) int { return slices.Compare(a.key, b.key) }) {
		k.print(b, indent)
	}
}
