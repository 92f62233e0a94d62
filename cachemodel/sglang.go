package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// SGLang is the radix cache of an SGLang server in small: a request reads the
// longest stored prefix and locks its path while it runs, its input and output
// are stored when it finishes, and the least recently used unlocked leaf goes
// when there is no room (CACHE-85 to CACHE-87). A node is a block, not a run of
// tokens.
type SGLang struct {
	capacity int64 // tokens; 0 is unbounded
	tokens   int64
	clock    uint64 // orders what happens at one instant
	nodes    map[llm.Hash]*radix
}

type radix struct {
	hash   llm.Hash
	parent *radix
	size   int64
	kids   int
	locks  int
	used   uint64
}

var _ Engine = (*SGLang)(nil)

// NewSGLang makes an empty cache of so many tokens; 0 is unbounded.
func NewSGLang(capacity int64) *SGLang {
	return &SGLang{capacity: capacity, nodes: map[llm.Hash]*radix{}}
}

// Tokens is how many tokens are stored.
func (e *SGLang) Tokens() int64 { return e.tokens }

// Admit reads the longest stored prefix and locks it.
func (e *SGLang) Admit(now vtime.Instant, req *Request, a *Admission) error {
	a.reset(now, req)
	a.state = admitted
	e.clock++
	var hit *radix
	for n := req.Head; n != nil; n = n.Parent {
		if n.IsBorder() {
			continue
		}
		if hit = e.nodes[n.Hash]; hit != nil {
			a.Report.ReadTo = n
			a.Usage.Read = req.Counts.At(n)
			break
		}
	}
	for r := hit; r != nil; r = r.parent {
		r.locks++
		r.used = e.clock
	}
	a.held = hit
	a.Usage.Input = a.Prompt - a.Usage.Read
	return nil
}

// Begin changes nothing in the cache.
func (e *SGLang) Begin(now vtime.Instant, a *Admission) { a.begin(now) }

// End stores what was computed and unlocks the path: input and output when the
// response is complete, the input when it broke off.
func (e *SGLang) End(_ vtime.Instant, a *Admission, how Ending, head *llm.Node, output int64) llm.Usage {
	e.clock++
	if how != Completed || head == nil {
		head = a.Request.Head
	}
	if a.state == begun {
		e.insert(head, a.Request.Counts)
	}
	hit, _ := a.held.(*radix)
	for r := hit; r != nil; r = r.parent {
		r.locks--
	}
	a.held = nil
	for e.capacity > 0 && e.tokens > e.capacity && e.evict() {
	}
	return a.settle(how, output)
}

// insert stores the path that ends with n and returns its last node.
func (e *SGLang) insert(n *llm.Node, counts llm.Counts) *radix {
	for n != nil && n.IsBorder() {
		n = n.Parent
	}
	if n == nil {
		return nil
	}
	parent := e.insert(n.Parent, counts)
	r := e.nodes[n.Hash]
	if r == nil {
		r = &radix{hash: n.Hash, parent: parent, size: counts.At(n) - counts.At(n.Parent)}
		e.nodes[n.Hash] = r
		e.tokens += r.size
		if parent != nil {
			parent.kids++
		}
	}
	r.used = e.clock
	return r
}

// evict removes the unlocked leaf that was used longest ago. No two leaves are
// equally old: what is stamped in one go lies on one path.
func (e *SGLang) evict() bool {
	var old *radix
	for _, r := range e.nodes { // order: the least by time and hash, whatever comes first
		if r.kids > 0 || r.locks > 0 {
			continue
		}
		if old == nil || r.used < old.used {
			old = r
		}
	}
	if old == nil {
		return false
	}
	delete(e.nodes, old.hash)
	e.tokens -= old.size
	if old.parent != nil {
		old.parent.kids--
	}
	return true
}

// Options lists what is smaller here than in the real server.
func (e *SGLang) Options() []string { return []string{"sglang_granularity=block"} }
