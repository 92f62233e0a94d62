package crossover

import (
	"fmt"
	"math/big"
	"strings"

	"agentsim/cachemodel"
)

// Verdict says which kind is cheaper at which numbers of turns.
type Verdict string

// The verdicts.
const (
	Crosses     Verdict = "crosses"      // a fork is cheaper below At, a fresh child above
	AlwaysFork  Verdict = "always-fork"  // up to Crossing.Up
	AlwaysFresh Verdict = "always-fresh" // from the first turn on
)

// Crossing is where forks stop being cheaper as children take more turns.
type Crossing struct {
	Verdict Verdict
	At      *big.Rat // nil where there is none; below 1 where a fresh child is cheaper from the first turn on
	Up      int64    // the most turns that were looked at
}

// String says it in a word or two: 11.5, above 200, below 1.
func (c Crossing) String() string {
	switch c.Verdict {
	case AlwaysFork:
		return fmt.Sprintf("above %d", c.Up)
	case AlwaysFresh:
		return "below 1"
	}
	return Decimal(c.At)
}

// Floor is the greatest whole number of turns that is not above At.
func (c Crossing) Floor() int64 { return new(big.Int).Div(c.At.Num(), c.At.Denom()).Int64() }

// Decimal prints a fraction with at most two decimals: 11.5, 12, 8.93.
func Decimal(r *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(2), "0"), ".")
}

// closedCrossing is where the law has it at a model's rates. It knows no number of
// turns above which nothing is said, so Up is that of the stack.
func (q *Query) closedCrossing(p *cachemodel.Profile) Crossing {
	x := Crossing{Verdict: Crosses, At: LawOf(p).Turns(q.Prefix, q.Know), Up: MaxTurns}
	switch {
	case x.At == nil:
		x.Verdict = AlwaysFork
	case x.Floor() < 1:
		x.Verdict = AlwaysFresh
	}
	return x
}

// cross finds where the difference of the two kinds changes its sign in a world,
// by running it: neighbouring whole numbers of turns with the sign change
// between them, and the straight line through their differences. Where costs
// are linear, as in the idealised world, that is exact. guess is where to begin.
func (l *Lab) cross(q Query, w world, guess int64) (Crossing, error) {
	top := q.most()
	s := &search{lab: l, q: q, w: w}
	lo, hi := s.bracket(min(max(guess, 1), top), top)
	for s.err == nil && hi-lo > 1 {
		if mid := lo + (hi-lo)/2; s.gap(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	if s.err != nil {
		return Crossing{}, s.err
	}
	switch {
	case hi > top:
		return Crossing{Verdict: AlwaysFork, Up: top}, nil
	case lo < 1 && s.gap(1) > 0:
		return Crossing{Verdict: AlwaysFresh, Up: top}, s.err
	case lo < 1:
		return Crossing{Verdict: Crosses, At: big.NewRat(1, 1), Up: top}, s.err
	}
	below, above := -int64(s.gap(lo)), int64(s.gap(hi))
	return Crossing{Verdict: Crosses, At: new(big.Rat).Add(big.NewRat(lo, 1), big.NewRat(below, below+above)), Up: top}, nil
}

// search looks for a change of sign.
type search struct {
	lab *Lab
	q   Query
	w   world
	err error
}

// gap is what forks cost more at so many turns.
func (s *search) gap(turns int64) cachemodel.Picodollars {
	if s.err != nil {
		return 0
	}
	s.q.Turns = turns
	var c Pair
	c, s.err = s.lab.pair(s.q, s.w)
	return c.Fork - c.Fresh
}

// bracket steps away from at, each step twice as long as the last, until forks
// are cheaper at lo and not at hi. lo is 0 or hi is top+1 when there is no such
// number.
func (s *search) bracket(at, top int64) (lo, hi int64) {
	lo, hi = 0, top+1
	for step := int64(1); s.err == nil; step *= 2 {
		if s.gap(at) < 0 {
			lo = at
			if hi <= top || lo == top {
				return lo, hi
			}
			at = min(at+step, top)
			continue
		}
		hi = at
		if lo > 0 || hi == 1 {
			return lo, hi
		}
		at = max(at-step, 1)
	}
	return lo, hi
}
