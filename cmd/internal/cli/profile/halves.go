package profile

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/realism"
	"agentsim/metrics/report"
	"agentsim/sim/recording/profile"
)

// mostMissed is how many bounded figures may miss, in the middle of all comparisons.
const mostMissed = 2

// halves compares a scenario's runs with halves of recorded sessions that nothing of
// the runs was drawn from.
func (c *checkOptions) halves(s *ui.Env, o *options, args []string) error {
	o.narrow.Joined = true
	m, _, err := o.measured(s, args)
	if err != nil {
		return err
	}
	x, err := c.simulation(s)
	if err != nil {
		return err
	}
	whole := m.Profile()
	if n := whole.Sources[0].Sessions; n < profile.ThinBelow {
		return ui.Failf(ui.Usage, "%s: %s cannot be halved: %d are needed", ui.QuoteAll(args), ui.Things(n, "session"), profile.ThinBelow)
	}
	x.opt.WithoutLast = withoutLast(whole)
	var now *profile.Profile
	runs := 0
	h, err := realism.Against(m, func(seen *profile.Profile) (*profile.Profile, error) {
		if err := loading.Draw(x.on, c.sets, fmt.Sprintf("half-%d", runs), seen); err != nil {
			return nil, err
		}
		made, err := x.run(s)
		if err != nil {
			return nil, err
		}
		runs += made.runs
		now = made.all.Profile()
		return now, nil
	})
	if err != nil {
		return err
	}
	d := &report.Document{}
	d.Heading(x.on.Name, "%s · %s that draw from the other half · %s, halved %d times, compared both ways", ui.Plural(x.seeds, "seed"), ui.Plural(runs, "run"), ui.Things(whole.Sources[0].Sessions, "session"), realism.Splits)
	d.Table(halvesTable(h))
	d.Main("figures")
	d.Field("missed", report.Count(realism.Median(h.Simulated)))
	d.Field("missed_by_halves", report.Count(realism.Median(h.Copied)))
	d.Say("")
	d.Label("missed", fmt.Sprintf("%d of %d figures in the middle of %d comparisons; at most %d are asked for", realism.Median(h.Simulated), h.Of, len(h.Simulated), mostMissed),
		fmt.Sprintf("the other half itself, which is as near as a simulation can be, misses %d", realism.Median(h.Copied)))
	d.Label("bounds", "1.25× at P50, 1.5× at P90, 10 points of a share, or the figure's floor where that is more")
	d.Label("compared", notes(whole, now)...)
	if err := s.Print(c.output, d); err != nil {
		return err
	}
	if realism.Median(h.Simulated) > mostMissed {
		return ui.Said(ui.Missed)
	}
	return nil
}

func halvesTable(h *realism.Halves) *report.Sheet {
	slices.SortStableFunc(h.Lines, func(a, b realism.HalvesLine) int { return -cmp.Compare(a.Simulated, b.Simulated) })
	type col = report.Column[realism.HalvesLine]
	bound := func(i int) func(realism.HalvesLine) report.Value {
		return func(l realism.HalvesLine) report.Value {
			unit := profile.KindOf(l.Figure).Unit
			return apart(l.Bound[:], unit, i).If(i == 0 || unit != profile.Share && unit != profile.Thousandth)
		}
	}
	of := int64(len(h.Simulated))
	return report.TableOf("figures", h.Lines,
		col{Name: "role", Head: "ROLE", Of: func(l realism.HalvesLine) report.Value { return report.Text(l.Role) }},
		col{Name: "figure", Head: "FIGURE", Of: func(l realism.HalvesLine) report.Value { return report.Text(l.Figure) }},
		col{Name: "bound_p50", Head: " BOUND 50", Of: bound(0)},
		col{Name: "bound_p90", Head: " BOUND 90", Of: bound(1)},
		col{Name: "missed", Head: " MISSED", Of: func(l realism.HalvesLine) report.Value { return report.Share(int64(l.Simulated), of) }},
		col{Name: "missed_by_halves", Head: " MISSED BY THE OTHER HALF", Of: func(l realism.HalvesLine) report.Value { return report.Share(int64(l.Copied), of) }})
}
