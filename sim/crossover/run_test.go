package crossover

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agentsim/cachemodel"
	"agentsim/sim/vtime"
)

// usual is the default query on a model of the usual rates, 1.25 and 0.1 times the
// input's.
func usual() Query {
	q := Default()
	q.Model = models[0]
	return q
}

// models differ in w, r and the minimum length.
var models = []string{"claude-sonnet-4-5-20250929", "claude-opus-5-5", "claude-fable-5-1", "claude-opus-4-8"}

func TestIdeal(t *testing.T) {
	t.Run("CACHE-X1 in the idealised world the simulated children cost what the law says, to the picodollar, at every turn", func(t *testing.T) {
		l := NewLab()
		for _, model := range models {
			for turns := int64(1); turns <= 24; turns++ {
				q := usual()
				q.Model, q.Turns, q.Ideal = model, turns, true
				r, err := l.Row(q, false)
				if err != nil {
					t.Fatal(err)
				}
				if r.Closed != r.Simulated {
					t.Fatalf("%s, %d turns: %+v, the law says %+v", model, turns, r.Simulated, r.Closed)
				}
			}
		}
	})
	t.Run("CACHE-X1 the simulated crossover is the law's fraction, for any sizes, siblings and model", rapid.MakeCheck(idealLaw))
	t.Run("CACHE-X1 the specification's two points come out of runs: 23/14 and 23/2 turns", func(t *testing.T) {
		for know, want := range map[int64]*big.Rat{10_000: big.NewRat(23, 14), 40_000: big.NewRat(23, 2)} { // order: each point is on its own
			q := usual()
			q.Know, q.Ideal = know, true
			r, err := NewLab().Row(q, true)
			if err != nil || r.Crossing.At == nil || r.Crossing.At.Cmp(want) != 0 {
				t.Errorf("S+R = %d: %v, %v; want %s", know, r.Crossing, err, want)
			}
		}
	})
}

func idealLaw(t *rapid.T) {
	q := usual()
	q.Ideal, q.Model = true, rapid.SampledFrom(models).Draw(t, "model")
	q.Prefix = rapid.Int64Range(4_096, 150_000).Draw(t, "P")
	q.Know = rapid.Int64Range(4_096, 150_000).Draw(t, "S+R")
	q.Own = rapid.Int64Range(1, q.Know).Draw(t, "S")
	q.Turns = rapid.Int64Range(1, 12).Draw(t, "T")
	q.Siblings = rapid.Int64Range(1, 3).Draw(t, "N")
	q.Growth = rapid.Int64Range(4_000, 8_000).Draw(t, "growth") // keeps the longest run short
	if q.Check() != nil {
		t.Skip("too long for the window")
	}
	r, err := NewLab().Row(q, true)
	if err != nil {
		t.Fatal(err)
	}
	if r.Simulated != r.Closed {
		t.Fatalf("simulated %+v, the law says %+v", r.Simulated, r.Closed)
	}
	law, x := r.ClosedCrossing, r.Crossing
	switch {
	case law.Verdict == Crosses && law.Floor() < x.Up:
		if x.Verdict != Crosses || x.At.Cmp(law.At) != 0 {
			t.Fatalf("simulated crossover %v, the law's is %s", x, law.At)
		}
	case law.Verdict == Crosses: // behind the longest run that the window takes
		if x.Verdict != AlwaysFork && x.At.Cmp(law.At) != 0 {
			t.Fatalf("simulated crossover %v of at most %d turns, the law's is %s", x, x.Up, law.At)
		}
	case law.Verdict != x.Verdict:
		t.Fatalf("simulated %v, the law says %v", x.Verdict, law.Verdict)
	}
}

// ladderOf climbs from the law to a query's world, and checks the sum.
func ladderOf(t rapid.TB, change func(*Query)) (*Ladder, Query) {
	t.Helper()
	q := usual()
	q.Turns = 5
	change(&q)
	if err := q.Check(); err != nil {
		t.Fatal(err)
	}
	d, err := NewLab().Ladder(q, false)
	if err != nil {
		t.Fatal(err)
	}
	sum := d.Closed
	for _, m := range d.Movers {
		sum = Pair{sum.Fork + m.Amount.Fork, sum.Fresh + m.Amount.Fresh}
	}
	if sum != d.Simulated {
		t.Errorf("the law and its movers come to %+v, simulated is %+v", sum, d.Simulated)
	}
	return d, q
}

