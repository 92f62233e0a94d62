package run

import (
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/recording/profile"
	"agentsim/sim/transcript"
)

func TestLifeSize(t *testing.T) {
	rows := func(costs ...cachemodel.Picodollars) (out []report.Row) {
		for i, c := range costs {
			r := &metrics.Run{Outcome: transcript.Completed, Items: metrics.Outcomes{Done: 1, Total: 1}}
			if r.Total.Cost = c * 1e12; c < 0 {
				r.Total.Cost, r.Items.Done = -r.Total.Cost, 0
			}
			out = append(out, report.Row{Variant: string(rune('a' + i)), Run: r})
		}
		return out
	}
	t.Run("PRO-05 TRI-09 invented sizes are told what recorded ones come to, and whether the ranking turns", func(t *testing.T) {
		for _, c := range []struct {
			small, large []report.Row
			want         string
		}{
			{rows(1, 2), rows(3, 4), "a $3.00, b $4.00; a is the cheapest then, too"},
			{rows(1, 2), rows(4, 3), "a $4.00, b $3.00; the cheapest is b then, and not a"},
			{rows(1, 2, 3), rows(1, 5, 4), "a $1.00, b $5.00, c $4.00; a is the cheapest then, too, but the others do not all keep their ranks"},
			{rows(1, 2), rows(-1, -2), "a $1.00 (0/1), b $2.00 (0/1); which is the cheapest is not known, since work is left undone"},
			{rows(1, 2), rows(-1, 2), "a $1.00 (0/1), b $2.00; which is the cheapest is not known, since work is left undone"},
			{rows(-1, 2), rows(1, 2), "a $1.00, b $2.00; the cheapest is a then, and above it is not known, since work is left undone"},
		} {
			if got := turned(c.small, c.large, "agentsim run x")[0]; !strings.HasSuffix(got, ": "+c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		}
	})
}

func TestRecordedSizes(t *testing.T) {
	t.Run("PRO-05 the command for recorded sizes is the one that was typed, with their profile", func(t *testing.T) {
		s := &ui.Env{Args: []string{"run", "my work.yaml", "--profile", "tiny", "--seed", "5", "--set", "a=1", "--profile=tiny", "--set", "profile=tiny", "--set=profile=tiny"}}
		if got, want := recordedSizes(s), "agentsim run 'my work.yaml' --seed 5 --set a=1 --profile "+profile.Default; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
