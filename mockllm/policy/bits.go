package policy

import "math/bits"

// set is an immutable set of small numbers; the first 64 cost no allocation.
type set struct {
	lo uint64
	hi *words // never changed once stored; nil is empty
}

// words hold the numbers from 64 on.
type words []uint64

func (s set) more() words {
	if s.hi == nil {
		return nil
	}
	return *s.hi
}

func (s set) has(i int) bool {
	if i < 64 {
		return s.lo>>i&1 != 0
	}
	w, hi := i/64-1, s.more()
	return w < len(hi) && hi[w]>>(i%64)&1 != 0
}

// with is s and i.
func (s set) with(i int) set {
	switch {
	case s.has(i):
	case i < 64:
		s.lo |= 1 << i
	default:
		hi := s.room(i / 64)
		hi[i/64-1] |= 1 << (i % 64)
		s.hi = &hi
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
		hi := s.room(0)
		hi[i/64-1] &^= 1 << (i % 64)
		s.hi = &hi
	}
	return s
}

// room is a copy of the words from 64 on, at least n of them.
func (s set) room(n int) words {
	out := make(words, max(n, len(s.more())))
	copy(out, s.more())
	return out
}

// or is the union.
func (s set) or(o set) set {
	s.lo |= o.lo
	for i, w := range o.more() {
		if mine := s.more(); i >= len(mine) || mine[i]|w != mine[i] {
			hi := s.room(len(o.more()))
			for j, v := range o.more() {
				hi[j] |= v
			}
			s.hi = &hi
			break
		}
	}
	return s
}

// minus is s without what is in o.
func (s set) minus(o set) set {
	s.lo &^= o.lo
	for i, w := range s.more() {
		if theirs := o.more(); i < len(theirs) && w&theirs[i] != 0 {
			hi := s.room(0)
			for j := range min(len(hi), len(theirs)) {
				hi[j] &^= theirs[j]
			}
			s.hi = &hi
			break
		}
	}
	return s
}

// meets reports whether the sets have a member in common.
func (s set) meets(o set) bool {
	if s.lo&o.lo != 0 {
		return true
	}
	theirs := o.more()
	for i, w := range s.more() {
		if i < len(theirs) && w&theirs[i] != 0 {
			return true
		}
	}
	return false
}

func (s set) len() int {
	n := bits.OnesCount64(s.lo)
	for _, w := range s.more() {
		n += bits.OnesCount64(w)
	}
	return n
}

// list appends the members in order.
func (s set) list(dst []int) []int {
	for w := s.lo; w != 0; w &= w - 1 {
		dst = append(dst, bits.TrailingZeros64(w))
	}
	for i, word := range s.more() {
		for w := word; w != 0; w &= w - 1 {
			dst = append(dst, (i+1)*64+bits.TrailingZeros64(w))
		}
	}
	return dst
}
