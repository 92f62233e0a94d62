package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
	"agentsim/sim"

	"github.com/spf13/cobra"
)

// estimateOptions are the flags of estimate.
type estimateOptions struct {
	options
	limits []string
}

// openBand is how wide forecasts of recorded sessions are whose turns and agents were
// known, in the two repositories that the dated record of testdata/validation judges.
const openBand = "7.7 to 12.3"

// NewEstimate makes the command.
func NewEstimate(s *ui.Env) *cobra.Command {
	o := &estimateOptions{}
	cmd := &cobra.Command{
		Use:   "estimate SCENARIO",
		Short: "say what a scenario will cost, with a band, before anything runs",
		Long: fmt.Sprintf(`Runs every variant of a scenario with many seeds, records nothing, and prints P10, P50 and P90 of money, tokens, time and
agents, how wide the band is, and what the spread goes with. Sizes that a scenario draws make the band; one that draws
nothing has none.

--threshold limits a figure, as in bench, and is kept where nine seeds in ten keep it; it ends with 3 where one is not. That is
for work whose calls a scenario determines: what an open session costs, whose turns and agents alone are known, is known in a
band %s times wide (agentsim profile --coverage).`, openBand),
		Example: `  agentsim estimate fork-vs-subagent --seeds 5
  agentsim estimate hello --threshold 'cost <= $0.05'`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return estimate(s, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "override one value as `path=value`; may be repeated")
	f.StringArrayVar(&o.variants, "variant", nil, "run this `variant` only; may be repeated")
	f.IntVar(&o.seeds, "seeds", 20, "run so many seeds, from the scenario's own on")
	f.StringArrayVar(&o.limits, "threshold", nil, "a `limit` such as 'cost <= $2'; may be repeated")
	f.IntVar(&o.workers, "workers", 0, "how many runs go on at a time (default: one for each core)")
	o.project.Add(f)
	ui.OutputFlag(f, &o.output)
	return cmd
}

// estimated are the runs of one variant.
type estimated struct {
	variant string
	runs    []*metrics.Run
	open    int
	why     string // the first did not finish
}

// column is a figure over the runs that finished.
func (e *estimated) column(name string) (out []int64) {
	for _, r := range e.runs {
		if v, ok := metrics.Lookup(r, "", name); ok {
			out = append(out, v.Num)
		}
	}
	return out
}

func estimate(s *ui.Env, o *estimateOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	limits, err := baseline.ParseAll(o.limits, baseline.ParseLimit)
	if err != nil {
		return err
	}
	defer o.project.Close()
	o.sets = o.project.Sets(o.sets)
	on, names, err := o.project.Variants(s, o.name, o.sets, o.variants)
	if err != nil {
		return err
	}
	for _, t := range limits {
		if !slices.ContainsFunc(names, func(v string) bool { return t.Matches(on.Name, v) }) {
			return ui.Fail(ui.Usage, t.NoMatch(names))
		}
	}
	list, specs, err := o.simulate(s, on, names)
	if err != nil {
		return err
	}
	d := estimates(on, list, specs, o.seeds)
	broken, kept := judged(on.Name, list, limits)
	d.LabelMarked("missed", report.Bad, broken...)
	d.Label("kept", kept...)
	d.Field("missed", report.List(broken))
	d.Field("kept", report.List(kept))
	if err := s.Print(o.output, d); err != nil {
		return err
	}
	for _, e := range list {
		if e.open > 0 {
			return ui.Failf(ui.Unfinished, "%d of %s of %s did not finish, and are in no figure; the first: %s", e.open, ui.Plural(o.seeds, "run"), cmp.Or(e.variant, on.Name), e.why)
		}
	}
	if len(broken) > 0 {
		return ui.Said(ui.Missed)
	}
	return nil
}

// simulate runs the variants with all seeds.
func (o *estimateOptions) simulate(s *ui.Env, on *loading.Loaded, names []string) (list []estimated, specs []*sim.Spec, err error) {
	w, err := harness.NewSweep(on.Maker(nil), names, o.seeds)
	if err != nil {
		return nil, nil, err
	}
	list = make([]estimated, len(names))
	h := harness.New(s, "estimating", len(names)*o.seeds)
	defer h.Close()
	h.Workers, h.NoAudit = o.workers, true
	err = h.Each(w, func(j *harness.Job, _, n int) {
		if n == 0 {
			specs = append(specs, j.Spec)
		}
	}, func(cell, _ int, r *harness.Run) error {
		e := &list[cell]
		e.variant = names[cell]
		if why := r.Open(); why != "" {
			if e.open++; e.open == 1 {
				e.why = why
			}
			return nil
		}
		e.runs = append(e.runs, r.Metrics)
		return nil
	})
	return list, specs, loading.Ended(s, h, err, "nothing was estimated")
}

// judged says which limits fewer than nine runs in ten keep, and which are kept.
func judged(scenario string, list []estimated, limits []*baseline.Threshold) (broken, held []string) {
	for _, t := range limits {
		for i := range list {
			e, kept := &list[i], 0
			if !t.Matches(scenario, e.variant) {
				continue
			}
			for _, r := range e.runs {
				if v, ok := metrics.Lookup(r, "", t.Metric()); ok && t.Met(v, nil) {
					kept++
				}
			}
			to := &held
			if kept*10 < len(e.runs)*9 {
				to = &broken
			}
			*to = append(*to, fmt.Sprintf("%s: kept by %d of %s of %s", t.Text, kept, ui.Plural(len(e.runs), "run"), cmp.Or(e.variant, scenario)))
		}
	}
	return broken, held
}

// estimate's figures, and those that the spread of the cost may go with.
var (
	estimatedMetrics = []string{"cost", "tokens.prompt", "tokens.output", "time", "agents"}
	drivers          = []string{"calls", "agents", "tokens.written", "tokens.read", "tokens.output", "misses.tokens"}
)

// estimates is the answer as a document.
func estimates(on *loading.Loaded, list []estimated, specs []*sim.Spec, seeds int) *report.Document {
	d := &report.Document{}
	d.Heading(on.Name, "%s · %s", ui.Plural(len(list), "variant"), ui.Plural(seeds, "seed"))
	d.Field("scenario", report.Text(on.Name))
	d.Field("seeds", report.Count(seeds))
	on.Tell(d, specs)
	d.Table(estimateTable(list))
	d.Main("estimates")
	d.Say("")
	var spread []string
	for i := range list {
		spread = append(spread, list[i].spread())
	}
	d.Label("spread", spread...)
	d.Label("assumed", strings.Join(specs[0].Scenario.Profile.From, " · "))
	d.Label("band", "of what this scenario draws and nothing else; an open session, whose turns and agents alone are known, has a band "+openBand+" times wide",
		"thresholds are for work whose calls are determined")
	return d
}

// spread says how far the cost varies, and with what.
func (e *estimated) spread() string {
	cost := e.column("cost")
	if len(cost) == 0 {
		return ""
	}
	x := stat.Describe(cost)
	name := strings.TrimSpace(e.variant + " cost")
	if len(cost) < 2 {
		return name + ": one seed tells no spread"
	}
	if x.P90-x.P10 < x.P10/100 {
		return name + " is within 1 % the same with every seed: what is drawn hardly moves it"
	}
	type driver struct {
		name  string
		share float64
	}
	var by []driver
	for _, m := range drivers {
		if share := stat.Explained(cost, e.column(m)); share >= 0.1 {
			by = append(by, driver{m, share})
		}
	}
	slices.SortStableFunc(by, func(a, b driver) int { return -cmp.Compare(a.share, b.share) })
	var with []string
	for _, b := range by[:min(len(by), 3)] {
		with = append(with, fmt.Sprintf("%s (%.0f %%)", b.name, b.share*100))
	}
	return fmt.Sprintf("%s: P90 is %s P10; it goes with %s", name, report.Times(x.P90, x.P10), cmp.Or(strings.Join(with, ", "), "nothing in particular"))
}

// estimateTable has a row for each figure of a variant.
func estimateTable(list []estimated) *report.Sheet {
	type row struct {
		variant string
		first   bool
		metric  metrics.Name
		stat.Summary
	}
	var rows []row
	for i := range list {
		for k, name := range estimatedMetrics {
			m, _ := metrics.Find(name)
			if x := list[i].column(name); len(x) > 0 {
				rows = append(rows, row{list[i].variant, k == 0, m, stat.Describe(x)})
			}
		}
	}
	type col = report.Column[row]
	value := func(of func(row) int64) func(row) report.Value {
		return func(r row) report.Value { return report.Text(report.Figure(metrics.Whole(of(r), r.metric.Unit))) }
	}
	exact := func(of func(row) int64) func(row) report.Value {
		return func(r row) report.Value { return report.Count(of(r)) }
	}
	p10, p50, p90 := func(r row) int64 { return r.P10 }, func(r row) int64 { return r.Median }, func(r row) int64 { return r.P90 }
	return report.TableOf("estimates", rows,
		col{Name: "variant", Of: func(r row) report.Value { return report.Text(r.variant) }},
		col{Head: "VARIANT", Of: func(r row) report.Value { return report.Text(r.variant).OrBlank(r.first) }},
		col{Name: "metric", Head: "FIGURE", Of: func(r row) report.Value { return report.Text(r.metric.Name) }},
		col{Name: "unit", Of: func(r row) report.Value { return report.Text(string(r.metric.Unit)) }},
		col{Name: "n", Of: func(r row) report.Value { return report.Count(r.N) }},
		col{Name: "p10", Of: exact(p10)}, col{Name: "p50", Of: exact(p50)}, col{Name: "p90", Of: exact(p90)},
		col{Head: " P10", Of: value(p10)}, col{Head: " P50", Of: value(p50)}, col{Head: " P90", Of: value(p90)},
		col{Name: "band", Head: " P90/P10", Drop: 1, Of: func(r row) report.Value { return report.Ratio(r.P90, r.P10) }})
}
