package crossover

import (
	"flag"
	"math/big"
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
			want *big.Rat
			text string
		}{{10_000, big.NewRat(23, 14), "1.64"}, {40_000, big.NewRat(23, 2), "11.5"}} {
			got := sonnet.Turns(80_000, c.know)
			if got == nil || got.Cmp(c.want) != 0 || Decimal(got) != c.text {
				t.Errorf("S+R = %d: %v; want %s", c.know, got, c.want)
			}
		}
	})
	t.Run("CACHE-X1 the fraction is where both sides of the law are equal, and a fork is cheaper below it and nowhere else", rapid.MakeCheck(func(t *rapid.T) {
		for range 20 {
			checkLaw(t)
		}
	}))
	t.Run("CACHE-X1 fractions print rounded to hundredths", func(t *testing.T) {
		for _, c := range []struct {
			f    *big.Rat
			text string
		}{{big.NewRat(46, 4), "11.5"}, {big.NewRat(24, 2), "12"}, {big.NewRat(20, 1), "20"}, {big.NewRat(2999, 1000), "3"}, {big.NewRat(1, 3), "0.33"}, {big.NewRat(1<<60+1, 1<<60), "1"}} {
			if Decimal(c.f) != c.text {
				t.Errorf("%s prints as %s, want %s", c.f, Decimal(c.f), c.text)
			}
		}
	})
}

func checkLaw(t *rapid.T) {
	r := rapid.Int64Range(1, 5_000).Draw(t, "r")
	l := Law{cachemodel.Picodollars(r+rapid.Int64Range(1, 20_000).Draw(t, "w−r")) * 1000, cachemodel.Picodollars(r) * 1000}
	prefix, know := rapid.Int64Range(1, 1_000_000).Draw(t, "P"), rapid.Int64Range(1, 1_000_000).Draw(t, "S+R")
	at := l.Turns(prefix, know)
	if (at != nil) != (prefix > know) {
		t.Fatalf("a crossover is said to be there: %v", at)
	}
	turns := rapid.Int64Range(1, 500).Draw(t, "T")
	cheaper := l.Fork(prefix, turns) < l.Fresh(know, turns)
	if want := at == nil || big.NewRat(turns, 1).Cmp(at) < 0; cheaper != want {
		t.Fatalf("T = %d, crossover %v: the fork is cheaper: %t", turns, at, cheaper)
	}
}

// Fork is what one fork pays for its prefix of P tokens over T turns: it reads
// it at each of them.
func (l Law) Fork(prefix, turns int64) cachemodel.Picodollars {
	return l.Read * cachemodel.Picodollars(prefix*turns)
}

// Fresh is what one fresh child pays for the S+R tokens it must know: it writes
// them once and reads them at every later turn.
func (l Law) Fresh(know, turns int64) cachemodel.Picodollars {
	return (l.Write + l.Read*cachemodel.Picodollars(turns-1)) * cachemodel.Picodollars(know)
}
