package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/rng"
)

// Bounds of pct, and how many choices it takes a run to make where nothing is
// said.
const (
	MaxDepth      = 64
	MaxChoices    = 1 << 40
	UsualChoices  = 1000
	initialBorder = 1 << 63 // priorities from here on have not fallen
)

// PCT gives each process a priority, drawn for its name, and runs the highest of
// those that are ready. At depth-1 points, drawn from the first choices choices,
// the one that would run falls below all others; the first point drawn falls
// deepest.
//
// An ordering fault that needs depth choices to go one certain way, in a run of n
// processes and at most choices choices, is found by one run with a probability
// of at least 1 / (n × choices^(depth-1)), however long the run; random's chance
// falls with every choice that matters. depth is from 1 to MaxDepth, choices from
// 1 to MaxChoices; other values panic.
//
// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler
// with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010. A step is a choice
// here: between two, processes run alone.
func PCT(depth int, choices int64, key rng.Key) Policy {
	if depth < 1 || depth > MaxDepth || choices < 1 || choices > MaxChoices {
		panic(fmt.Sprintf("kernel: pct of depth %d, %d choices", depth, choices))
	}
	p := &pct{depth: depth, bound: choices, key: key.Sub("priority"), named: map[string]uint64{}}
	for i := range depth - 1 {
		p.falls = append(p.falls, fall{at: key.Sub("fall").At(uint64(i)).Between(0, choices-1), to: uint64(i) + 1})
	}
	slices.SortStableFunc(p.falls, func(a, b fall) int { return int(max(-1, min(1, a.at-b.at))) })
	return p
}

// parsePCT reads pct:D or pct:D:K.
func parsePCT(text, rest string, key rng.Key) (Policy, error) {
	depth, bound, bounded := strings.Cut(rest, ":")
	d, err := strconv.Atoi(depth)
	if err != nil || d < 1 || d > MaxDepth {
		return nil, fmt.Errorf("scheduling policy %q: the depth is a whole number from 1 to %d, such as pct:3", text, MaxDepth)
	}
	k := int64(UsualChoices)
	if bounded {
		if k, err = strconv.ParseInt(bound, 10, 64); err != nil || k < 1 || k > MaxChoices {
			return nil, fmt.Errorf("scheduling policy %q: how many choices a run makes is a whole number from 1 to %d, such as pct:3:%d", text, int64(MaxChoices), UsualChoices)
		}
	}
	return PCT(d, k, key), nil
}

type fall struct {
	at int64  // number of the choice
	to uint64 // the priority
}

type pct struct {
	depth   int
	bound   int64
	key     rng.Key
	falls   []fall            // that are still to come, in order
	named   map[string]uint64 // how many processes of a name were seen
	of      []uint64          // priorities by process; 0 for one that was not seen
	choices []int32
}

// Name is the shortest text that selects the policy.
func (p *pct) Name() string {
	if p.bound == UsualChoices {
		return fmt.Sprintf("pct:%d", p.depth)
	}
	return fmt.Sprintf("pct:%d:%d", p.depth, p.bound)
}

// Choose runs the highest; of equals the one that has been ready longest.
func (p *pct) Choose(n int, ready func(int) *Proc) int {
	i := p.highest(n, ready)
	for len(p.falls) > 0 && p.falls[0].at <= int64(len(p.choices)) {
		p.of[ready(i).ID()] = p.falls[0].to
		p.falls = p.falls[1:]
		i = p.highest(n, ready)
	}
	p.choices = append(p.choices, int32(i))
	return i
}

// Choices are the numbers chosen so far.
func (p *pct) Choices() []int32 { return p.choices }

func (p *pct) highest(n int, ready func(int) *Proc) (best int) {
	for i := range n {
		if p.priority(ready(i)) > p.priority(ready(best)) {
			best = i
		}
	}
	return best
}

// priority is a process's present one. The first belongs to its name, and to how
// many of that name were seen before it.
func (p *pct) priority(q *Proc) uint64 {
	for int(q.ID()) >= len(p.of) {
		p.of = append(p.of, 0)
	}
	if p.of[q.ID()] == 0 {
		p.of[q.ID()] = initialBorder | p.key.Sub(q.Name()).At(p.named[q.Name()]).Uint64()
		p.named[q.Name()]++
	}
	return p.of[q.ID()]
}
