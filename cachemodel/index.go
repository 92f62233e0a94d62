package cachemodel

import "agentsim/sim/llm"

// index finds places by hash: a table with linear probing. The keys are hashes
// already, so their low bits choose the slot; this makes it three times as fast
// as a map, and a call asks it half a dozen times.
type index struct {
	slots []slot // a power of two, at most three quarters full
	n     int
}

type slot struct {
	key   llm.Hash
	place *place // nil: free
}

const firstSlots = 64

func newIndex() index { return index{slots: make([]slot, firstSlots)} }

// at is the slot of the key, or the free one where it would stand.
func (x *index) at(h llm.Hash) int {
	mask := uint64(len(x.slots) - 1)
	i := h.Lo & mask
	for x.slots[i].place != nil && x.slots[i].key != h {
		i = (i + 1) & mask
	}
	return int(i)
}

func (x *index) get(h llm.Hash) *place { return x.slots[x.at(h)].place }

func (x *index) set(h llm.Hash, p *place) {
	i := x.at(h)
	if x.slots[i].place == nil {
		if x.n++; 4*x.n > 3*len(x.slots) {
			x.resize(2 * len(x.slots))
			i = x.at(h)
		}
	}
	x.slots[i] = slot{h, p}
}

// remove frees the key's slot and moves up the ones behind it that were pushed
// past it.
func (x *index) remove(h llm.Hash) {
	hole := x.at(h)
	if x.slots[hole].place == nil {
		return
	}
	x.n--
	mask := len(x.slots) - 1
	for i := (hole + 1) & mask; x.slots[i].place != nil; i = (i + 1) & mask {
		home := int(x.slots[i].key.Lo) & mask
		if (i-home)&mask >= (i-hole)&mask {
			x.slots[hole] = x.slots[i]
			hole = i
		}
	}
	x.slots[hole] = slot{}
	if len(x.slots) > firstSlots && 8*x.n < len(x.slots) {
		x.resize(len(x.slots) / 2)
	}
}

func (x *index) resize(n int) {
	old := x.slots
	x.slots = make([]slot, n)
	for _, s := range old {
		if s.place != nil {
			x.slots[x.at(s.key)] = s
		}
	}
}
