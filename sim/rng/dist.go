package rng

import (
	"math/bits"
	"sort"
)

// Shape says which distribution a Dist is.
type Shape uint8

// The distributions.
const (
	Lognormal   Shape = iota + 1 // A: median; B: sigma of the logarithm, in thousandths
	Exponential                  // A: mean
	Gamma                        // A: scale; B: shape, in halves
	Empirical                    // Points
)

// Bounds of the parameters.
const (
	MaxSigma  = 5_000     // thousandths
	MaxHalves = 128       // of a gamma's shape
	Millionth = 1_000_000 // quantiles are counted in these
)

// Quantile is a point of an empirical distribution: a share P of all draws, in
// millionths, is at most Value.
type Quantile struct{ P, Value int64 }

// Dist is a distribution of whole numbers, drawn by integer inverse-CDF tables, so
// that every platform draws the same ones. What falls outside Lo and Hi is drawn
// as the nearer of them. Parameters are at least 1; Points go from P 0 to P
// Millionth, both rising.
//
// The tables hold quantiles on a grid that is finer the rarer they are, down to
// 1 in 2³³, with straight lines between: within 0.1 % of the distribution. A test
// makes them again with gonum and compares.
type Dist struct {
	Shape  Shape
	A, B   int64
	Lo, Hi int64
	Points []Quantile
}

// Draw is the key's number.
func (d *Dist) Draw(key Key) int64 {
	if d.Shape == Empirical {
		return empirical(d.Points, key.Between(0, Millionth-1))
	}
	return min(max(d.times(d.A, key), d.Lo), d.Hi)
}

// times is the key's number of a distribution with a in A's place and no bounds.
func (d *Dist) times(a int64, key Key) int64 {
	key.draw()
	switch d.Shape {
	case Lognormal:
		return scaled(a, exp2(log2e(normal(key.Uint64())*d.B/1000)))
	case Gamma:
		return scaled(a, fixed{gamma(key, d.B), 0})
	}
	return scaled(a, fixed{exponential(key.Uint64()), 0})
}

// fixed is a number in 2⁻³², shifted left.
type fixed struct {
	q     int64 // ≥ 0
	shift int64
}

// scaled is a × f, rounded; what cannot be held is the largest number.
func scaled(a int64, f fixed) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(f.q))
	right := 32 - f.shift
	switch {
	case right >= 96:
		return 0
	case right < 1 || bits.Len64(hi) > int(right)-2:
		return 1<<63 - 1
	}
	lo, carry := bits.Add64(lo, 1<<(min(right, 64)-1), 0)
	hi += carry
	if right >= 64 {
		return int64(hi >> (right - 64))
	}
	return int64(hi<<(64-right) | lo>>right)
}

// cells is into how many equal parts each halving of the grid is cut.
const (
	cells     = 16
	firstSize = 32 // bits of the rarest draws that are told apart
)

// at reads a table at m of 2⁶⁴, m from 1.
func at(table []int64, m uint64) int64 {
	size := bits.Len64(m)
	if size < firstSize {
		return table[0]
	}
	below := m << (65 - size) // what follows the first bit
	i := (size-firstSize)*cells + int(below>>60)
	w := int64(below >> 44 & 0xffff)
	return table[i] + (table[i+1]-table[i])*w>>16
}

// normal is a standard normal number in 2⁻³².
func normal(x uint64) int64 {
	z := at(normalTable[:], max(x>>1, 1))
	if x&1 == 0 {
		return -z
	}
	return z
}

// exponential is one of mean 1 in 2⁻³².
func exponential(x uint64) int64 { return at(exponentialTable[:], max(x, 1)) }

// gamma is one of scale 1 and of so many halves: the sum of exponentials, and for
// an odd half of a normal number's square.
func gamma(key Key, halves int64) (sum int64) {
	for i := range halves / 2 {
		sum += exponential(key.At(uint64(i)).Uint64())
	}
	if halves%2 == 1 {
		z := normal(key.At(uint64(halves)).Uint64())
		hi, lo := bits.Mul64(uint64(max(z, -z)), uint64(max(z, -z)))
		sum += int64(hi<<31 | lo>>33)
	}
	return sum
}

// Tail draws among the largest of a sample: rarer ones grow by one factor for each
// halving of their share, as far as one in n. A straight line to the largest would draw
// too many large ones.
type Tail struct{ lo, hi, grows, halvings int64 } // both in 2⁻³²; halvings is 0 where lo is all

// NewTail is of n values between lo and hi, the sample's largest.
func NewTail(lo, hi, n int64) Tail {
	if hi <= lo || n < 2 {
		return Tail{lo: lo}
	}
	return Tail{lo, hi, log2(hi+1) - log2(lo+1), log2(n)}
}

// Draw draws by u, which is uniform; larger ones draw larger values.
func (t *Tail) Draw(u uint64) int64 {
	if t.halvings == 0 {
		return t.lo
	}
	over := min(log2e(exponential(^u)), t.halvings) // how often the share is halved
	up, down := bits.Mul64(uint64(t.grows), uint64(over))
	y, _ := bits.Div64(up, down, uint64(t.halvings))
	return min(max(scaled(t.lo+1, exp2(int64(y)))-1, t.lo), t.hi)
}

// log2 is the binary logarithm of a number from 1 on, in 2⁻³².
func log2(n int64) int64 {
	whole := bits.Len64(uint64(n)) - 1
	x, out := uint64(n)<<(63-whole), int64(whole)
	for range 32 { // one binary digit for each squaring
		hi, _ := bits.Mul64(x, x)
		digit := hi >> 63
		x = hi << (1 - digit)
		out = out<<1 | int64(digit)
	}
	return out
}

// log2e turns a power of e into one of two, both in 2⁻³².
func log2e(y int64) int64 {
	const log2OfE = 6196328019
	hi, lo := bits.Mul64(uint64(max(y, -y)), log2OfE)
	q := int64(hi<<32 | lo>>32)
	if y < 0 {
		return -q
	}
	return q
}

// exp2 is two to the power of y, which is in 2⁻³².
func exp2(y int64) fixed {
	frac := y & (1<<32 - 1)
	i, w := frac>>26, frac>>10&0xffff
	return fixed{powerTable[i] + (powerTable[i+1]-powerTable[i])*w>>16, y >> 32}
}

// empirical is the number at p millionths.
func empirical(points []Quantile, p int64) int64 {
	i := segment(points, p)
	a, b := points[i-1], points[i]
	return a.Value + (b.Value-a.Value)*(p-a.P)/(b.P-a.P)
}

// segment is the index of the first point above p.
func segment(points []Quantile, p int64) int {
	return sort.Search(len(points), func(i int) bool { return points[i].P > p })
}
