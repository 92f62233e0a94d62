package transcript

import (
	"math/bits"
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Numbers are most of a line, so they are written straight into dst, two digits
// at a time.

const hexDigits = "0123456789abcdef"

// hexPairs holds the two hex digits of every byte, decPairs the two decimal
// digits of every number below 100.
var hexPairs, decPairs = pairs(16), pairs(10)

func pairs(base int) (t [256][2]byte) {
	for i := range base * base {
		t[i] = [2]byte{hexDigits[i/base], hexDigits[i%base]}
	}
	return t
}

// extend makes dst n bytes longer; the caller fills them.
func extend(dst []byte, n int) []byte {
	if cap(dst)-len(dst) < n {
		dst = slices.Grow(dst, n)
	}
	return dst[:len(dst)+n]
}

var powers = func() (t [20]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 10
	}
	return t
}()

// digits is the number of decimal digits of v.
func digits(v uint64) int {
	n := bits.Len64(v|1) * 1233 >> 12
	if n < len(powers) && v >= powers[n] {
		n++
	}
	return max(n, 1)
}

func appendDecimal(dst []byte, v uint64) []byte {
	if v < 10 {
		return append(dst, '0'+byte(v))
	}
	dst = extend(dst, digits(v))
	i := len(dst)
	for v >= 100 {
		i -= 2
		*(*[2]byte)(dst[i:]) = decPairs[v%100]
		v /= 100
	}
	if v >= 10 {
		*(*[2]byte)(dst[i-2:]) = decPairs[v]
	} else {
		dst[i-1] = '0' + byte(v)
	}
	return dst
}

func appendSigned(dst []byte, v int64) []byte {
	if v < 0 {
		return appendDecimal(append(dst, '-'), -uint64(v))
	}
	return appendDecimal(dst, uint64(v))
}

// appendSeconds writes what vtime.Instant.AppendText does.
func appendSeconds(dst []byte, t vtime.Instant) []byte {
	ns := uint64(t)
	if t < 0 {
		dst, ns = append(dst, '-'), -ns
	}
	dst = appendDecimal(dst, ns/uint64(vtime.Second))
	frac := uint32(ns % uint64(vtime.Second))
	dst = extend(dst, len(".123456789s"))
	b := (*[11]byte)(dst[len(dst)-11:])
	b[10] = 's'
	for i := 8; i >= 2; i -= 2 {
		p := decPairs[frac%100]
		b[i], b[i+1] = p[0], p[1]
		frac /= 100
	}
	b[0], b[1] = '.', '0'+byte(frac)
	return dst
}

func appendHex(dst []byte, v uint64) []byte {
	dst = extend(dst, 16)
	b := (*[16]byte)(dst[len(dst)-16:])
	for i := 14; i >= 0; i -= 2 {
		p := hexPairs[byte(v)]
		b[i], b[i+1] = p[0], p[1]
		v >>= 8
	}
	return dst
}

func appendToolUse(dst []byte, id *llm.ToolUseID) []byte {
	dst = append(dst, "toolu_"...)
	dst = extend(dst, 2*len(id))
	b := (*[24]byte)(dst[len(dst)-24:])
	for i, c := range id {
		p := hexPairs[c]
		b[2*i], b[2*i+1] = p[0], p[1]
	}
	return dst
}
