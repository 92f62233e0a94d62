package cachemodel

// blockIndex finds the number of a block by its key, a 64-bit id or hash: a
// table with linear probing whose slots hold half of the key's hash beside the
// number, so that a probe that misses looks at no key, and moving a slot needs
// none. Numbers are chosen by the owner, small and dense.
type blockIndex struct {
	keys  []uint64 // by number
	slots []uint64 // upper 32 bits of the key's hash, then the number + 1; 0: free
	shift uint     // 64 − log2 of the number of slots
	n     int
}

const firstBlockSlots = 64

func newBlockIndex() blockIndex {
	return blockIndex{slots: make([]uint64, firstBlockSlots), shift: 64 - 6}
}

const lowHalf = 1<<32 - 1

// mix64 spreads a key over all 64 bits (the finaliser of splitmix64); it is
// one to one.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// get is the number of the block with the key, or -1.
func (x *blockIndex) get(key uint64) int {
	h := mix64(key)
	mask := uint64(len(x.slots) - 1)
	for i := h >> x.shift; ; i = (i + 1) & mask {
		s := x.slots[i]
		if s == 0 {
			return -1
		}
		if s>>32 == h>>32 {
			if n := int(s&lowHalf) - 1; x.keys[n] == key {
				return n
			}
		}
	}
}

// name gives block n its key, without making it findable.
func (x *blockIndex) name(n int, key uint64) {
	for len(x.keys) <= n {
		x.keys = append(x.keys, 0)
	}
	x.keys[n] = key
}

// set makes block n findable by its key, which no other block may be.
func (x *blockIndex) set(n int) {
	if x.n++; 4*x.n > 3*len(x.slots) {
		x.grow()
	}
	h := mix64(x.keys[n])
	x.place(h>>32<<32 | uint64(n+1))
}

func (x *blockIndex) place(s uint64) {
	mask := uint64(len(x.slots) - 1)
	i := s >> x.shift
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = s
}

// remove makes block n, which was findable, so no longer, and moves up the
// slots behind it that were pushed past it.
func (x *blockIndex) remove(n int) {
	mask := uint64(len(x.slots) - 1)
	hole := mix64(x.keys[n]) >> x.shift
	for x.slots[hole]&lowHalf != uint64(n+1) {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; x.slots[i] != 0; i = (i + 1) & mask {
		home := x.slots[i] >> x.shift
		if (i-home)&mask >= (i-hole)&mask {
			x.slots[hole] = x.slots[i]
			hole = i
		}
	}
	x.slots[hole] = 0
	x.n--
}

func (x *blockIndex) grow() {
	old := x.slots
	x.slots = make([]uint64, 2*len(old))
	x.shift--
	for _, s := range old {
		if s != 0 {
			x.place(s)
		}
	}
}
