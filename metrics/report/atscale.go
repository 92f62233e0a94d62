package report

import (
	"fmt"
	"math"

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
func Another(prompt, cost *metrics.Spread) string {
	tokens, ok := prompt.Half()
	money, also := cost.Half()
	switch {
	case !ok || !also:
		return fmt.Sprintf("%s: too few to say how far off another seed is", shards(prompt.N))
	case tokens == 0 && money == 0:
		return fmt.Sprintf("all %d shards are alike", prompt.N)
	}
	return fmt.Sprintf("another seed comes to prompts within ± %.2g %% and to costs within ± %.2g %%, in 95 of 100 cases", 100*math.Sqrt2*tokens, 100*math.Sqrt2*money)
}

// Against says what a cost is beside another one.
func Against(name string, cost, base cachemodel.Picodollars) string {
	more, by := "more", cost-base
	if by < 0 {
		more, by = "less", -by
	}
	if base == 0 {
		return fmt.Sprintf("%s %s than %s", Money(by), more, name)
	}
	return fmt.Sprintf("%s %s than %s (%.2g %%)", Money(by), more, name, 100*float64(by)/float64(base))
}

func multiple(n int64, factor float64) int64 {
	return int64(math.Min(math.Round(float64(n)*factor), 1<<62))
}

// within is half of the interval around a sum, as a share of it.
func within(s *metrics.Spread) string {
	half, ok := s.Half()
	switch {
	case !ok:
		return fmt.Sprintf(" (of %s, too few to say how far off that may be)", shards(s.N))
	case half == 0:
		return " ± 0 % (all shards are alike)"
	}
	return fmt.Sprintf(" ± %.2g %%", 100*half)
}

func shards(n int64) string {
	if n == 1 {
		return "one shard"
	}
	return fmt.Sprintf("%d shards", n)
}
