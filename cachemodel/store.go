package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// A store holds cache entries as a radix tree over prefix hashes.
//
// A place is a prefix that ends an entry, is to end one, or at which entries branch. Its edge
// is the list of hashes from just below its parent to itself, so an entry that
// comes to stand between two others finds its children without asking how many
// siblings they have. The index knows each place by its own hash and by the
// first hash of its edge.
type store struct {
	index   index
	classes [ttlClasses]class
	due     dueHeap
	path    []llm.Hash // scratch of climb
	slab    []place    // unused end of the current slab
	places  int        // in that slab
	hashes  []llm.Hash // unused end of the current chunk of edges
	chunk   int        // hashes in that
}

type place struct {
	hash     llm.Hash
	edge     []llm.Hash
	parent   *place
	first    *place // child
	next     *place // sibling
	back     *place // sibling
	lease    [ttlClasses]lease
	tokens   int64 // of the prefix, when it was first written
	written  vtime.Instant
	readable vtime.Instant
	awaited  int32 // entries that requests on their way are to make here
}

func newStore(late vtime.Duration) *store {
	s := &store{index: newIndex()}
	for c := range s.classes {
		s.classes[c] = class{life: llm.TTL(c).Duration() + late, gen: 1}
	}
	return s
}

// at is the place of a prefix, nil when there is none.
func (s *store) at(h llm.Hash) *place {
	if p := s.index.get(h); p != nil && p.hash == h {
		return p
	}
	return nil
}

// alive is the place of a prefix that an entry ends, nil when there is none.
func (s *store) alive(h llm.Hash) *place {
	if p := s.at(h); p != nil && p.live() {
		return p
	}
	return nil
}

func (p *place) live() bool { return p.lease[llm.TTL5m].on || p.lease[llm.TTL1h].on }

// place finds or makes the place of the prefix that ends with n. It walks up
// only to the first prefix that the store knows.
func (s *store) place(n *llm.Node) *place {
	above := s.climb(n)
	path := s.path
	if len(path) == 0 {
		return above
	}
	if above == nil || above.edge[0] != path[len(path)-1] {
		return s.grow(above, path)
	}
	// The path enters above's edge and leaves it, or ends, before its end.
	k := 1
	for k < len(path) && above.edge[k] == path[len(path)-1-k] {
		k++
	}
	mid := s.split(above, k)
	if k == len(path) {
		return mid
	}
	return s.grow(mid, path[:len(path)-k])
}

// climb collects in s.path, deepest first, the hashes from n up to the first
// one that the index knows. It returns the place that ends there, or whose edge
// begins there, and then that hash is part of the path; nil at the root.
func (s *store) climb(n *llm.Node) *place {
	s.path = s.path[:0]
	for ; n != nil; n = n.Parent {
		if n.IsBorder() {
			continue
		}
		p := s.index.get(n.Hash)
		if p != nil && p.hash == n.Hash {
			return p
		}
		s.path = append(s.path, n.Hash)
		if p != nil {
			return p
		}
	}
	return nil
}

// grow makes the place that ends path, deepest first, below parent.
func (s *store) grow(parent *place, path []llm.Hash) *place {
	p := s.newPlace()
	p.hash = path[0]
	p.edge = s.newEdge(len(path))
	for i, h := range path {
		p.edge[len(path)-1-i] = h
	}
	s.hang(p, parent)
	s.index.set(p.hash, p)
	if len(path) > 1 {
		s.index.set(p.edge[0], p)
	}
	return p
}

// split puts a place behind the first k hashes of p's edge.
func (s *store) split(p *place, k int) *place {
	mid := s.newPlace()
	mid.hash, mid.edge = p.edge[k-1], p.edge[:k:k]
	s.unhang(p)
	s.hang(mid, p.parent)
	p.edge = p.edge[k:]
	s.hang(p, mid)
	s.index.set(mid.edge[0], mid)
	s.index.set(mid.hash, mid)
	s.index.set(p.edge[0], p)
	return mid
}

// prune forgets p, and what stands above it, as far as it holds no entry, none is to
// come and nothing hangs on it.
func (s *store) prune(p *place) {
	for p != nil && p.first == nil && !p.live() && p.awaited == 0 {
		up := p.parent
		s.unhang(p)
		s.index.remove(p.edge[0])
		s.index.remove(p.hash)
		p = up
	}
}

func (s *store) hang(p, parent *place) {
	p.parent, p.back, p.next = parent, nil, nil
	if parent == nil {
		return
	}
	if p.next = parent.first; p.next != nil {
		p.next.back = p
	}
	parent.first = p
}

func (s *store) unhang(p *place) {
	if p.next != nil {
		p.next.back = p.back
	}
	switch {
	case p.back != nil:
		p.back.next = p.next
	case p.parent != nil:
		p.parent.first = p.next
	}
}

// Slabs are small at first, since most runs have few conversations, and grow twofold.
const (
	fewPlaces, slabPlaces = 4, 32
	fewHashes, slabHashes = 32, 256
)

func (s *store) newPlace() *place {
	if len(s.slab) == 0 {
		s.places = min(max(2*s.places, fewPlaces), slabPlaces)
		s.slab = make([]place, s.places)
	}
	p := &s.slab[0]
	s.slab = s.slab[1:]
	return p
}

// newEdge takes short edges from a shared chunk and makes long ones their own.
func (s *store) newEdge(n int) []llm.Hash {
	if n > slabHashes/8 {
		return make([]llm.Hash, n)
	}
	if len(s.hashes) < n {
		s.chunk = min(max(2*s.chunk, fewHashes), slabHashes)
		s.hashes = make([]llm.Hash, s.chunk)
	}
	e := s.hashes[:n:n]
	s.hashes = s.hashes[n:]
	return e
}
