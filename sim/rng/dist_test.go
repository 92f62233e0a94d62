package rng

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

var rewriteTables = flag.Bool("rewrite-tables", false, "make tables.go anew")

func TestDistributions(t *testing.T) {
	t.Run("LLM-06 the integer tables are what gonum's quantiles make them", tablesAreGonums)
	t.Run("LLM-06 draws follow gonum's distributions, to their tails", drawsFollow)
	t.Run("LLM-06 a draw belongs to its key and keeps its bounds, whatever the parameters", drawsKeepBounds)
	t.Run("LLM-06 draws are the numbers they always were", drawsOnRecord)
	t.Run("LLM-06 an empirical draw lies on the lines between its quantiles", empiricalDraws)
}

// node is the share of 2⁶⁴ that entry i of a table stands for.
func node(i int) float64 {
	size, cell := firstSize+i/cells, i%cells
	return math.Ldexp(1+float64(cell)/cells, size-65)
}

func table(n int, value func(i int) float64) (out []int64) {
	for i := range n {
		out = append(out, int64(math.Round(math.Ldexp(value(i), 32))))
	}
	return out
}

// made are the tables by gonum: a draw x of 2⁶⁴ is exponential by its share, and
// normal by half of it, whose sign is another bit's.
func made() map[string][]int64 {
	z := distuv.UnitNormal
	return map[string][]int64{
		"exponentialTable": table((65-firstSize)*cells+1, func(i int) float64 { return -math.Log(node(i)) }),
		"normalTable":      table((64-firstSize)*cells+1, func(i int) float64 { return math.Abs(z.Quantile(node(i))) }),
		"powerTable":       table(65, func(i int) float64 { return math.Exp2(float64(i) / 64) }),
	}
}

func source() []byte {
	var b bytes.Buffer
	b.WriteString("package rng\n\n// Made by go test ./sim/rng -run TestDistributions -rewrite-tables; numbers in 2⁻³².\n")
	all := made()
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "\nvar %s = [...]int64{", name)
		for i, v := range all[name] {
			if i%8 == 0 {
				b.WriteString("\n\t")
			}
			fmt.Fprintf(&b, "%d, ", v)
		}
		b.WriteString("\n}\n")
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return out
}

