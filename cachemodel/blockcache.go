package cachemodel

// BlockCache keeps the blocks that were used last, by id: a plain LRU over
// blocks of equal size (CACHE-V1). An id stands for a block's content and for
// all that precedes it. Nothing is allocated but when the cache grows.
type BlockCache struct {
	capacity int // blocks; 0 is unbounded
	numbers  map[uint64]int32
	ids      []uint64 // by number
	used     ring     // the block used longest ago is its first
}

// Unbounded is the capacity of a cache that forgets nothing.
const Unbounded = 0

// NewBlockCache makes an empty cache of so many blocks; Unbounded forgets nothing.
// A negative capacity is a programmer's error.
func NewBlockCache(capacity int) *BlockCache {
	if capacity < 0 {
		panic("cachemodel: a cache has a number of blocks, or 0 for no bound")
	}
	return &BlockCache{capacity: capacity, numbers: map[uint64]int32{}, used: newRing()}
}

// Len is the number of blocks that are cached.
func (c *BlockCache) Len() int { return len(c.ids) }

// Touch uses the blocks in order and returns how many of them were cached. A
// block that was not is from now on, in the place of the one that was used
// longest ago when there is no room.
func (c *BlockCache) Touch(ids []uint64) (hits int) {
	for _, id := range ids {
		n, cached := c.numbers[id]
		switch {
		case cached:
			hits++
			c.used.remove(n)
		case len(c.ids) == c.capacity && c.capacity != Unbounded:
			n = c.used.after(none)
			c.used.remove(n)
			delete(c.numbers, c.ids[n])
		default:
			n = int32(len(c.ids))
			c.ids = append(c.ids, id)
			c.used.grow()
		}
		c.ids[n], c.numbers[id] = id, n
		c.used.insert(n, c.used.before(none))
	}
	return hits
}

// none is no block's number.
const none = -1

// ring is an order of some blocks, by their numbers from 0 on: a circle in which
// none stands between the last and the first.
type ring []struct{ prev, next int32 } // by number + 1

func newRing() ring { return ring{{none, none}} }

// grow makes room for one more block, which does not stand in the order yet.
func (r *ring) grow() { *r = append(*r, ring{{none, none}}...) }

func (r ring) before(n int32) int32 { return r[n+1].prev }
func (r ring) after(n int32) int32  { return r[n+1].next }

// insert puts a block behind another; none makes it the first.
func (r ring) insert(n, behind int32) {
	next := r.after(behind)
	r[n+1].prev, r[n+1].next = behind, next
	r[behind+1].next, r[next+1].prev = n, n
}

// remove takes a block out of the order.
func (r ring) remove(n int32) {
	prev, next := r.before(n), r.after(n)
	r[prev+1].next, r[next+1].prev = next, prev
}
