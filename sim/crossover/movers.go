package crossover

import (
	"fmt"

	"agentsim/cachemodel"
)

// Mover is one thing that moves the simulated bill away from the law.
type Mover struct {
	Name   string
	Amount Pair     // what it adds to the bill of all children
	After  Crossing // where forks stop being cheaper with this mover and those before it
}

// Ladder goes from the law to the simulated world, one mover at a time. Amounts
// depend on that order, which is always the same; their sum is the difference
// between Closed and Simulated, to the picodollar.
type Ladder struct {
	Usual          *Usual // what the law says at the usual rates; nil where they are the model's
	Closed         Pair
	ClosedCrossing Crossing
	Movers         []Mover
	Simulated      Pair
	Crossing       Crossing
	Absent         []string // movers that this query does not have, and how to have them
}

// Usual is the law where writing costs 1.25 and reading 0.1 of what input costs,
// as with most models. A model's own rates move the law itself.
type Usual struct {
	Closed   Pair
	Crossing Crossing
}

// usual is nil where the model's rates are the usual ones.
func (q *Query) usual(p *cachemodel.Profile) *Usual {
	other := *p
	other.Rates.Write5m, other.Rates.Read = p.Rates.Input*5/4, p.Rates.Input/10
	if other.Rates == p.Rates {
		return nil
	}
	return &Usual{q.closed(&other), q.closedCrossing(&other)}
}

// rung is a world on the way and the name of what it adds. A name that is empty
// is the world before the movers.
type rung struct {
	name  string
	world world
	whole bool // the mover is shown even if it moves nothing
}

// rungs are the worlds from the idealised one to the query's own.
func (q *Query) rungs() []rung {
	w := ideal(q.Siblings)
	out := []rung{{"", w, false}}
	if q.Ideal {
		return out
	}
	add := func(name string, whole bool, change func(*world)) {
		change(&w)
		out = append(out, rung{name, w, whole})
	}
	add("a fork's own blocks, placeholders and directive", true, func(w *world) { w.own = true })
	if q.Reading > 1 && q.Turns > 1 && q.Know > q.Own {
		add(fmt.Sprintf("R arrives over %d turns", min(q.Reading, q.Turns)), true, func(w *world) { w.reading = q.Reading })
	}
	if q.Cold {
		add(coldParent, true, func(w *world) { w.cold = true })
	}
	if !q.Fourth {
		add(lookBack, false, func(w *world) { w.fourth = false })
	}
	add(takesTime, false, func(w *world) { w.timed = true })
	if q.Stagger > 0 && q.Siblings > 1 {
		add("stagger: siblings wait for the first one's response, at most "+q.Stagger.String(), true, func(w *world) { w.stagger = q.Stagger })
	}
	return out
}

const (
	coldParent = "cold parent: its entry has expired, and a fork writes the prefix again"
	allWrite   = "siblings at one instant all write it"
	oneInstant = "siblings at one instant"
	lookBack   = "look-back: the parent's entry is out of reach"
	takesTime  = "calls take time"
	minimum    = "minimum length: below it nothing is cached"
)

// world is the world of the query itself.
func (q *Query) world() world {
	all := q.rungs()
	return all[len(all)-1].world
}

// Ladder runs every world on the way from the law to the query's own; crossings
// also looks for where forks stop being cheaper in each of them.
func (l *Lab) Ladder(q Query, crossings bool) (*Ladder, error) {
	p := q.Profile()
	out := &Ladder{Usual: q.usual(p), Closed: q.closed(p), ClosedCrossing: q.closedCrossing(p)}
	c := &climb{lab: l, q: q, out: out, at: out.Closed, crossings: crossings, guess: guessOf(out.ClosedCrossing)}
	if err := c.begin(p); err != nil {
		return nil, err
	}
	for _, r := range q.rungs()[1:] {
		if err := c.step(r); err != nil {
			return nil, err
		}
	}
	out.Simulated, out.Absent = c.at, q.absent(p)
	var err error
	out.Crossing, err = c.cross(q.world())
	return out, err
}

