package audit

import "agentsim/sim/llm"

// places finds the places of cache entries by the hashes of their prefixes: a table
// with linear probing, whose slots hold half of the hash beside the place. It is a
// third of a map's size, and each request looks for a prefix that is not there. The half
// says where a slot belongs, so that a larger table is made from one end to the other.
type places struct {
	slots []uint64 // half of the hash, and the place + 1; 0 is free. A power of two.
	n     int
}

// half is what a slot holds of a hash.
const half = 32

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
func (p *places) slot(h llm.Hash) *uint64 { return &p.slots[h.Lo>>half&uint64(len(p.slots)-1)] }

// find is where the list has the entry of a prefix, -1 for nowhere, and the slot at
// which the search has ended.
func (p *places) find(list *entries, h llm.Hash) (at int32, slot uint64) {
	mask := uint64(len(p.slots) - 1)
	i := h.Lo >> half & mask
	for ; p.slots[i] != 0; i = (i + 1) & mask {
		if at := placeIn(p.slots[i]); p.slots[i]>>half == h.Lo>>half && list.at(at).hash == h {
			return at, i
		}
	}
	return -1, i
}

func placeIn(slot uint64) int32 { return int32(uint32(slot)) - 1 }

// add notes the place of a new entry, whose search has ended at a slot.
func (p *places) add(h llm.Hash, at int32, slot uint64) {
	if p.n++; 2*p.n > len(p.slots) {
		p.fill(2*len(p.slots), nil)
		slot = h.Lo >> half
	}
	p.put(h.Lo&^(1<<half-1)|uint64(at+1), slot)
}

// put notes a place at the slot i, or at the next that is free.
func (p *places) put(slot, i uint64) {
	mask := uint64(len(p.slots) - 1)
	for i &= mask; p.slots[i] != 0; {
		i = (i + 1) & mask
	}
	p.slots[i] = slot
}

// fill makes a table of so many slots, without those of entries that a list does not
// hold any more.
func (p *places) fill(slots int, list *entries) {
	was := p.slots
	p.slots = make([]uint64, slots)
	for _, slot := range was {
		switch {
		case slot == 0:
		case list != nil && !list.at(placeIn(slot)).held:
			p.n--
		default:
			p.put(slot, slot>>half)
		}
	}
}
