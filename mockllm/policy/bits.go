package policy

import "math/bits"

// set is an immutable set of small numbers; the first 64 cost no allocation.
type set struct {
	lo uint64
	hi []uint64 // never changed once stored
}

func (s set) has(i int) bool {
	if i < 64 {
		return s.lo>>i&1 != 0
	}
	w := i/64 - 1
	return w < len(s.hi) && s.hi[w]>>(i%64)&1 != 0
}

// with is s and i.
func (s set) with(i int) set {
	switch {
	case s.has(i):
	case i < 64:
		s.lo |= 1 << i
	default:
		s.hi = s.room(i/64, true)
		s.hi[i/64-1] |= 1 << (i % 64)
	}
	return s
}

// without is s but for i.
func (s set) without(i int) set {
	switch {
	case !s.has(i):
	case i < 64:
		s.lo &^= 1 << i
	default:
		s.hi = s.room(i/64, false)
		s.hi[i/64-1] &^= 1 << (i % 64)
	}
	return s
}

// room is a copy of hi with at least n words when grow is set.
func (s set) room(n int, grow bool) []uint64 {
	if !grow || n < len(s.hi) {
		n = len(s.hi)
	}
	out := make([]uint64, n)
	copy(out, s.hi)
	return out
}

// or is the union.
func (s set) or(o set) set {
	s.lo |= o.lo
	for i, w := range o.hi {
		if i >= len(s.hi) || s.hi[i]|w != s.hi[i] {
			s.hi = s.room(len(o.hi), true)
			for j, v := range o.hi {
				s.hi[j] |= v
			}
			break
		}
	}
	return s
}

// minus is s without what is in o.
func (s set) minus(o set) set {
	s.lo &^= o.lo
	for i, w := range s.hi {
		if i < len(o.hi) && w&o.hi[i] != 0 {
			s.hi = s.room(0, false)
			for j := range min(len(s.hi), len(o.hi)) {
				s.hi[j] &^= o.hi[j]
			}
			break
		}
	}
	return s
}

func (s set) len() int {
	n := bits.OnesCount64(s.lo)
	for _, w := range s.hi {
		n += bits.OnesCount64(w)
	}
	return n
}

// list appends the members in order.
func (s set) list(dst []int) []int {
	for w := s.lo; w != 0; w &= w - 1 {
		dst = append(dst, bits.TrailingZeros64(w))
	}
	for i, word := range s.hi {
		for w := word; w != 0; w &= w - 1 {
			dst = append(dst, (i+1)*64+bits.TrailingZeros64(w))
		}
	}
	return dst
}