// guessOf is where to look for a crossing first.
func guessOf(c Crossing) int64 {
	if c.Verdict == Crosses {
		return c.Floor()
	}
	return 1
}

// climb is a ladder on its way up.
type climb struct {
	lab       *Lab
	q         Query
	out       *Ladder
	at        Pair
	crossings bool
	guess     int64
}

// cross is where forks stop being cheaper in a world, if that was asked for.
func (c *climb) cross(w world) (Crossing, error) {
	if !c.crossings {
		return Crossing{}, nil
	}
	x, err := c.lab.cross(c.q, w, c.guess)
	if err == nil {
		c.guess = guessOf(x)
	}
	return x, err
}

// begin steps from the law to the idealised world. One child there costs what
// the law says, unless its prompts are too short to be cached or long enough for
// other rates; siblings of one instant cost so many times as much.
func (c *climb) begin(p *cachemodel.Profile) error {
	w, n := ideal(1), cachemodel.Picodollars(c.q.Siblings)
	f, s, err := c.lab.both(c.q, w)
	if err != nil {
		return err
	}
	flat := Pair{n * f.flat, n * s.flat}
	if err := c.add(minimum, false, flat, w); err != nil {
		return err
	}
	if err := c.add(fmt.Sprintf("other rates above %d tokens", p.LongPrompt), false, Pair{n * f.cost, n * s.cost}, w); err != nil {
		return err
	}
	if n == 1 {
		return nil
	}
	return c.step(rung{oneInstant, ideal(c.q.Siblings), false})
}

// step runs a world and adds what it changes.
func (c *climb) step(r rung) error {
	to, err := c.lab.pair(c.q, r.world)
	if err != nil {
		return err
	}
	if r.name == coldParent && c.q.Siblings > 1 {
		return c.cold(r, to)
	}
	return c.add(r.name, r.whole, to, r.world)
}

// cold parts what a cold parent costs one child from what its siblings add by
// writing the same at the same instant.
func (c *climb) cold(r rung, to Pair) error {
	cold, warm := r.world, r.world
	cold.siblings, warm.siblings, warm.cold = 1, 1, false
	after, err := c.lab.pair(c.q, cold)
	if err != nil {
		return err
	}
	before, err := c.lab.pair(c.q, warm)
	if err != nil {
		return err
	}
	one := after.minus(before)
	if err := c.add(r.name, true, Pair{c.at.Fork + one.Fork, c.at.Fresh + one.Fresh}, r.world); err != nil {
		return err
	}
	return c.add(allWrite, true, to, r.world)
}

// add records a mover that brings the bill to to, in world w.
func (c *climb) add(name string, whole bool, to Pair, w world) error {
	amount := to.minus(c.at)
	c.at = to
	if amount.Zero() && !whole {
		return nil
	}
	x, err := c.cross(w)
	if err != nil {
		return err
	}
	c.out.Movers = append(c.out.Movers, Mover{name, amount, x})
	return nil
}

// absent names the movers that the query leaves out, with the flag that brings
// each in.
func (q *Query) absent(p *cachemodel.Profile) []string {
	if q.Ideal {
		return []string{"everything: leave --ideal out"}
	}
	var out []string
	if q.Reading == 1 {
		out = append(out, "R over several turns (--reading 4)")
	}
	if !q.Cold {
		out = append(out, "cold parent (--cold)")
	}
	switch {
	case q.Siblings == 1:
		out = append(out, "siblings at one instant (--siblings 5)")
	case !q.Cold:
		out = append(out, "siblings at one instant (each fork reads the warm parent's entry: --cold)")
	}
	if q.Stagger == 0 {
		out = append(out, "stagger (--siblings 5 --stagger 5s)")
	}
	if from := q.OutOfReach(); q.Siblings < from {
		out = append(out, fmt.Sprintf("look-back (--siblings %d and more)", from))
	}
	if min(q.Prefix, q.Know) >= p.Minimum {
		out = append(out, fmt.Sprintf("minimum length (below %d tokens)", p.Minimum))
	}
	if q.usual(p) == nil {
		out = append(out, "other read rate (--vary model)")
	}
	return out
}
