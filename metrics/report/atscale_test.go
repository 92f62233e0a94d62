package report

import (
	"testing"

	"agentsim/metrics"
)

func TestAtScale(t *testing.T) {
	t.Run("POP-06 where fewer ran than there are, the multiple has its interval, and where all ran there is none", func(t *testing.T) {
		var tally metrics.Tally
		tally.Usage.Input, tally.Cost = 40_000_000, 8e12
		var prompt, cost metrics.Spread
		for _, x := range []int64{9_000_000, 11_000_000, 9_000_000, 11_000_000} { // s = 1.155 M, 1.96 s/√4 = 1.13 M of a mean of 10 M
			prompt.Add(x)
			cost.Add(2e12)
		}
		for _, c := range []struct {
			spawns int64
			want   string
		}{
			{1_000, "all 1.00 k starts of Explore of a week ran: 40.0 M tok of prompts, $8.00, exactly as above"},
			{100_000, "1.00 k starts of Explore ran, and a week has 100 k: 100× as much is 4.00 G tok of prompts ± 11 %, $800.00 ± 0 % (all shards are alike)"},
		} {
			if got := AtScale(c.spawns, 1_000, "Explore", "week", &tally, &prompt, &cost); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		}
	})
}
