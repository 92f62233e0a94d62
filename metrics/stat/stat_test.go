package stat_test

import (
	"math"
	"slices"
	"testing"

	"agentsim/metrics/stat"
	"agentsim/sim/rng"

	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	t.Run("MET-05 medians and quantiles are values of the sample, checked against sorting by hand", describes)
	t.Run("MET-05 the quantile of a share is the smallest value that so much of the sample does not exceed", quantiles)
	t.Run("MET-05 the interval of a difference is a function of the samples and shifts with them", intervals)
	t.Run("MET-05 a 95 % interval holds the true difference in at least 88 of 100 samples", coverage)
	t.Run("MET-05 its ends cut off a fortieth on each side of the resampled medians, by the binomial formula", tails)
	t.Run("MET-05 samples that change places turn the interval, but for what was drawn", turns)
	t.Run("MET-05 every value of a sample is drawn, the largest too", drawn)
	t.Run("TRI-08 what of a sample's variance goes with another one's is the square of their correlation", explained)
	t.Run("MET-05 samples without spread give an interval of one point", points)
}

func describes(t *testing.T) {
	for _, c := range []struct {
		sample []int64
		want   stat.Summary
	}{
		{[]int64{7}, stat.Summary{N: 1, Min: 7, Max: 7, Median: 7, P10: 7, P90: 7}},
		{[]int64{9, 1}, stat.Summary{N: 2, Min: 1, Max: 9, Median: 1, P10: 1, P90: 9}},
		{[]int64{3, 1, 2}, stat.Summary{N: 3, Min: 1, Max: 3, Median: 2, P10: 1, P90: 3}},
		{[]int64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, stat.Summary{N: 10, Min: 1, Max: 10, Median: 5, P10: 1, P90: 9}},
	} {
		if got := stat.Describe(c.sample); got != c.want {
			t.Errorf("Describe(%v) = %+v, want %+v", c.sample, got, c.want)
		}
	}
	if stat.Describe([]int64{1, 2}).Exact() || !stat.Describe([]int64{2, 2}).Exact() {
		t.Error("a sample is exact when all its values are the same")
	}
}

func quantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Int64Range(-50, 50), 1, 40).Draw(t, "sample")
		p := rapid.Float64Range(0, 1).Draw(t, "p")
		slices.Sort(x)
		got := stat.Quantile(x, p)
		below, upTo := 0, 0
		for _, v := range x {
			if v < got {
				below++
			}
			if v <= got {
				upTo++
			}
		}
		if n := float64(len(x)); float64(upTo) < p*n-1e-9 || below > 0 && float64(below) >= p*n+1e-9 {
			t.Fatalf("Quantile(%v, %v) = %d: %d below, %d up to it", x, p, got, below, upTo)
		}
	})
}

func intervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Int64Range(0, 1000), 2, 12).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Int64Range(0, 1000), len(a), len(a)).Draw(t, "b")
		shift := rapid.Int64Range(-500, 500).Draw(t, "shift")
		key := rng.Root(7)
		for _, of := range []func(a, b []int64, k rng.Key) stat.Interval{stat.Difference, stat.Paired} {
			first := of(a, b, key)
			if again := of(slices.Clone(a), slices.Clone(b), key); again != first {
				t.Fatalf("%+v and then %+v", first, again)
			}
			moved := slices.Clone(b)
			for i := range moved {
				moved[i] += shift
			}
			if m := of(a, moved, key); m.Low != first.Low+float64(shift) || m.High != first.High+float64(shift) {
				t.Fatalf("%+v, moved by %d %+v", first, shift, m)
			}
			if first.Low > first.High {
				t.Fatalf("%+v", first)
			}
		}
	})
}

// coverage draws two samples whose medians are 30 apart.
func coverage(t *testing.T) {
	key, held := rng.Root(1), 0
	for trial := range uint64(100) {
		k := key.At(trial)
		a, b := make([]int64, 25), make([]int64, 25)
		for i := range a {
			a[i] = k.Sub("a").At(uint64(i)).Between(0, 100)
			b[i] = k.Sub("b").At(uint64(i)).Between(30, 130)
		}
		if x := stat.Difference(a, b, k); x.Low <= 30 && 30 <= x.High {
			held++
		}
	}
	if held < 88 {
		t.Errorf("held %d times of 100", held)
	}
}

