package cachemodel

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// dueHeap is a binary heap of entries by the instant at which they may have
// expired. An item may be out of date; whoever pops it asks the entry.
type dueHeap []dueItem

type dueItem struct {
	at    vtime.Instant
	place *place
	class llm.TTL
}

func (h *dueHeap) push(it dueItem) {
	q := append(*h, it)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if q[up].at <= it.at {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = it
	*h = q
}

func (h *dueHeap) pop() dueItem {
	q := *h
	top, last := q[0], q[len(q)-1]
	q[len(q)-1] = dueItem{}
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return top
	}
	i := 0
	for {
		k := 2*i + 1
		if k >= len(q) {
			break
		}
		if k+1 < len(q) && q[k+1].at < q[k].at {
			k++
		}
		if last.at <= q[k].at {
			break
		}
		q[i] = q[k]
		i = k
	}
	q[i] = last
	return top
}
