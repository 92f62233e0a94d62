package policy

import "math/bits"

// set is an immutable set of small numbers; the first 64 cost no allocation.
type set struct {
	lo uint64
	hi *words // never changed once stored; nil is empty
}

// words hold the numbers from 64 on.
type words []uint64

// word is the i-th 64 numbers.
func (s set) word(i int) uint64 {
	switch {
	case i == 0:
		return s.lo
	case s.hi == nil || i > len(*s.hi):
		return 0
	}
	return (*s.hi)[i-1]
}

// words is how many words there are.
func (s set) words() int {
	if s.hi == nil {
		return 1
	}
	return 1 + len(*s.hi)
}

// put is s with another i-th word, which costs nothing where it is the same.
func (s set) put(i int, w uint64) set {
	switch {
	case w == s.word(i):
	case i == 0:
		s.lo = w
	default:
		hi := make(words, max(i, s.words()-1))
		if s.hi != nil {
			copy(hi, *s.hi)
		}
		hi[i-1] = w
		s.hi = &hi
	}
	return s
}

func (s set) has(i int) bool { return s.word(i/64)>>(i%64)&1 != 0 }

// with is s and i.
func (s set) with(i int) set { return s.put(i/64, s.word(i/64)|1<<(i%64)) }

// without is s but for i.
func (s set) without(i int) set { return s.put(i/64, s.word(i/64)&^(1<<(i%64))) }

// or is the union.
func (s set) or(o set) set {
	for i := range o.words() {
		s = s.put(i, s.word(i)|o.word(i))
	}
	return s
}

// minus is s without what is in o.
func (s set) minus(o set) set {
	for i := range s.words() {
		s = s.put(i, s.word(i)&^o.word(i))
	}
	return s
}

// meets reports whether the sets have a member in common.
func (s set) meets(o set) bool { return s.minus(o) != s }

// both is what stands in both.
func (s set) both(o set) set { return s.minus(s.minus(o)) }

func (s set) len() int {
	n := 0
	for i := range s.words() {
		n += bits.OnesCount64(s.word(i))
	}
	return n
}

// list appends the members in order.
func (s set) list(dst []int) []int {
	for i := range s.words() {
		for w := s.word(i); w != 0; w &= w - 1 {
			dst = append(dst, i*64+bits.TrailingZeros64(w))
		}
	}
	return dst
}
