package cachemodel

import (
	"agentsim/sim/ahead"
	"agentsim/sim/llm"
)

// Lead fetches what Begin touches beside the admission.
func (a *Admission) Lead() {
	for i := range a.marks[:a.n] {
		ahead.Fetch(a.marks[i].at, 4)
	}
	for i := range a.uses {
		ahead.Fetch(a.uses[i].at, 4)
	}
}

// lead fetches what of the index answers for the last blocks of a request: mostly the
// last two are new, and the one before them was marked last time.
func (x *index) lead(n *llm.Node) {
	for range 3 {
		if n == nil {
			return
		}
		i := int(n.Hash.Lo) & (len(x.tags) - 1)
		ahead.Fetch(&x.tags[i], 1)
		ahead.Fetch(&x.slots[i], 1)
		n = n.Parent
	}
}
