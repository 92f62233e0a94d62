// Package sweep is the command that runs a scenario over a grid of values and
// seeds.
package sweep

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"agentsim/cmd/internal/cluster"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"

	"github.com/spf13/cobra"
)

// options are the flags of sweep.
type options struct {
	name     string
	sets     []string
	variants []string
	seeds    int
	db       string
	workers  int
	output   string
	plot     string
	server   cluster.Server
	project  loading.Project
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "sweep SCENARIO",
		Short: "run a scenario over a grid of values and seeds",
		Long: `Runs every variant of a scenario at every combination of the values that --set lists (or, where none lists several, of
the scenario's own sweep), with as many seeds as asked for, on all cores, and prints what each variant costs where, which
one is the cheapest, and where the ranking changes.

A variant that draws nothing is the same with every seed and is run once; the output says so. Each run is recorded
with its totals, whole runs only. A run that the database has is not run again, so the same command
goes on where an interrupted one stopped. What is printed does not depend on the number of workers.`,
		Example: `  agentsim sweep fork-vs-subagent --set model.reads_per_turn=1,2,4 --variant fork --variant subagent
  agentsim sweep hello --seeds 20 -o csv`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(_ *cobra.Command, args []string) error {
			o.name = args[0]
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.sets, "set", nil, "override one value, or give several to run over, as `path=a,b,c`; may be repeated")
	f.StringArrayVar(&o.variants, "variant", nil, "run this `variant` only; may be repeated")
	f.IntVar(&o.seeds, "seeds", 1, "run so many seeds, from the scenario's own on")
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.IntVar(&o.workers, "workers", 0, "how many runs go on at a time (default: one for each core)")
	o.project.Add(f)
	o.server.Flags(f, "have runs carried out by workers at")
	ui.OutputFlag(f, &o.output)
	f.StringVar(&o.plot, "plot", "", "also draw what variants cost along the first axis into this `file` (.svg or .png)")
	return cmd
}

// maxRuns bounds a sweep.
const maxRuns = 10_000_000

func (o *options) check() error {
	if o.workers < 0 {
		return ui.Failf(ui.Usage, "--workers %d: write a number from 1 on, or leave it out", o.workers)
	}
	if o.workers > 0 && o.server.URL != "" {
		return ui.Failf(ui.Usage, "--workers %d is of this machine, and with --nats runs go on elsewhere: say it to agentsim worker", o.workers)
	}
	return cmp.Or(harness.CheckSeeds(o.seeds), ui.CheckPlot(o.plot), o.server.Check())
}

// axes parts --set into axes, of several values, and plain overrides.
func (o *options) axes(file *scenarios.File) (axes []scenarios.Axis, sets []string, err error) {
	for _, set := range o.sets {
		path, text, ok := strings.Cut(set, "=")
		values := splitValues(text)
		if !ok || path == "" || slices.Contains(values, "") {
			return nil, nil, ui.Failf(ui.Usage, "--set %s: write path=value, or path=a,b,c to run over several", set)
		}
		if len(values) == 1 {
			sets = append(sets, set)
			continue
		}
		if slices.ContainsFunc(axes, func(a scenarios.Axis) bool { return a.Path == path }) {
			return nil, nil, ui.Failf(ui.Usage, "--set %s: %s has its values already", set, path)
		}
		axes = append(axes, scenarios.Axis{Path: path, Values: values})
	}
	if axes == nil {
		axes = file.Sweep
	}
	return axes, sets, nil
}

// splitValues splits at commas that stand in no brackets or quotes.
func splitValues(text string) (out []string) {
	depth, from, quote := 0, 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

func run(s *ui.Env, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	defer o.project.Close()
	o.project.Own = []string{o.db, o.plot}
	o.sets = o.project.Sets(o.sets)
	on, err := o.project.Scenario(s, o.name, o.sets)
	if err != nil {
		return err
	}
	axes, sets, err := o.axes(on.File)
	if err != nil {
		return err
	}
	if err = on.Over(axes, sets); err != nil {
		return err
	}
	file := on.File
	names, err := harness.Variants(file, o.variants)
	if err != nil {
		return err
	}
	loading.WarnIdle(s, file, names, sets)
	if err := loading.CheckSets(s, file, names, sets); err != nil {
		return err
	}
	if err := boundGrid(file.Sweep, len(names)*o.seeds); err != nil {
		return err
	}
	w, err := harness.NewSweep(on.Maker(nil), names, o.seeds)
	if err == nil {
		err = w.Distinct()
	}
	if err != nil {
		return err
	}
	g := &sweepGrid{Sweep: w, o: o, on: on}
	if err := g.drawable(); err != nil {
		return err
	}
	if err := runGrid(s, g); err != nil {
		return err
	}
	if err := s.Print(o.output, g.document()); err != nil {
		return err
	}
	if err := g.draw(); err != nil {
		return err
	}
	if g.unkept != nil {
		return g.unkept
	}
	return g.outcome()
}

// runGrid runs what the database has not, and reads what it has.
func runGrid(s *ui.Env, g *sweepGrid) error {
	db, err := rundb.Create(s, g.o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	store, err := harness.NewStore(db, s.Now)
	if err != nil {
		return err
	}
	h := harness.New(s, "sweeping", len(g.Cells)*g.Seeds)
	defer h.Close()
	h.Workers, h.Recorder = g.o.workers, store
	leave, err := g.o.server.Join(s, h)
	if err != nil {
		return err
	}
	err = h.Sweep(g.Sweep)
	if kept := store.Close(); err == nil && !errors.As(kept, &g.unkept) {
		err = kept
	}
	leave(err == nil && g.unkept == nil && !h.Stop.Has()) // its lists go on together
	switch {
	case err != nil:
		return err
	case h.Stop.Has() && g.unkept != nil:
		return g.unkept
	case h.Stop.Has():
		return ui.Failf(ui.Interrupted, "interrupted; %s holds the runs that were over, and the same command goes on from there", g.o.db)
	case g.Known > 0:
		s.Tell("%s: %s of %d there already", g.o.db, ui.Plural(g.Known, "run"), g.Ran())
	}
	return loading.WarnUnstruck(s, h)
}

// boundGrid refuses a grid of more than maxRuns before it is laid out.
func boundGrid(axes []scenarios.Axis, perPlace int) error {
	runs := int64(perPlace)
	for _, a := range axes {
		if len(a.Values) == 0 || runs <= maxRuns {
			runs *= int64(len(a.Values))
		}
	}
	if runs > maxRuns {
		return ui.Failf(ui.Usage, "more than %s runs; a sweep has at most so many: give fewer values, variants or seeds", ui.Count(maxRuns))
	}
	return nil
}

// outcome is the error that tells of runs that did not finish.
func (g *sweepGrid) outcome() error {
	open := g.open()
	if len(open) == 0 {
		return nil
	}
	r, at := open[0], ""
	if where := g.Describe(r.Point); where != "" {
		at = " at " + where
	}
	return ui.Failf(ui.Unfinished, "%d of %s did not finish; the first is %s with seed %d%s: %s", len(open), ui.Plural(g.Ran(), "run"),
		strings.TrimSuffix(g.Name+"/"+r.Variant, "/"), r.seed, at, r.Run.Open)
}