// amount is what the mover whose name begins so adds; it must be there.
func (d *Ladder) amount(t rapid.TB, name string) Pair {
	t.Helper()
	i := slices.IndexFunc(d.Movers, func(m Mover) bool { return strings.HasPrefix(m.Name, name) })
	if i < 0 {
		t.Fatalf("no mover %q among %+v", name, d.Movers)
	}
	return d.Movers[i].Amount
}

func TestMovers(t *testing.T) {
	w, r := sonnet.Write, sonnet.Read
	const P, S, R = 80_000, 8_000, 32_000
	check := func(t *testing.T, d *Ladder, name string, want Pair) {
		t.Helper()
		if got := d.amount(t, name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	t.Run("CACHE-X2 a fork's own blocks are real ones, weighed once, written once and read at each later turn", func(t *testing.T) {
		one, _ := ladderOf(t, func(q *Query) { q.Turns = 1 })
		own := one.amount(t, "a fork's own blocks").Fork / w
		if own < 400 || own > 1_200 || own*w != one.amount(t, "a fork's own blocks").Fork {
			t.Fatalf("a fork's own blocks are %d tokens", own)
		}
		q, w1 := usual(), world{siblings: 1, reading: 1, own: true, fourth: true}
		q.Turns = 1
		weighed, err := NewLab().simulate(q, fork, w1, unknown)
		counted, bad := NewLab().run(q, fork, w1)
		if err != nil || bad != nil || counted != weighed || weighed.first != P+int64(own)+q.Task {
			t.Errorf("%v, %v: weighed %+v, counted %+v", err, bad, weighed, counted)
		}
		five, _ := ladderOf(t, func(*Query) {})
		check(t, five, "a fork's own blocks", Pair{own*w + 4*own*r, 0})
		more, _ := ladderOf(t, func(q *Query) { q.Turns, q.Siblings = 1, 2 })
		if got := more.amount(t, "a fork's own blocks").Fork / w; got <= 2*own+200 {
			t.Errorf("two forks' own blocks are %d tokens, one's %d: each says both tasks and placeholders", got, own)
		}
	})
	t.Run("CACHE-X2 what a fresh child reads later it reads again less often", func(t *testing.T) {
		d, _ := ladderOf(t, func(*Query) {})
		// Parts of R/4 come at turns 1 to 4 of 5: 0, 1, 2 and 3 turns later.
		check(t, d, "R arrives over 4 turns", Pair{0, -r * R / 4 * (1 + 2 + 3)})
	})
	t.Run("CACHE-X2 a cold parent makes a fork write the prefix, and siblings of one instant all write it", func(t *testing.T) {
		d, _ := ladderOf(t, func(q *Query) { q.Cold, q.Siblings = true, 5 })
		check(t, d, "cold parent", Pair{(w - r) * P, 0})
		check(t, d, "siblings at one instant all write", Pair{4 * (w - r) * P, 0})
	})
	t.Run("CACHE-X2 siblings of a warm parent move nothing: the ladder leaves them out and says why", func(t *testing.T) {
		for _, n := range []int64{2, 5, 12} {
			d, _ := ladderOf(t, func(q *Query) { q.Siblings = n })
			for _, m := range d.Movers {
				if m.Amount.Zero() {
					t.Errorf("%d siblings: %q moves nothing", n, m.Name)
				}
			}
			if want := "siblings at one instant (each fork reads the warm parent's entry: --cold)"; !slices.Contains(d.Absent, want) {
				t.Errorf("%d siblings: absent are %q", n, d.Absent)
			}
		}
		cold, _ := ladderOf(t, func(q *Query) { q.Cold, q.Siblings = true, 5 })
		for _, a := range cold.Absent {
			if strings.HasPrefix(a, "siblings") {
				t.Errorf("absent is %q, which is there", a)
			}
		}
	})
	t.Run("CACHE-X2 held back, one sibling writes for all: fresh children their common prefix, cold forks the parent's only where it is marked", func(t *testing.T) {
		change := func(q *Query) { q.Cold, q.Siblings, q.Stagger = true, 5, 5*vtime.Second }
		marked, _ := ladderOf(t, func(q *Query) { change(q); q.Fourth = true })
		check(t, marked, "stagger", Pair{-4 * (w - r) * P, -4 * (w - r) * S})
		plain, _ := ladderOf(t, change)
		got := plain.amount(t, "stagger")
		if got.Fresh != -4*(w-r)*S || got.Fork >= 0 || got.Fork < -4*(w-r)*P/10 {
			t.Errorf("without the fourth marker: %+v; forks share no more than their system prompt", got)
		}
		soon, _ := ladderOf(t, func(q *Query) { change(q); q.Fourth, q.Stagger = true, vtime.Second })
		check(t, soon, "stagger", Pair{}) // the first one's response has not begun
	})
	t.Run("CACHE-X2 CON-23 ten forks are out of the look-back's reach and write the prefix; nine are not, and the fourth marker repairs it", func(t *testing.T) {
		d, _ := ladderOf(t, func(q *Query) { q.Siblings = 10 })
		if got := d.amount(t, "look-back").Fork; got < 9*(w-r)*P || got > 10*(w-r)*P {
			t.Errorf("ten forks lose %d", got)
		}
		for _, change := range []func(*Query){func(q *Query) { q.Siblings = 9 }, func(q *Query) { q.Siblings, q.Fourth = 10, true }} {
			d, _ := ladderOf(t, change)
			for _, m := range d.Movers {
				if strings.HasPrefix(m.Name, "look-back") {
					t.Errorf("look-back moves %+v", m.Amount)
				}
			}
		}
	})
	t.Run("CACHE-X2 below the minimum length nothing is cached, and the law knows nothing of it", func(t *testing.T) {
		d, q := ladderOf(t, func(q *Query) { q.Prefix, q.Know, q.Own, q.Turns, q.Task = 900, 700, 500, 1, 100 })
		in := cachemodel.Picodollars(3_000_000)
		check(t, d, "minimum length", Pair{(in - r) * 900, (in - w) * 700}.plus(Pair{(in - w) * 100, (in - w) * 100}))
		if q.Turns != 1 {
			t.Fatal("one turn was asked for")
		}
	})
	t.Run("CACHE-X2 a long prompt has other rates", func(t *testing.T) {
		d, _ := ladderOf(t, func(q *Query) { q.Model, q.Prefix, q.Turns = "claude-haiku-5-5", 120_000, 1 })
		check(t, d, "other rates above 100000 tokens", Pair{40_000*120_000 + 500_000*200 + 2_000_000*100, 0})
	})
	t.Run("CACHE-X2 another read rate moves the law itself: at a fortieth of the input rate from 11.5 turns to 49", func(t *testing.T) {
		d, q := ladderOf(t, func(q *Query) { q.Model = "claude-fable-5-1" })
		if d.Usual == nil || d.Usual.Crossing.String() != "11.5" || d.ClosedCrossing.String() != "49" {
			t.Fatalf("usual %+v, own %v", d.Usual, d.ClosedCrossing)
		}
		// A read costs 1 instead of 0.25 dollars a million, of the prefix and of
		// what grows: T−1 times the task, and T−2, T−3 … times each turn's part.
		dearer := cachemodel.Picodollars(750_000)
		grown := 4*q.Task + q.Growth*(3+2+1)
		want := Pair{dearer * cachemodel.Picodollars(5*P+grown), dearer * cachemodel.Picodollars(4*(S+R)+grown)}
		if got := d.Usual.Closed.minus(d.Closed); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if d, _ := ladderOf(t, func(*Query) {}); d.Usual != nil {
			t.Errorf("a model of the usual rates has others: %+v", d.Usual)
		}
	})
	t.Run("CACHE-X2 the law and its movers add up to the simulated bill, to the picodollar", rapid.MakeCheck(func(t *rapid.T) {
		ladderOf(t, func(q *Query) {
			q.Model = rapid.SampledFrom(models).Draw(t, "model")
			q.Prefix, q.Know = rapid.Int64Range(1, 120_000).Draw(t, "P"), rapid.Int64Range(1, 120_000).Draw(t, "S+R")
			q.Own, q.Turns = rapid.Int64Range(1, q.Know).Draw(t, "S"), rapid.Int64Range(1, 4).Draw(t, "T")
			q.Siblings, q.Cold, q.Fourth = rapid.SampledFrom([]int64{1, 2, 3, 10}).Draw(t, "N"), rapid.Bool().Draw(t, "cold"), rapid.Bool().Draw(t, "fourth")
			q.Stagger, q.Reading = vtime.Duration(rapid.Int64Range(0, 6).Draw(t, "stagger"))*vtime.Second, rapid.Int64Range(1, 5).Draw(t, "reading")
		})
	}))
}

func (a Pair) plus(b Pair) Pair { return Pair{a.Fork + b.Fork, a.Fresh + b.Fresh} }
