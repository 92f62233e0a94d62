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

func multiple(n int64, factor float64) int64 {
	return int64(math.Min(math.Round(float64(n)*factor), 1<<62))
}

// within is half of the interval around a sum, as a share of it.
func within(s *metrics.Spread) string {
	half, ok := s.Half()
	switch {
	case !ok:
		shards := "one shard"
		if s.N != 1 {
			shards = fmt.Sprintf("%d shards", s.N)
		}
		return fmt.Sprintf(" (of %s, too few to say how far off that may be)", shards)
	case half == 0:
		return " ± 0 % (all shards are alike)"
	}
	return fmt.Sprintf(" ± %.2g %%", 100*half)
}
