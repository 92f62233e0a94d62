package crossover

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
)

// checks is how many worlds a property tries where the command line does not
// say: each of them is some twenty runs.
const checks = "15"

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	m.Run()
}

// sonnet is w = 1.25 and r = 0.1 of an input rate of $3 a million.
var sonnet = Law{3_750_000, 300_000}

func TestLaw(t *testing.T) {
	t.Run("CACHE-X1 with w 1.25 and r 0.1 the law is 11.5·(S+R)/(P−S−R): 23/14 and 23/2 turns at the specification's points", func(t *testing.T) {
		for _, c := range []struct {
			know int64
			want Fraction
			text string
		}{{10_000, Fraction{23, 14}, "1.64"}, {40_000, Fraction{23, 2}, "11.5"}} {
			got, ok := sonnet.Turns(80_000, c.know)
			if !ok || got != c.want || got.String() != c.text {
				t.Errorf("S+R = %d: %s = %s, %t; want %s", c.know, got.Exact(), got, ok, c.want.Exact())
			}
		}
	})
	t.Run("CACHE-X1 the fraction is where both sides of the law are equal, and a fork is cheaper below it and nowhere else", rapid.MakeCheck(func(t *rapid.T) {
		for range 20 {
			checkLaw(t)
		}
	}))
	t.Run("CACHE-X1 fractions are in lowest terms and print rounded to hundredths", func(t *testing.T) {
		for _, c := range []struct {
			f    Fraction
			text string
		}{{fraction(46, 4), "11.5"}, {fraction(24, 2), "12"}, {fraction(2999, 1000), "3"}, {fraction(1, 3), "0.33"}, {fraction(1<<60+1, 1<<60), "1"}} {
			if c.f.String() != c.text {
				t.Errorf("%s prints as %s, want %s", c.f.Exact(), c.f, c.text)
			}
		}
	})
}

func checkLaw(t *rapid.T) {
	r := rapid.Int64Range(1, 5_000).Draw(t, "r")
	l := Law{cachemodel.Picodollars(r+rapid.Int64Range(1, 20_000).Draw(t, "w−r")) * 1000, cachemodel.Picodollars(r) * 1000}
	prefix, know := rapid.Int64Range(1, 1_000_000).Draw(t, "P"), rapid.Int64Range(1, 1_000_000).Draw(t, "S+R")
	at, ok := l.Turns(prefix, know)
	if ok != (prefix > know) {
		t.Fatalf("a crossover is said to be there: %t", ok)
	}
	turns := rapid.Int64Range(1, 500).Draw(t, "T")
	cheaper := l.Fork(prefix, turns) < l.Fresh(know, turns)
	if want := !ok || turns*at.Den < at.Num; cheaper != want {
		t.Fatalf("T = %d, crossover %s: the fork is cheaper: %t", turns, at.Exact(), cheaper)
	}
}
