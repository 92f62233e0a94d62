package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/realism"
	"agentsim/metrics/report"
	"agentsim/sim/recording/profile"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// checkOptions are the flags of profile that check a scenario.
type checkOptions struct {
	scenario, against string
	sets, variants    []string
	seeds             int
	covers            bool
	output            string
}

// addCheck gives the command that measures sources the flags that check a scenario.
func addCheck(s *ui.Env, cmd *cobra.Command, o *options) {
	c := &checkOptions{}
	f, measure, sources := cmd.Flags(), cmd.RunE, cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if c.scenario != "" && len(args) == 0 {
			return nil
		}
		return sources(cmd, args)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range []string{"against", "seeds", "set", "variant", "format"} {
			if c.scenario == "" && f.Changed(name) && !(c.covers && name == "format") {
				return ui.Failf(ui.Usage, "--%s is of --check SCENARIO, which is not given", name)
			}
		}
		switch {
		case c.covers && c.scenario != "":
			return ui.Failf(ui.Usage, "--check and --coverage are two questions: ask one at a time")
		case c.covers:
			return c.coverage(s, args)
		case c.scenario == "":
			return measure(cmd, args)
		case o.file != "":
			return ui.Failf(ui.Usage, "-o %s: with --check no profile is written; --format json prints the comparison for programs", o.file)
		case len(args) == 0:
			return c.check(s)
		case f.Changed("against"):
			return ui.Failf(ui.Usage, "--against %s: sources are given to compare with; leave one of them out", c.against)
		}
		if !f.Changed("seeds") {
			c.seeds = 2 // for each half
		}
		return c.halves(s, o, args)
	}
	f.StringVar(&c.scenario, "check", "", "run this `scenario`, measure its runs the same way, and compare")
	f.BoolVar(&c.covers, "coverage", false, "forecast each session's bill from the other half of the sources, and say how often the band held")
	f.StringVar(&c.against, "against", profile.Default, "compare with this `profile`, of the binary by name or a file")
	f.IntVar(&c.seeds, "seeds", 10, "with --check: run so many seeds, from the scenario's own on (2 for each half of sources)")
	f.StringArrayVar(&c.sets, "set", nil, "with --check: override one value as `path=value`; may be repeated")
	f.StringArrayVar(&c.variants, "variant", nil, "with --check: run this `variant` only; may be repeated")
	ui.ChoiceFlag(f, &c.output, "format", "", "with --check or --coverage: how the result is printed", ui.Formats...)
}

// simulation reads the scenario.
func (c *checkOptions) simulation(s *ui.Env) (*simulation, error) {
	if err := harness.CheckSeeds(c.seeds); err != nil {
		return nil, err
	}
	project := &loading.Project{}
	defer project.Close()
	on, names, err := project.Variants(s, c.scenario, c.sets, c.variants)
	return &simulation{on: on, variants: names, seeds: c.seeds}, err
}

// withoutLast reports whether a profile's sub-agents lack their last requests.
func withoutLast(p *profile.Profile) bool {
	for _, r := range p.Sources[0].Roles {
		if r.Role == profile.SubAgent && r.Absent["last_request"] != "" {
			return true
		}
	}
	return false
}

// check compares a scenario's runs with a profile.
func (c *checkOptions) check(s *ui.Env) error {
	p, err := loading.OneSource(c.against)
	if err != nil {
		return err
	}
	x, err := c.simulation(s)
	if err != nil {
		return err
	}
	x.opt.WithoutLast, x.apart = withoutLast(p), true
	made, err := x.run(s)
	if err != nil {
		return err
	}
	now := made.all.Whole()
	lines := realism.Compare(p, now, p, realism.Fit)
	if len(lines) == 0 {
		return ui.Failf(ui.Usage, "%s has no figure of %d samples or more: there is nothing to compare with", ui.Quote(c.against), profile.ThinBelow)
	}
	d := &report.Document{}
	d.Heading(x.on.Name, "%s · %s · %s · compared with %s", ui.Plural(x.seeds, "seed"), ui.Plural(len(x.variants), "variant"), ui.Plural(made.runs, "run"), c.against)
	d.Field("seeds", report.Count(x.seeds))
	d.Table(fitTable(lines))
	d.Say("")
	d.Table(outcomes(p, made))
	d.Main("figures")
	missed, of := realism.Misses(lines)
	d.Field("missed", report.Count(missed))
	d.Say("")
	d.Label("bounds", fmt.Sprintf("%d of %d figures that have one are within it: 1.10× at P50 and 1.25× at P90, 5 points of a share, 1.15× for input units of a sub-agent", of-missed, of))
	d.Label("compared", append([]string{"both sides as one population, all variants together unless --variant names some, in the model family with most threads; threads of forks are in no recording and in no figure"}, notes(p, now)...)...)
	if made.open > 0 {
		d.Label("unfinished", fmt.Sprintf("%d of %s did not finish; what they did is measured", made.open, ui.Plural(made.runs, "run")))
	}
	if err := s.Print(c.output, d); err != nil {
		return err
	}
	if missed > 0 {
		return ui.Said(ui.Missed)
	}
	return nil
}

