package audit

import "agentsim/sim/llm"

// places finds the places of cache entries by the hashes of their prefixes: a table
// with linear probing, whose slots hold half of the hash beside the place. It is a
// third of a map's size, and each request looks for a prefix that is not there.
type places struct {
	slots []uint64 // half of the hash, and the place + 1; 0 is free. A power of two.
	n     int
}

// entries are many, in parts that stay where they are as they become more.
type entries struct {
	parts []*[inPart]entry
	n     int32
}

// inPart is small: most runs have few.
const inPart = 1 << 6

func (l *entries) at(i int32) *entry { return &l.parts[uint32(i)/inPart][uint32(i)%inPart] }

// more is the place of one more.
func (l *entries) more() int32 {
	if int(l.n) == len(l.parts)*inPart {
		l.parts = append(l.parts, new([inPart]entry))
	}
	l.n++
	return l.n - 1
}

// fewPlaces is how many slots a table has at least.
const fewPlaces = 256

// slot is where the search for a prefix begins.
func (p *places) slot(h llm.Hash) *uint64 { return &p.slots[h.Lo&uint64(len(p.slots)-1)] }

// find is where the list has the entry of a prefix, -1 for nowhere, and the slot at
// which the search has ended.
func (p *places) find(list *entries, h llm.Hash) (at int32, slot uint64) {
	mask := uint64(len(p.slots) - 1)
	i := h.Lo & mask
	for ; p.slots[i] != 0; i = (i + 1) & mask {
		if at := int32(uint32(p.slots[i])) - 1; p.slots[i]>>32 == h.Lo>>32 && list.at(at).hash == h {
			return at, i
		}
	}
	return -1, i
}

// add notes the place of a new entry of the list, whose search has ended at the slot.
func (p *places) add(list *entries, at int32, slot uint64) {
	if p.n++; 2*p.n > len(p.slots) {
		p.fill(list, 2*len(p.slots))
		return
	}
	p.put(list.at(at).hash.Lo, at, slot)
}

// put notes a place at the slot, or at the next that is free.
func (p *places) put(lo uint64, at int32, slot uint64) {
	mask := uint64(len(p.slots) - 1)
	slot &= mask
	for p.slots[slot] != 0 {
		slot = (slot + 1) & mask
	}
	p.slots[slot] = lo&^(1<<32-1) | uint64(at+1)
}

// fill makes a table of so many slots of the entries that the list holds.
func (p *places) fill(list *entries, slots int) {
	if slots == len(p.slots) {
		clear(p.slots)
	} else {
		p.slots = make([]uint64, slots)
	}
	p.n = 0
	for i := range list.n {
		if e := list.at(i); e.held {
			p.n++
			p.put(e.hash.Lo, i, e.hash.Lo)
		}
	}
}
