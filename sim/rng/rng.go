// Package rng gives every random choice a name.
//
// Rules:
//   - There is no shared generator. A Key is a point in a tree of names that
//     starts at the run's seed; a draw belongs to the key it was drawn from, so
//     adding an agent or a draw moves no other stream.
//   - Everything is integers; the same key gives the same number on every
//     platform.
//   - Names come from lineage (what is drawn, for whom, which attempt), never
//     from arrival order.
package rng

import (
	"encoding/binary"
	"math/bits"
)

// Key names a stream. The zero Key is the root of seed 0.
type Key struct {
	hi, lo uint64
	draws  *int64 // how much was drawn below the root; nil where nobody counts
}

// Root is the key from which all keys of a run descend.
func Root(seed uint64) Key {
	return Key{hi: mix(seed ^ 0x6a09e667f3bcc908), lo: mix(seed + 0x9e3779b97f4a7c15)}
}

// Counted is Root, and counts draws that figures can depend on: from ranges and
// distributions, and numbers that agents see in texts, whose digits are tokens.
func Counted(seed uint64, draws *int64) Key {
	k := Root(seed)
	k.draws = draws
	return k
}

// draw counts a draw.
func (k Key) draw() {
	if k.draws != nil {
		*k.draws++
	}
}

// Sub is the child key named s: Root(42).Sub("latency").
func (k Key) Sub(s string) Key {
	h := k.lo ^ (uint64(len(s)) * 0xff51afd7ed558ccd)
	i := 0
	for ; i+8 <= len(s); i += 8 {
		h = mix(h ^ le64(s[i:]))
	}
	h = mix(h ^ tail(s[i:]) ^ 0xa5a5a5a5a5a5a5a5)
	return Key{hi: mix(k.hi ^ bits.RotateLeft64(h, 32)), lo: mix(h + k.hi), draws: k.draws}
}

// At is the child key number n: Root(42).Sub("call").At(7).
func (k Key) At(n uint64) Key {
	return Key{hi: mix(k.hi + n*0xd1342543de82ef95), lo: mix(k.lo ^ mix(n+0x8cb92ba72f3d8dd7)), draws: k.draws}
}

// Uint64 is the key's own draw: the same value however often it is asked.
func (k Key) Uint64() uint64 { return mix(k.hi ^ bits.RotateLeft64(k.lo, 17)) }

// Nth is number n of a row of draws of the key, for who draws many of them: it costs a
// quarter of At(n).Uint64().
func (k Key) Nth(n uint64) uint64 { return mix(k.Uint64() + n*0x9e3779b97f4a7c15) }

// Bytes128 gives 128 bits for identifiers.
func (k Key) Bytes128() (hi, lo uint64) { return k.At(1).Seen(), k.At(2).Seen() }

// Seen is Uint64 for a text that agents see.
func (k Key) Seen() uint64 {
	k.draw()
	return k.Uint64()
}

// Between draws a whole number from lo to hi, both included, without modulo
// bias. It panics when hi < lo: a range is checked where it is read.
func (k Key) Between(lo, hi int64) int64 {
	if hi < lo {
		panic("rng: empty range")
	}
	k.draw()
	span := uint64(hi-lo) + 1
	if span == 0 {
		return int64(k.Uint64())
	}
	for n := uint64(0); ; n++ {
		x := k.At(n).Uint64()
		h, l := bits.Mul64(x, span)
		if l >= span || l >= -span%span {
			return lo + int64(h)
		}
	}
}

// Perm fills p with a permutation of 0…len(p)-1.
func (k Key) Perm(p []int) {
	for i := range p {
		p[i] = i
	}
	for i := len(p) - 1; i > 0; i-- {
		j := int(k.At(uint64(i)).Between(0, int64(i)))
		p[i], p[j] = p[j], p[i]
	}
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

func le64(s string) uint64 { return binary.LittleEndian.Uint64([]byte(s)) } // which makes no copy

// tail is a number of less than eight bytes, the first of which weighs least. Bytes that
// are taken twice stand where they stand.
func tail(s string) uint64 {
	switch n := len(s); {
	case n >= 4:
		b := []byte(s)
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(s[0]) | uint64(s[n/2])<<(8*(n/2)) | uint64(s[n-1])<<(8*(n-1))
	}
	return 0
}
