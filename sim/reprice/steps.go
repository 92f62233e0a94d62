package reprice

import (
	"cmp"
	"slices"

	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// Types of errors that say how a request ended.
const (
	aborted   = "aborted"               // by the client
	duplicate = "duplicate_request"     // the copy of one that arrived twice
	refused   = "invalid_request_error" // ahead of the cache
)

// step is an event of the run that the cache, or what an agent expects of it,
// depends on.
type step struct {
	seq   int64
	at    vtime.Instant
	birth *sqlite.Activation
	sends []int // requests that arrive, by index
	ends  int   // request that ends, by index; -1 for none
}

// steps are the run's, in order. A request that arrived twice arrives before its
// copy, which is recorded first.
func (r *Record) steps() []step {
	out := make([]step, 0, 2*len(r.sent)+len(r.births))
	for i := range r.births {
		out = append(out, step{seq: r.births[i].Seq, birth: &r.births[i], ends: -1})
	}
	second := -1
	for i := range r.sent {
		s := &r.sent[i]
		switch {
		case s.Stop == duplicate:
			second = r.original(i)
			sends := []int{i}
			if second >= 0 {
				sends = []int{second, i}
			}
			out = append(out, step{seq: s.Seq, at: s.Started, sends: sends, ends: -1})
		case !r.arrivedTwice(i):
			out = append(out, step{seq: s.Seq, at: s.Started, sends: []int{i}, ends: -1})
		}
		if s.EndedSeq > 0 {
			out = append(out, step{seq: s.EndedSeq, at: s.Ended, ends: i})
		}
	}
	slices.SortFunc(out, func(a, b step) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// beside is the next request of the agent of request i, or the one before by a step
// of -1; -1 for none.
func (r *Record) beside(i, step int) int {
	for j := i + step; j >= 0 && j < len(r.sent); j += step {
		if r.sent[j].Agent == r.sent[i].Agent {
			return j
		}
	}
	return -1
}

// original is the request that copy i is of, -1 for none: the next of its agent.
func (r *Record) original(i int) int {
	if j := r.beside(i, 1); j >= 0 && same(&r.sent[i], &r.sent[j]) {
		return j
	}
	return -1
}

// arrivedTwice reports whether the request ahead of i in its agent is i's copy.
func (r *Record) arrivedTwice(i int) bool {
	j := r.beside(i, -1)
	return j >= 0 && r.sent[j].Stop == duplicate && same(&r.sent[j], &r.sent[i])
}

func same(a, b *sqlite.Sent) bool {
	return a.Call == b.Call && a.Attempt == b.Attempt && a.Activation == b.Activation
}