func tablesAreGonums(t *testing.T) {
	if *rewriteTables {
		if err := os.WriteFile("tables.go", source(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	e := distuv.Exponential{Rate: 1}
	for name, got := range map[string][]int64{"exponentialTable": exponentialTable[:], "normalTable": normalTable[:], "powerTable": powerTable[:]} {
		want := made()[name]
		if len(got) != len(want) {
			t.Fatalf("%s has %d entries, want %d", name, len(got), len(want))
		}
		for i := range want {
			// Another platform's floats may round otherwise in the last places.
			if d := got[i] - want[i]; d > 4 || d < -4 {
				t.Errorf("%s[%d] is %d, by gonum %d", name, i, got[i], want[i])
			}
		}
	}
	for i := 300; i < len(exponentialTable)-1; i++ {
		if got, want := float64(exponentialTable[i])/(1<<32), e.Quantile(1-node(i)); math.Abs(got-want) > 1e-6 {
			t.Errorf("entry %d is %v, gonum's quantile %v", i, got, want)
		}
	}
}

type cdf interface{ CDF(x float64) float64 }

// drawsFollow compares the shares of 200,000 draws below certain points with
// gonum's.
func drawsFollow(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		name string
		d    Dist
		by   cdf
	}{
		{"lognormal", Dist{Shape: Lognormal, A: 30_000, B: 800}, distuv.LogNormal{Mu: math.Log(30_000), Sigma: 0.8}},
		{"wide lognormal", Dist{Shape: Lognormal, A: 1_000_000, B: 2500}, distuv.LogNormal{Mu: math.Log(1_000_000), Sigma: 2.5}},
		{"exponential", Dist{Shape: Exponential, A: 40_000}, distuv.Exponential{Rate: 1.0 / 40_000}},
		{"gamma of half", Dist{Shape: Gamma, A: 5_000_000_000, B: 1}, distuv.Gamma{Alpha: 0.5, Beta: 1.0 / 5_000_000_000}},
		{"gamma of 2", Dist{Shape: Gamma, A: 20_000, B: 4}, distuv.Gamma{Alpha: 2, Beta: 1.0 / 20_000}},
		{"gamma of 7.5", Dist{Shape: Gamma, A: 9_000, B: 15}, distuv.Gamma{Alpha: 7.5, Beta: 1.0 / 9_000}},
	} {
		c.d.Hi = 1 << 60
		draws := make([]float64, n)
		for i := range draws {
			draws[i] = float64(c.d.Draw(Root(uint64(i)).Sub(c.name)))
		}
		sort.Float64s(draws)
		worst := 0.0
		for i, x := range draws {
			worst = max(worst, math.Abs(c.by.CDF(x)-(float64(i)+0.5)/n))
		}
		t.Logf("%s: largest distance from gonum's distribution %.5f", c.name, worst)
		if worst > 1.95/math.Sqrt(n) { // Kolmogorov and Smirnov, one in a thousand
			t.Errorf("%s: a distance of %.5f", c.name, worst)
		}
		for _, p := range []float64{1e-3, 1 - 1e-3} {
			if got := c.by.CDF(draws[int(p*n)]); got < p-3e-4 || got > p+3e-4 {
				t.Errorf("%s: the quantile of %v is one of %v", c.name, p, got)
			}
		}
	}
}

func drawsKeepBounds(t *testing.T) {
	for i := range uint64(20_000) {
		k := Root(7).At(i)
		d := Dist{Shape: Shape(1 + i%3), A: k.Sub("a").Between(1, 1<<40), B: k.Sub("b").Between(1, MaxHalves), Lo: 10, Hi: k.Sub("hi").Between(10, 1<<41)}
		if d.Shape == Lognormal {
			d.B = k.Sub("sigma").Between(1, MaxSigma)
		}
		got := d.Draw(k)
		if got < d.Lo || got > d.Hi {
			t.Fatalf("%+v drew %d", d, got)
		}
		if again := d.Draw(k); again != got {
			t.Fatalf("one key, %d and %d", got, again)
		}
	}
	for _, x := range []uint64{0, 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		if e := exponential(x); e < 0 {
			t.Errorf("exponential(%d) is %d", x, e)
		}
		if n := normal(x); (n > 0) != (x&1 == 1) && n != 0 {
			t.Errorf("normal(%d) is %d", x, n)
		}
	}
}

// drawsOnRecord holds numbers that scenarios have drawn: no platform and no
// version may draw others.
func drawsOnRecord(t *testing.T) {
	var got []int64
	for _, d := range []Dist{{Shape: Lognormal, A: 300, B: 800}, {Shape: Exponential, A: 300}, {Shape: Gamma, A: 150, B: 5},
		{Shape: Empirical, Points: []Quantile{{0, 10}, {500_000, 300}, {Millionth, 900}}}} {
		d.Hi = 1 << 40
		for i := range uint64(4) {
			got = append(got, d.Draw(Root(42).At(i)))
		}
	}
	const want = "[222 485 436 90 104 180 134 609 310 690 485 251 896 18 45 788]"
	if fmt.Sprint(got) != want {
		t.Errorf("drew %v, on record are %v", got, want)
	}
}

func empiricalDraws(t *testing.T) {
	points := []Quantile{{0, 100}, {500_000, 200}, {900_000, 1000}, {Millionth, 5000}}
	for p, want := range map[int64]int64{0: 100, 250_000: 150, 500_000: 200, 700_000: 600, 900_000: 1000, 950_000: 3000, Millionth - 1: 4999} {
		if got := empirical(points, p); got != want {
			t.Errorf("at %d millionths: %d, want %d", p, got, want)
		}
	}
}
