package report

import (
	"strings"
	"testing"

	"agentsim/metrics"
)

func TestAtScale(t *testing.T) {
	t.Run("POP-06 where fewer ran than there are, the multiple has its interval, and where all ran there is none", func(t *testing.T) {
		var tally metrics.Tally
		tally.Usage.Input, tally.Cost = 40_000_000, 8e12
		var prompt, cost metrics.Spread
		for range 5 { // s = 1.054 M, 2.262 s/√10 = 0.754 M of a mean of 10 M, by Student's t with 9 degrees of freedom
			prompt.Add(9_000_000)
			prompt.Add(11_000_000)
			cost.Add(2e12)
			cost.Add(2e12)
		}
		for _, c := range []struct {
			spawns int64
			want   string
		}{
			{1_000, "all 1.00 k starts of Explore of a week ran: 40.0 M tok of prompts, $8.00, exactly as above"},
			{100_000, "1.00 k starts of Explore ran, and a week has 100 k: 100× as much is 4.00 G tok of prompts ± 7.5 %, $800.00 ± 0 % (all shards are alike), in 95 of 100 cases"},
		} {
			if got := AtScale(c.spawns, 1_000, "Explore", "week", &tally, &prompt, &cost); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		}
		var few metrics.Spread
		few.Add(1)
		few.Add(2)
		if got := AtScale(100_000, 1_000, "Explore", "week", &tally, &few, &cost); !strings.Contains(got, "4.00 G tok of prompts (of 2 whole shards, too few to say how far off that may be), $800.00") {
			t.Error(got)
		}
		if got := Another("72", &few, &cost, "more do"); got != "2 whole shards: too few to say how far off another seed is; more do" {
			t.Error(got)
		}
		if got := Another("72", &prompt, &cost, ""); got != "another seed, such as 72, comes to prompts within ± 11 % and to costs within ± 0 %, in 95 of 100 cases" { // √2 × 7.5 %
			t.Error(got)
		}
		if got := Against("a", 6e12, 8e12, &few); got != "$2.00 less than a (25 %)" {
			t.Error(got)
		}
		var apart metrics.Spread
		for i := range int64(10) { // 9 more or 11 less: √2 × 2.262 × √(10 × 111.1) off
			apart.Add(-1e12 + (i%2*2-1)*10e12)
		}
		if got := Against("a", 88e12, 98e12, &apart); got != "$10.00 less than a (10 %); with another seed from $116.64 less to $96.64 more, in 95 of 100 cases: which costs less is open" {
			t.Error(got)
		}
		if got := Against("a", 250e12, 98e12, &apart); got != "$152.00 more than a (160 %); with another seed from $45.36 more to $258.64 more, in 95 of 100 cases" {
			t.Error(got)
		}
		if got := two(3.4567e-5) + " " + two(0.99999) + " " + two(1234); got != "0.000035 1 1200" {
			t.Error(got)
		}
	})
}
