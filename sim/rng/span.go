package rng

import "math/bits"

// Span is a time, in nanoseconds: literal where Lo is Hi and there is no Dist,
// else drawn from a Dist whose parameters are microseconds, else uniform from Lo
// to Hi in a thousand steps.
//
// A draw is a factor, which knows no time, multiplied with a duration. So spans
// whose durations are k times as long draw times exactly k times as long, from the
// same key (KRN-09). For that a drawn span's durations are whole microseconds and
// the factors thousandths.
type Span struct {
	Lo, Hi int64
	Dist   *Dist
}

// Micro is a microsecond, the unit of a drawn span's durations.
const Micro = 1000

// thousand is one, as a factor.
const thousand = 1000

// Literal reports whether the span is always the same.
func (s *Span) Literal() bool { return s.Dist == nil && s.Lo == s.Hi }

// Draw is the key's time.
func (s *Span) Draw(key Key) int64 {
	switch {
	case s.Literal():
		return s.Lo
	case s.Dist == nil:
		return s.Lo + (s.Hi-s.Lo)/Micro*key.Between(0, thousand)
	case s.Dist.Shape == Empirical:
		return between(s.Dist.Points, key.Between(0, Millionth-1))
	}
	return min(max(product(s.Dist.A, s.Dist.times(thousand, key)), s.Lo), s.Hi)
}

// between is the time at p millionths, on the straight line between two points, in
// thousandths of their distance.
func between(points []Quantile, p int64) int64 {
	i := segment(points, p)
	a, b := points[i-1], points[i]
	share := (p - a.P) * thousand / (b.P - a.P)
	return a.Value*Micro + (b.Value-a.Value)*share
}

// product is a × b of numbers from zero; what cannot be held is the largest.
func product(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}
