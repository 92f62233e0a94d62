package kernel

import "agentsim/sim/vtime"

// Phases of an instant.
const (
	phaseProvider uint8 = 0
	phaseProcess  uint8 = 1
)

// noSlot marks the absence of a timer and the end of the free list.
const noSlot int32 = -1

// timers is a four-ary heap ordered by (instant, phase, sequence). Each entry
// has a slot that knows its place in the heap, so removal is real: the heap
// never holds more than what is still to come.
type timers struct {
	heap  []entry
	slots []slot
	free  int32 // first free slot plus one; 0 when there is none
	seq   uint64
}

// entry is one heap element; key is the phase in the top bit, the sequence below.
type entry struct {
	at   vtime.Instant
	key  uint64
	slot int32
}

// slot is an entry's other half, found by number. For a free slot pos is the
// next free one plus one.
type slot struct {
	f   Firer
	key uint64
	pos int32
}

func (e entry) before(o entry) bool {
	return e.at < o.at || e.at == o.at && e.key < o.key
}

func (e entry) phase() uint8 { return uint8(e.key >> 63) }

func (t *timers) push(at vtime.Instant, phase uint8, f Firer) int32 {
	t.seq++
	s := t.take()
	key := uint64(phase)<<63 | t.seq
	t.slots[s] = slot{f: f, key: key}
	t.heap = append(t.heap, entry{})
	t.up(len(t.heap)-1, entry{at: at, key: key, slot: s})
	return s
}

// pop removes the first entry and returns what it fires.
func (t *timers) pop() Firer {
	s := t.heap[0].slot
	f := t.slots[s].f
	t.remove(s)
	return f
}

// remove takes the entry of slot s out of the heap and frees the slot.
func (t *timers) remove(s int32) {
	pos := int(t.slots[s].pos)
	last := len(t.heap) - 1
	moved := t.heap[last]
	t.heap = t.heap[:last]
	if pos < last {
		if pos > 0 && moved.before(t.heap[(pos-1)/4]) {
			t.up(pos, moved)
		} else {
			t.down(pos, moved)
		}
	}
	t.slots[s] = slot{pos: t.free}
	t.free = s + 1
}

func (t *timers) take() int32 {
	if t.free == 0 {
		t.slots = append(t.slots, slot{})
		return int32(len(t.slots) - 1)
	}
	s := t.free - 1
	t.free = t.slots[s].pos
	return s
}

func (t *timers) place(i int, e entry) {
	t.heap[i] = e
	t.slots[e.slot].pos = int32(i)
}

// up places e at i or above; i is a hole.
func (t *timers) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(t.heap[parent]) {
			break
		}
		t.place(i, t.heap[parent])
		i = parent
	}
	t.place(i, e)
}

// down places e at i or below; i is a hole.
func (t *timers) down(i int, e entry) {
	n := len(t.heap)
	for first := 4*i + 1; first < n; first = 4*i + 1 {
		least := first
		for c := first + 1; c < min(first+4, n); c++ {
			if t.heap[c].before(t.heap[least]) {
				least = c
			}
		}
		if !t.heap[least].before(e) {
			break
		}
		t.place(i, t.heap[least])
		i = least
	}
	t.place(i, e)
}