// notes say what the two sides do not have in common.
func notes(recorded, simulated *profile.Profile) (out []string) {
	if a, b := realism.Family(recorded, profile.Main), realism.Family(simulated, profile.Main); a != b {
		out = append(out, fmt.Sprintf("recorded tokens of %s are converted to those of %s, %s", a, b, report.Times(profile.Convert(1000, a, b), 1000)))
	}
	if withoutLast(recorded) {
		out = append(out, "simulated sub-agents without their last request, as the recordings have them")
	}
	return out
}

// fitTable lists figures of both sides.
func fitTable(lines []realism.Line) *report.Sheet {
	type col = report.Column[realism.Line]
	off := func(i int) func(realism.Line) report.Value {
		return func(l realism.Line) report.Value {
			return apart(l.Off[:], l.Unit, i).If(l.Simulated != nil && (i == 0 || l.Unit != profile.Share))
		}
	}
	floor := func(i int) func(realism.Line) report.Value {
		return func(l realism.Line) report.Value { return apart(l.Floor, l.Unit, i) }
	}
	columns := []col{
		{Name: "role", Head: "ROLE", Of: func(l realism.Line) report.Value { return report.Text(l.Role) }},
		{Name: "figure", Head: "FIGURE", Of: func(l realism.Line) report.Value { return report.Text(l.Figure) }},
		{Name: "unit", Head: "UNIT", Drop: 4, Of: func(l realism.Line) report.Value { return report.Text(string(l.Unit)) }},
	}
	for _, side := range [...]struct {
		name string
		of   func(realism.Line) *profile.Figure
	}{
		{"recorded", func(l realism.Line) *profile.Figure { return l.Recorded }}, {"simulated", func(l realism.Line) *profile.Figure { return l.Simulated }},
	} {
		for _, q := range [...]struct{ p, drop int }{{10, 3}, {50, 0}, {90, 0}} {
			columns = append(columns, col{Name: fmt.Sprintf("%s_p%d", side.name, q.p), Head: fmt.Sprintf(" %s P%d", strings.ToUpper(side.name), q.p), Drop: q.drop,
				Of: func(l realism.Line) report.Value { return quantile(side.of(l), l.Unit, q.p) }})
		}
	}
	return report.TableOf("figures", lines, append(columns,
		col{Name: "off_p50", Head: " OFF 50", Of: off(0)},
		col{Name: "off_p90", Head: " OFF 90", Of: off(1)},
		col{Name: "bounded", Of: func(l realism.Line) report.Value { return report.Bool(l.Bounded) }},
		col{Head: "BOUND", Of: func(l realism.Line) report.Value {
			switch {
			case !l.Bounded:
				return report.Text("")
			case l.Missed():
				return report.Text("missed")
			}
			return report.Text("met")
		}},
		col{Name: "missed", Of: func(l realism.Line) report.Value { return report.Bool(l.Missed()) }},
		col{Name: "floor_p50", Head: " FLOOR 50", Drop: 2, Of: floor(0)},
		col{Name: "floor_p90", Head: " FLOOR 90", Drop: 2, Of: floor(1)},
		col{Name: "ks", Head: " KS", Drop: 1, Of: func(l realism.Line) report.Value { return report.Share(int64(l.KS*1000), 1000) }},
		col{Name: "wasserstein", Head: " W1", Drop: 1, Of: func(l realism.Line) report.Value {
			if l.Unit == profile.Share || l.Unit == profile.Thousandth {
				return report.None()
			}
			return report.Count(int64(l.W1))
		}})...)
}

