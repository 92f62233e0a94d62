package cachemodel

import "agentsim/sim/llm"

// index finds places by hash: a table with linear probing. The keys are hashes
// already, so their low bits choose the slot; this makes it three times as fast
// as a map, and a call asks it half a dozen times. Most of what it asks for is not
// there: that shows in a byte for each slot, of which many more fit into a cache.
type index struct {
	tags  []uint8 // of the keys; 0 of a free slot
	slots []slot  // a power of two, at most three quarters full
	n     int
}

type slot struct {
	key   llm.Hash
	place *place
}

const firstSlots = 64

func newIndex() index { return index{tags: make([]uint8, firstSlots), slots: make([]slot, firstSlots)} }

// tagOf is never 0.
func tagOf(h llm.Hash) uint8 { return uint8(h.Hi) | 1 }

// at is the slot of the key, or the free one where it would stand.
func (x *index) at(h llm.Hash) (i int, found bool) {
	mask, tag := len(x.tags)-1, tagOf(h)
	for i = int(h.Lo) & mask; x.tags[i] != 0; i = (i + 1) & mask {
		if x.tags[i] == tag && x.slots[i].key == h {
			return i, true
		}
	}
	return i, false
}

func (x *index) get(h llm.Hash) *place {
	if i, found := x.at(h); found {
		return x.slots[i].place
	}
	return nil
}

func (x *index) set(h llm.Hash, p *place) {
	i, found := x.at(h)
	if !found {
		if x.n++; 4*x.n > 3*len(x.slots) {
			x.resize(2 * len(x.slots))
			i, _ = x.at(h)
		}
	}
	x.tags[i], x.slots[i] = tagOf(h), slot{h, p}
}

// remove frees the key's slot and moves up the ones behind it that were pushed
// past it.
func (x *index) remove(h llm.Hash) {
	hole, found := x.at(h)
	if !found {
		return
	}
	x.n--
	mask := len(x.slots) - 1
	for i := (hole + 1) & mask; x.tags[i] != 0; i = (i + 1) & mask {
		home := int(x.slots[i].key.Lo) & mask
		if (i-home)&mask >= (i-hole)&mask {
			x.tags[hole], x.slots[hole] = x.tags[i], x.slots[i]
			hole = i
		}
	}
	x.tags[hole], x.slots[hole] = 0, slot{}
	if len(x.slots) > firstSlots && 8*x.n < len(x.slots) {
		x.resize(len(x.slots) / 2)
	}
}

func (x *index) resize(n int) {
	old := *x
	x.tags, x.slots = make([]uint8, n), make([]slot, n)
	for i, tag := range old.tags {
		if tag != 0 {
			at, _ := x.at(old.slots[i].key)
			x.tags[at], x.slots[at] = tag, old.slots[i]
		}
	}
}
