package kernel

import (
	"math/bits"

	"agentsim/sim/vtime"
)

// Phases of an instant.
const (
	phaseProvider uint8 = 0
	phaseProcess  uint8 = 1
)

// noSlot marks the absence of a timer and the end of the free list.
const noSlot int32 = -1

// timers is a four-ary heap ordered by (instant, phase, sequence). Each entry
// has a slot, of which its place in the heap is known, so removal is real: the heap
// never holds more than what is still to come.
//
// The heap begins at root, so that the four entries below one, which are looked at
// together, are one line of 64 bytes.
type timers struct {
	heap   []entry
	slots  []slot
	places []int32 // of each slot's entry in the heap; of a free slot, the next free one plus one
	free   int32   // first free slot plus one; 0 when there is none
	seq    uint64
}

// root is the place of the first entry.
const root = 3

// entry is one heap element; key is the phase in the top bit, the sequence below, and
// the slot in the lowest bits.
type entry struct {
	at  vtime.Instant
	key uint64
}

// slot is an entry's other half, found by number.
type slot struct {
	f  Firer
	of Stepper // whose step comes then, nil for none
}

// acts is what does something when the timer is due.
func (s *slot) acts() any {
	if s.of != nil {
		return s.of
	}
	return s.f
}

// slotBits is room for more timers than memory has, and leaves the sequence numbers of
// a hundred thousand million.
const slotBits = 26

func (e entry) phase() uint8 { return uint8(e.key >> 63) }

func (e entry) slot() int32 { return int32(e.key & (1<<slotBits - 1)) }

// before is all ones if e comes before o, else 0. It does not branch, since nobody could
// guess which way.
func (e entry) before(o entry) int {
	_, less := bits.Sub64(e.key, o.key, 0)
	_, less = bits.Sub64(uint64(e.at), uint64(o.at), less)
	return -int(less)
}

// len is the number of timers.
func (t *timers) len() int { return max(len(t.heap)-root, 0) }

// first is the entry that comes first, of some.
func (t *timers) first() entry { return t.heap[root] }

func (t *timers) push(at vtime.Instant, phase uint8, f Firer) int32 {
	t.seq++
	s := t.take()
	if len(t.slots) > 1<<slotBits || t.seq >= 1<<(63-slotBits) {
		panic("kernel: more timers than can be told apart")
	}
	key := uint64(phase)<<63 | t.seq<<slotBits | uint64(s)
	t.slots[s].f = f
	if len(t.heap) == 0 {
		t.heap = append(t.heap, make([]entry, root)...)
	}
	t.heap = append(t.heap, entry{})
	t.up(len(t.heap)-1, entry{at: at, key: key})
	return s
}

// key is that of the entry of slot s; of a free slot, another one's.
func (t *timers) key(s int32) uint64 { return t.heap[min(int(t.places[s]), len(t.heap)-1)].key }

// pop removes the first entry and returns what it fires.
func (t *timers) pop() Firer {
	s := t.first().slot()
	f := t.slots[s].f
	t.remove(s)
	return f
}

// remove takes the entry of slot s out of the heap and frees the slot.
func (t *timers) remove(s int32) {
	at := int(t.places[s])
	last := len(t.heap) - 1
	moved := t.heap[last]
	t.heap = t.heap[:last]
	if at < last {
		if at > root && moved.before(t.heap[above(at)]) != 0 {
			t.up(at, moved)
		} else {
			t.down(at, moved)
		}
	}
	t.slots[s] = slot{}
	t.places[s], t.free = t.free, s+1
}

func (t *timers) take() int32 {
	if t.free == 0 {
		t.slots, t.places = append(t.slots, slot{}), append(t.places, 0)
		return int32(len(t.slots) - 1)
	}
	s := t.free - 1
	t.free = t.places[s]
	return s
}

// above is the place above one that is not the root.
func above(i int) int { return i/4 + root - 1 }

// below is the first of the four places below one.
func below(i int) int { return 4 * (i - root + 1) }

func (t *timers) place(i int, e entry) {
	t.heap[i] = e
	t.places[e.slot()] = int32(i)
}

// up places e at i or above; i is a hole.
func (t *timers) up(i int, e entry) {
	for i > root {
		up := above(i)
		if e.before(t.heap[up]) == 0 {
			break
		}
		t.place(i, t.heap[up])
		i = up
	}
	t.place(i, e)
}

// down places e at i or below; i is a hole.
func (t *timers) down(i int, e entry) {
	for k := below(i); k < len(t.heap); k = below(i) {
		if k += t.least(k); t.heap[k].before(e) == 0 {
			break
		}
		t.place(i, t.heap[k])
		i = k
	}
	t.place(i, e)
}

// least is which comes first of the entries from i on, of four at most.
func (t *timers) least(i int) int {
	if i+4 > len(t.heap) {
		of, k := t.heap[i:], 0
		for j := range of {
			k += (j - k) & of[j].before(of[k])
		}
		return k
	}
	of := (*[4]entry)(t.heap[i:])
	x, y := 1&of[1].before(of[0]), 2+1&of[3].before(of[2])
	return x + (y-x)&of[y].before(of[x])
}