// outcomes are what nobody set: overlap and detours by variant, with what is recorded.
func outcomes(p *profile.Profile, made *simulated) *report.Sheet {
	type row struct {
		name string
		p    *profile.Profile
		*variantRuns
	}
	rows := []row{{name: "(recorded)", p: p}}
	for i := range made.variants {
		v := &made.variants[i]
		rows = append(rows, row{v.name, v.measure.Whole(), v})
	}
	share := func(figure string) func(row) report.Value {
		return func(r row) report.Value {
			f, _ := r.p.Find(profile.Want{Role: profile.SubAgent, Figure: figure, Thin: true})
			if f == nil {
				return report.None()
			}
			return report.Share(*f.Share, 1000)
		}
	}
	type col = report.Column[row]
	return report.TableOf("outcomes", rows,
		col{Name: "variant", Head: "VARIANT", Of: func(r row) report.Value { return report.Text(r.name) }},
		col{Name: "overlap_parent_bytes", Head: " OVERLAP WITH PARENT", Of: share("overlap_parent_bytes")},
		col{Name: "overlap_parent_files", Head: " OF FILES", Of: share("overlap_parent_files")},
		col{Name: "overlap_siblings_bytes", Head: " OVERLAP OF SIBLINGS", Of: share("overlap_siblings_bytes")},
		col{Name: "detours_offered", Head: " DETOURS OFFERED", Of: func(r row) report.Value {
			if r.variantRuns == nil {
				return report.None()
			}
			return report.Count(r.offered)
		}},
		col{Name: "detours_taken", Head: " TAKEN", Of: func(r row) report.Value {
			if r.variantRuns == nil {
				return report.None()
			}
			return report.Count(r.taken)
		}})
}

// simulated is what the runs of a scenario come to, measured as sessions are.
type simulated struct {
	all      *profile.Measure
	variants []variantRuns
	runs     int
	open     int // that did not finish
}

// variantRuns are the runs of one variant.
type variantRuns struct {
	name           string
	measure        *profile.Measure // nil where only all together are asked for
	offered, taken int64            // detours
}

// detours counts those that agents make.
type detours struct{ taken int64 }

// Emit counts one.
func (d *detours) Emit(e *transcript.Event) {
	if c, ok := e.Body.(*transcript.ToolCall); ok && c.Cause == "detour" {
		d.taken++
	}
}

// simulation is a scenario to run and measure.
type simulation struct {
	on       *loading.Loaded
	variants []string
	seeds    int
	opt      profile.Options
	apart    bool // variants are measured by themselves, too
	told     bool // what it says for agents that there are not
}

// run runs every variant with every seed, recorded in a database that is thrown away,
// and measures the runs.
func (x *simulation) run(s *ui.Env) (out *simulated, err error) {
	dir, err := os.MkdirTemp("", "agentsim-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Create(filepath.Join(dir, "runs.db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	w, err := harness.NewSweep(x.on.Maker(nil), x.variants, x.seeds)
	if err != nil {
		return nil, err
	}
	x.opt.Joined = true
	out = &simulated{all: profile.New(x.opt)}
	for _, name := range x.variants {
		v := variantRuns{name: name}
		if x.apart {
			v.measure = profile.New(x.opt)
		}
		out.variants = append(out.variants, v)
	}
	h := harness.New(s, "simulating", len(w.Cells)*x.seeds)
	defer h.Close()
	h.Recorder, h.NoAudit = &harness.Record{DB: db, Level: sqlite.Full}, true
	made := make([]detours, len(w.Cells)*x.seeds)
	err = h.Each(w, func(j *harness.Job, cell, n int) {
		j.Watch, j.Sinks = nil, []transcript.Sink{&made[cell*x.seeds+n]}
	}, func(cell, n int, r *harness.Run) error {
		v := &out.variants[cell]
		v.offered += int64(r.Result.Detours)
		v.taken += made[cell*x.seeds+n].taken
		return out.take(db, v, r)
	})
	if err == nil && h.Stop.Has() {
		err = ui.Failf(ui.Interrupted, "interrupted; nothing was measured")
	}
	if err == nil && !x.told {
		x.told, err = true, loading.WarnUnstruck(s, h)
	}
	return out, err
}

// take measures one run that has ended.
func (x *simulated) take(db *sqlite.DB, v *variantRuns, r *harness.Run) error {
	x.runs++
	if r.Open() != "" {
		x.open++
	}
	session, err := loading.Session(db, sqlite.RunInfo{ID: r.ID})
	if err != nil {
		return err
	}
	x.all.Add("", session)
	if v.measure != nil {
		v.measure.Add("", session)
	}
	return nil
}
