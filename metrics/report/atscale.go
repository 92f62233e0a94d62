package report

import (
	"fmt"
	"math"
	"strconv"

	"agentsim/cachemodel"
	"agentsim/metrics"
)

// AtScale says what sessions come to where their agents of a type are started so often in
// a period: what ran, where all of them did, else a multiple of it, with the interval that
// holds the true one in 95 of 100 cases, by how much shards differ.
func AtScale(spawns, ran int64, typ, period string, t *metrics.Tally, prompt, cost *metrics.Spread) string {
	if spawns == ran {
		return fmt.Sprintf("all %s starts of %s of a %s ran: %s tok of prompts, %s, exactly as above", Quantity(spawns), typ, period, Quantity(t.Usage.Prompt()), Money(t.Cost))
	}
	factor, cases := float64(spawns)/float64(ran), ""
	if _, ok := prompt.Half(); ok {
		cases = ", in 95 of 100 cases"
	}
	return fmt.Sprintf("%s starts of %s ran, and a %s has %s: %s as much is %s tok of prompts%s, %s%s%s", Quantity(ran), typ, period, Quantity(spawns), Times(spawns, ran),
		Quantity(multiple(t.Usage.Prompt(), factor)), within(prompt), Money(cachemodel.Picodollars(multiple(int64(t.Cost), factor))), within(cost), cases)
}

// Another says how far off the sums of other shards, as another seed draws them, may be.
func Another(seed string, prompt, cost *metrics.Spread, more string) string {
	tokens, ok := prompt.Half()
	money, also := cost.Half()
	switch {
	case !ok || !also:
		return fmt.Sprintf("%s: too few to say how far off another seed is; %s", whole(prompt.N), more)
	case tokens == 0 && money == 0:
		return fmt.Sprintf("all %d shards are alike", prompt.N)
	}
	return fmt.Sprintf("another seed, such as %s, comes to prompts within ± %s %% and to costs within ± %s %%, in 95 of 100 cases",
		seed, two(100*math.Sqrt2*tokens), two(100*math.Sqrt2*money))
}

// Against says what a cost is beside another one, and what it is with another seed, by
// how much they differ in each shard.
func Against(name string, cost, base cachemodel.Picodollars, apart *metrics.Spread) string {
	text := apartBy(cost-base) + " than " + name
	if base != 0 {
		text += fmt.Sprintf(" (%s %%)", two(100*math.Abs(float64(cost-base))/float64(base)))
	}
	half, ok := apart.Within()
	if !ok {
		return text
	}
	off := cachemodel.Picodollars(math.Sqrt2 * half)
	low, high := cost-base-off, cost-base+off
	text += fmt.Sprintf("; with another seed from %s to %s, in 95 of 100 cases", apartBy(low), apartBy(high))
	if low < 0 && high > 0 {
		text += ": which costs less is open"
	}
	return text
}

func apartBy(d cachemodel.Picodollars) string {
	if d < 0 {
		return Money(-d) + " less"
	}
	return Money(d) + " more"
}

// two is a figure with two digits, and none in a power of ten.
func two(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func multiple(n int64, factor float64) int64 {
	return int64(math.Min(math.Round(float64(n)*factor), 1<<62))
}

// within is half of the interval around a sum, as a share of it.
func within(s *metrics.Spread) string {
	half, ok := s.Half()
	switch {
	case !ok:
		return fmt.Sprintf(" (of %s, too few to say how far off that may be)", whole(s.N))
	case half == 0:
		return " ± 0 % (all shards are alike)"
	}
	return fmt.Sprintf(" ± %s %%", two(100*half))
}

// whole are shards with all their sessions.
func whole(n int64) string {
	if n == 1 {
		return "one whole shard"
	}
	return fmt.Sprintf("%d whole shards", n)
}
