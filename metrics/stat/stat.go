package stat

import (
	"math"
	"slices"

	"agentsim/sim/rng"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Summary describes one sample of a figure, in the figure's unit.
type Summary struct {
	N        int
	Min, Max int64
	Median   int64 // the lower of the two in the middle when their number is even
	P10, P90 int64 // the smallest value that a tenth, nine tenths of the sample do not exceed
}

// Exact reports whether all values are the same, so that there is nothing to
// estimate.
func (s Summary) Exact() bool { return s.Min == s.Max }

// Describe summarises a sample. It panics when the sample is empty.
func Describe(sample []int64) Summary {
	x := slices.Sorted(slices.Values(sample))
	n := len(x)
	return Summary{N: n, Min: x[0], Max: x[n-1], Median: x[(n-1)/2], P10: Quantile(x, 0.1), P90: Quantile(x, 0.9)}
}

// Quantile is the smallest value of a sorted sample that the share p of the
// sample does not exceed, p from 0 to 1.
func Quantile(sorted []int64, p float64) int64 {
	at := make([]float64, len(sorted))
	for i := range at {
		at[i] = float64(i)
	}
	return sorted[int(stat.Quantile(p, stat.Empirical, at, nil))]
}

// Explained is the share of a sample's variance that goes with another one's, pair by
// pair (the square of their correlation); 0 where one of them does not vary.
func Explained(a, b []int64) float64 {
	if r := stat.Correlation(floatsOf(a), floatsOf(b), nil); !math.IsNaN(r) {
		return r * r
	}
	return 0
}

// Interval is a range that holds the true difference with some confidence, in
// the figure's unit.
type Interval struct {
	Low, High float64
	Paired    bool // the two samples were compared seed by seed
}

// Decides reports whether zero lies outside the interval: the sign of the
// difference is then not by chance.
func (i Interval) Decides() bool { return i.Low > 0 || i.High < 0 }

// Constants of the bootstrap. With 2,000 resamples the ends of a 95 % interval
// stand on 50 resamples each.
const (
	Resamples  = 2000
	Confidence = 0.95
)

// Difference is the bootstrap interval (percentile method) of the difference
// median(b) − median(a) of two independent samples. The key names the draws.
func Difference(a, b []int64, key rng.Key) Interval {
	x, y := floatsOf(a), floatsOf(b)
	slices.Sort(x)
	slices.Sort(y)
	if x[0] == x[len(x)-1] && y[0] == y[len(y)-1] {
		return Interval{Low: y[0] - x[0], High: y[0] - x[0]}
	}
	draws := make([]float64, Resamples)
	ka, kb := newResampler(x, key.Sub("a")), newResampler(y, key.Sub("b"))
	for i := range draws {
		draws[i] = kb.median(uint64(i)) - ka.median(uint64(i))
	}
	return bounds(draws, false)
}

// Paired is the bootstrap interval of the median of b[i] − a[i], for samples
// whose values belong together, such as two runs of one seed. It panics when
// their lengths differ.
func Paired(a, b []int64, key rng.Key) Interval {
	diff := make([]float64, len(a))
	floats.SubTo(diff, floatsOf(b), floatsOf(a))
	slices.Sort(diff)
	if diff[0] == diff[len(diff)-1] {
		return Interval{Low: diff[0], High: diff[0], Paired: true}
	}
	r := newResampler(diff, key.Sub("pairs"))
	draws := make([]float64, Resamples)
	for i := range draws {
		draws[i] = r.median(uint64(i))
	}
	return bounds(draws, true)
}

func bounds(draws []float64, paired bool) Interval {
	slices.Sort(draws)
	tail := (1 - Confidence) / 2
	return Interval{Low: stat.Quantile(tail, stat.Empirical, draws, nil), High: stat.Quantile(1-tail, stat.Empirical, draws, nil), Paired: paired}
}

func floatsOf(x []int64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// resampler draws samples with replacement from a sorted one. It counts how
// often each value was drawn instead of sorting, so that a draw costs as many
// steps as the sample has values.
type resampler struct {
	sorted []float64
	times  []int
	key    rng.Key
}

func newResampler(sorted []float64, key rng.Key) *resampler {
	return &resampler{sorted: sorted, times: make([]int, len(sorted)), key: key}
}

// median draws the resample of that number and returns its median.
func (r *resampler) median(number uint64) float64 {
	clear(r.times)
	n := len(r.sorted)
	k := r.key.At(number)
	for i := range n {
		r.times[k.At(uint64(i)).Uint64()%uint64(n)]++
	}
	seen := 0
	for i, t := range r.times {
		if seen += t; seen > (n-1)/2 {
			return r.sorted[i]
		}
	}
	return math.NaN() // not reached: n values were drawn
}
