package cachemodel

import "math/bits"

// BlockCache keeps the blocks that were used last, by id: a plain LRU over
// blocks of equal size (CACHE-V1). An id stands for a block's content and for
// all that precedes it.
//
// What makes it fast: a request touches its blocks first to last, so they stand
// behind one another in the order of use, and what follows a block there is the
// first guess for the block that follows it in the next request. A request that
// is cached as a whole is found with one look into the index and a walk over
// neighbours, and goes to the end of the order with one splice, however many
// other blocks are cached. Nothing is allocated but when the cache grows.
type BlockCache struct {
	capacity int // blocks; 0 is unbounded
	index    blockIndex
	links    []link   // by number; number 0 is the ring's anchor and no block
	jumps    []uint64 // a bit for each number: what follows it is not the next number
	size     int
}

// link is a block's place in the order of use: a ring in which the anchor
// stands between the newest and the oldest.
type link struct{ before, after uint32 }

const anchor = 0

// Unbounded is the capacity of a cache that forgets nothing.
const Unbounded = 0

// NewBlockCache makes an empty cache of so many blocks, at most 2^32 − 2;
// Unbounded forgets nothing. A negative capacity is a programmer's error.
func NewBlockCache(capacity int) *BlockCache {
	if capacity < 0 || uint64(capacity) > lowHalf-1 {
		panic("cachemodel: a cache has from 1 to 2^32 - 2 blocks, or 0 for no bound")
	}
	c := &BlockCache{capacity: capacity, index: newBlockIndex(), links: make([]link, 1), jumps: make([]uint64, 1)}
	c.index.name(anchor, 0)
	return c
}

// Len is the number of blocks that are cached.
func (c *BlockCache) Len() int { return c.size }

// Touch uses the blocks in order and returns how many of them were cached. A
// block that was not is from now on, in the place of the one that was used
// longest ago when there is no room.
func (c *BlockCache) Touch(ids []uint64) (hits int) {
	for i := 0; i < len(ids); {
		first := c.index.get(ids[i])
		if first < 0 {
			c.insert(ids[i])
			i++
			continue
		}
		last, n := c.run(uint32(first), ids[i:])
		c.renew(uint32(first), last)
		hits += n
		i += n
	}
	return hits
}

// Match is how many blocks are cached from the first one on, up to the first
// that is not. It uses none of them.
func (c *BlockCache) Match(ids []uint64) int {
	for i := 0; i < len(ids); {
		n := c.index.get(ids[i])
		if n < 0 {
			return i
		}
		for i++; i < len(ids); i++ {
			same := common(c.index.keys[n+1:], ids[i:])
			if n, i = n+same, i+same; i == len(ids) {
				break
			}
			next := c.links[n].after
			if next == anchor || c.index.keys[next] != ids[i] {
				break
			}
			n = int(next)
		}
	}
	return len(ids)
}

// common is how many elements two lists begin with in common.
func common(a, b []uint64) int {
	b = b[:min(len(a), len(b))]
	for i, id := range b {
		if a[i] != id {
			return i
		}
	}
	return len(b)
}

// run follows the order of use from a block, which is ids[0], for as long as it
// is the order of ids: the last block of that run, and its length.
func (c *BlockCache) run(n uint32, ids []uint64) (last uint32, length int) {
	for i := 1; i < len(ids); i++ {
		n, i = c.stretch(n, ids, i)
		if i == len(ids) {
			break
		}
		next := c.links[n].after
		if next == anchor || c.index.keys[next] != ids[i] {
			return n, i
		}
		n = next
	}
	return n, len(ids)
}

// stretch is run as far as the blocks' numbers follow one another too, which
// they mostly do where the blocks came in one request. Nothing there depends on
// what was read before, so the processor need not wait for memory at each block.
func (c *BlockCache) stretch(n uint32, ids []uint64, i int) (uint32, int) {
	same := common(c.index.keys[n+1:], ids[i:])
	same = c.straight(int(n), same)
	return n + uint32(same), i + same
}

// straight is how many of the next blocks by number, at most so many, follow n
// in the order of use too.
func (c *BlockCache) straight(n, most int) int {
	for done := 0; done < most; {
		at := n + done
		word := c.jumps[at/64] >> (at % 64)
		if word != 0 {
			return min(most, done+bits.TrailingZeros64(word))
		}
		done += 64 - at%64
	}
	return most
}

// follow makes m follow n in the order of use.
func (c *BlockCache) follow(n, m uint32) {
	c.links[n].after, c.links[m].before = m, n
	bit := uint64(1) << (n % 64)
	if m == n+1 {
		c.jumps[n/64] &^= bit
	} else {
		c.jumps[n/64] |= bit
	}
}

// renew moves a run of the order to its end.
func (c *BlockCache) renew(first, last uint32) {
	before, after := c.links[first].before, c.links[last].after
	if after == anchor {
		return
	}
	c.follow(before, after)
	c.append(first, last)
}

// append puts a run that stands nowhere behind the newest block.
func (c *BlockCache) append(first, last uint32) {
	c.follow(c.links[anchor].before, first)
	c.follow(last, anchor)
}

// insert caches a block that is not, in the oldest one's place when the cache
// is full.
func (c *BlockCache) insert(id uint64) {
	n := uint32(len(c.links))
	if c.size == c.capacity && c.capacity != Unbounded {
		n = c.links[anchor].after
		c.index.remove(int(n))
		c.index.name(int(n), id)
		c.index.set(int(n))
		c.renew(n, n)
		return
	}
	c.size++
	c.links = append(c.links, link{})
	if len(c.links) > 64*len(c.jumps) {
		c.jumps = append(c.jumps, 0)
	}
	c.index.name(int(n), id)
	c.index.set(int(n))
	c.append(n, n)
}
