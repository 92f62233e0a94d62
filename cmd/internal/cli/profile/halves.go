package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/realism"
	"agentsim/metrics/report"
	"agentsim/sim/recording"
	"agentsim/sim/recording/importer"
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
		now = made.all.Whole()
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

// coverage forecasts the bills of recorded sessions from the other half of their
// repository's, and says how often the bands held.
func (c *checkOptions) coverage(s *ui.Env, paths []string) error {
	sources := map[string][]*recording.Session{}
	_, err := loading.Recordings(s, paths, importer.Options{}, func(x *recording.Session) error {
		name := cmp.Or(x.Origin, loading.RootOf(x, paths))
		sources[name] = append(sources[name], x)
		return nil
	})
	if err != nil {
		return err
	}
	found := realism.Cover(sources)
	if len(found) == 0 {
		return ui.Failf(ui.Operating, "%s: no repository with %d sessions that are billed by an API that bills cache writes: fewer cannot be halved", ui.QuoteAll(paths), profile.ThinBelow)
	}
	d := &report.Document{}
	rows := scored(found)
	d.Table(coverageTable(rows))
	d.Main("coverage")
	missed := slices.ContainsFunc(rows, func(r scoreRow) bool { return r.missed() != "" })
	d.Say("")
	d.Label("forecast", "the bill of a session in input units (uncached 1, write 1.25, read 0.1), drawn 200 times from the profile of the other half of its repository",
		"before: given the user's turns, the model and how long the cache lives; agents told: how many agents as well; as it ran: requests and agents",
		"plain bills: those of the other half, which know nothing of the session")
	d.Label("bounds", "covered: 75 to 85 % of the bills lie between P10 and P90 from 60 sessions on, else what chance leaves of 80 %",
		"skill, how much better than plain bills (CRPS of the log bill): 25 % before, 60 % as it ran; band, the median of P90 over P10: 8 and 3 from 60 sessions on")
	d.Label("split", fmt.Sprintf("%d times in halves by session, both ways; repositories are not mixed", realism.Splits))
	if err := s.Print(c.output, d); err != nil {
		return err
	}
	if missed {
		return ui.Said(ui.Missed)
	}
	return nil
}

// scoreRow is one form of one source; the form of plain bills is Forms.
type scoreRow struct {
	*realism.Coverage
	form realism.Form
	*realism.Score
}

func scored(found []realism.Coverage) (rows []scoreRow) {
	for i := range found {
		c := &found[i]
		rows = append(rows, scoreRow{c, realism.Forms, &c.Plain})
		for f := range realism.Forms {
			rows = append(rows, scoreRow{c, f, &c.Forms[f]})
		}
	}
	return rows
}

func (r scoreRow) missed() string {
	if r.form == realism.Forms {
		return ""
	}
	return strings.Join(r.Coverage.Missed(r.form), ", ")
}

// histogram is the integral transform: of a band that holds, a tenth in each tenth.
func (r scoreRow) histogram() string {
	all := 0
	for _, n := range r.PIT {
		all += n
	}
	var out []string
	for _, n := range r.PIT {
		out = append(out, fmt.Sprint((n*100+all/2)/all))
	}
	return strings.Join(out, " ")
}

func coverageTable(rows []scoreRow) *report.Sheet {
	type col = report.Column[scoreRow]
	share := func(of func(scoreRow) float64) func(scoreRow) report.Value {
		return func(r scoreRow) report.Value { return report.Share(int64(of(r)*1000+0.5), 1000) }
	}
	ratio := func(x float64) report.Value { return report.Ratio(int64(x*1000+0.5), 1000) }
	return report.TableOf("coverage", rows,
		col{Name: "source", Head: "SOURCE", Of: func(r scoreRow) report.Value { return report.Text(cmp.Or(r.Source, "(unnamed)")) }},
		col{Name: "sessions", Head: " SESSIONS", Of: func(r scoreRow) report.Value { return report.Count(r.Sessions) }},
		col{Name: "forecast", Head: "FORECAST", Of: func(r scoreRow) report.Value {
			if r.form == realism.Forms {
				return report.Text("plain bills")
			}
			return report.Text(r.form.String())
		}},
		col{Name: "covered", Head: " COVERED", Of: share(func(r scoreRow) float64 { return r.Mean() })},
		col{Name: "covered_min", Head: " LEAST", Drop: 2, Of: share(func(r scoreRow) float64 { return slices.Min(r.Covered[:]) })},
		col{Name: "covered_max", Head: " MOST", Drop: 2, Of: share(func(r scoreRow) float64 { return slices.Max(r.Covered[:]) })},
		col{Name: "band", Head: " P90/P10", Of: func(r scoreRow) report.Value { return ratio(r.Band) }},
		col{Name: "skill", Head: " SKILL", Of: share(func(r scoreRow) float64 { return max(r.Skill(&r.Plain), 0) })},
		col{Name: "transform", Head: "BILLS BY TENTH OF THE DRAWS, %", Drop: 1, Of: func(r scoreRow) report.Value { return report.Text(r.histogram()) }},
		col{Name: "missed", Head: "MISSED", Of: func(r scoreRow) report.Value { return report.Text(r.missed()) }})
}