func points(t *testing.T) {
	same := []int64{5, 5, 5}
	for _, x := range []stat.Interval{stat.Difference(same, []int64{8, 8, 8}, rng.Root(1)), stat.Paired([]int64{1, 2, 9}, []int64{4, 5, 12}, rng.Root(1))} {
		if x.Low != 3 || x.High != 3 || math.IsNaN(x.Low) || !x.Decides() {
			t.Errorf("%+v, want 3 to 3", x)
		}
	}
	if (stat.Interval{Low: -1, High: 1}).Decides() {
		t.Error("an interval with zero in it decides nothing")
	}
}

// ranks is a sample of the numbers from 0 on, and one of as many zeros.
func ranks(n int) (up, zero []int64) {
	for i := range n {
		up = append(up, int64(i))
	}
	return up, make([]int64, n)
}

// end is the rank that the share p of all resampled medians of n values, n odd,
// does not exceed: a median lies at or below rank k when more than half of the
// draws do, each of which does with the chance (k+1)/n.
func end(n int, p float64) float64 {
	for k := range n {
		c := float64(k+1) / float64(n)
		above := 0.0
		for draws := n/2 + 1; draws <= n; draws++ {
			all, _ := math.Lgamma(float64(n + 1))
			in, _ := math.Lgamma(float64(draws + 1))
			out, _ := math.Lgamma(float64(n - draws + 1))
			if c < 1 {
				above += math.Exp(all - in - out + float64(draws)*math.Log(c) + float64(n-draws)*math.Log(1-c))
			}
		}
		if c == 1 || above >= p {
			return float64(k)
		}
	}
	return float64(n)
}

func tails(t *testing.T) {
	const n, slack = 401, 2.5
	up, zero := ranks(n)
	low, high := end(n, 0.025), end(n, 0.975)
	if low != 180 || high != 220 {
		t.Fatalf("by the formula %v to %v", low, high)
	}
	for seed := range uint64(12) {
		for _, x := range []stat.Interval{stat.Paired(zero, up, rng.Root(seed)), stat.Difference(zero, up, rng.Root(seed))} {
			if math.Abs(x.Low-low) > slack || math.Abs(x.High-high) > slack {
				t.Errorf("seed %d: %+v, by the formula %v to %v", seed, x, low, high)
			}
		}
	}
}

func turns(t *testing.T) {
	const slack = 5
	up, zero := ranks(401)
	for i := range up {
		up[i] += 1000
	}
	for _, of := range []func(a, b []int64, k rng.Key) stat.Interval{stat.Difference, stat.Paired} {
		x, y := of(zero, up, rng.Root(3)), of(up, zero, rng.Root(3))
		if math.Abs(x.Low+y.High) > slack || math.Abs(x.High+y.Low) > slack || x.Low < 0 || y.High > 0 {
			t.Errorf("%+v, and with places changed %+v", x, y)
		}
	}
}

// drawn: the lower median of two draws is the larger value in a quarter of all.
func drawn(t *testing.T) {
	for _, x := range []stat.Interval{stat.Paired([]int64{0, 0}, []int64{0, 1}, rng.Root(1)), stat.Difference([]int64{0, 0}, []int64{0, 1}, rng.Root(1))} {
		if x.Low != 0 || x.High != 1 {
			t.Errorf("%+v, want 0 to 1", x)
		}
	}
}

func explained(t *testing.T) {
	for _, c := range []struct {
		a, b []int64
		want float64
	}{
		{[]int64{1, 2, 3}, []int64{20, 40, 60}, 1}, {[]int64{1, 2, 3}, []int64{3, 2, 1}, 1}, {[]int64{1, 2, 3}, []int64{5, 5, 5}, 0},
		{[]int64{1, 2, 3, 4}, []int64{1, 3, 1, 3}, 0.2}, // covariance 2, variances 5 and 4
	} {
		if got := stat.Explained(c.a, c.b); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
