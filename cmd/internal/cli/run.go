package cli

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/compare"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/workspace"

	"github.com/spf13/cobra"
)

// runOptions are the flags of run.
type runOptions struct {
	name     string
	files    *workspace.Snapshot // of project
	seed     uint64
	seedSet  bool
	policy   string
	sets     []string
	variants []string
	project  string
	memory   string
	db       string
	record   string
	output   string
	columns  string
	shown    []string // the columns, read
	events   string
	left     int // variants that an interrupt kept from beginning
	noAudit  bool
	defs     loading.Definitions
}

// executed is one variant, run.
type executed struct {
	spec    *sim.Spec
	result  *sim.Result
	metrics *metrics.Run
	leaves  []string // ids of the statements that the minimal stack left
	// verdicts are the latest words about items of work.
	verdicts []verdict
}

func newRun(s *ui.Env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "run a scenario and compare its variants",
		Long: `Runs each variant of a scenario, records it, and prints what it did, what it cost, and why. SCENARIO is a name of the
library (agentsim scenario list) or the path of a YAML file. What the scenario or a --set says and nothing reads is told on stderr.
CALLS are the requests that were answered, FAILED, where there are any, those that ended in an API error; so in agentsim inspect.`,
		Example: `  agentsim run hello
  agentsim run fork-vs-subagent --variant fork --seed 7
  agentsim run fork-vs-subagent --columns trade-off
  agentsim run fork-vs-subagent --variant subagent --set model.prompting=lazy
  agentsim run nested --project .`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.seedSet = args[0], cmd.Flags().Changed("seed")
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&o.seed, "seed", 0, "seed in place of the scenario's")
	f.StringVar(&o.policy, "policy", "fifo", "who goes first among equals: fifo, random, pct:DEPTH[:CHOICES] or replay:LIST")
	f.StringArrayVar(&o.sets, "set", nil, "override one value, as `path=value`; may be repeated")
	f.StringArrayVar(&o.variants, "variant", nil, "run this `variant` only; may be repeated")
	f.StringVar(&o.project, "project", "", "a `directory` in place of the scenario's own files")
	f.StringVar(&o.memory, "memory", "", "a `directory` of what agents remember: read at the start, written at the end")
	o.defs.Add(f)
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.record, "record", "full", "what is recorded: full, calls (no content), sampled:N (one session tree of N), totals or none")
	f.StringVarP(&o.output, "output", "o", "table", ui.OutputHelp)
	f.StringVar(&o.columns, "columns", "", "the `list` of columns to compare by: trade-off, or names, metrics and paths such as fork.cost, separated by commas")
	f.BoolVar(&o.noAudit, "no-audit", false, "do not check invariants: for timing")
	f.StringVar(&o.events, "events", "", "also write the canonical events of each variant to `file`")
	return cmd
}

func (o *runOptions) check() error {
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"--output", o.output, ui.Formats},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return ui.Failf(ui.Usage, "%s %s: write one of %s", c.flag, c.value, strings.Join(c.allowed, ", "))
		}
	}
	policy, err := kernel.PolicyNamed(o.policy, rng.Key{})
	if err != nil {
		return ui.Failf(ui.Usage, "--policy %s: %w", o.policy, err)
	}
	o.policy = policy.Name()
	if _, err := sqlite.ParseLevel(o.record); err != nil && o.record != "none" {
		return ui.Failf(ui.Usage, "--record %s: %w, or none", o.record, err)
	}
	return nil
}

func run(s *ui.Env, o *runOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var err error
	if o.files, err = hostProject(s, o.project); err != nil {
		return err
	}
	file, err := loading.Scenario(o.name, o.reading()...)
	if err == nil {
		file, err = file.Fix(o.sets)
	}
	if err != nil {
		return err
	}
	if o.shown, err = report.Columns(o.columns, file.Known()); err != nil {
		return ui.Failf(ui.Usage, "--columns %s: %w", o.columns, err)
	}
	m, specs, err := specs(s, file, o)
	if err != nil {
		return err
	}
	names := loading.NamesOf(specs)
	loading.WarnIdle(s, file, names)
	if err := loading.CheckSets(s, file, names, o.sets); err != nil {
		return err
	}
	rec, err := openRecord(s, o)
	if err != nil {
		return err
	}
	if rec.DB != nil {
		defer rec.DB.Close()
	}
	done, err := runAll(s, m, specs, rec, o)
	o.left = len(specs) - len(done)
	if err == nil {
		err = o.keep(done)
	}
	if err != nil {
		return err
	}
	tellUnstruck(s, file, done, o.sets)
	grid, cut := &compare.Grid{}, error(nil)
	if !wasInterrupted(done) {
		grid, cut = ownSweep(s, m, specs, o)
	}
	err = reportRuns(s, file, done, grid, cut, rec, o)
	if rec.Err != nil {
		ui.Explain(s, err)
		return rec.Err
	}
	return err
}

// openRecord opens what runs are recorded in; a record without a database keeps
// nothing.
func openRecord(s *ui.Env, o *runOptions) (*harness.Record, error) {
	if o.record == "none" {
		return &harness.Record{}, nil
	}
	db, err := rundb.Create(s, o.db)
	return &harness.Record{DB: db, Level: sqlite.Level(o.record)}, err
}

// ownSweep runs the scenario's own sweep, without recording it; a grid without
// points where there is none, and where there is one variant only.
func ownSweep(s *ui.Env, m *harness.Maker, specs []*sim.Spec, o *runOptions) (*compare.Grid, error) {
	none := &compare.Grid{}
	if len(m.File.Sweep) == 0 || len(specs) < 2 {
		return none, nil
	}
	w, err := harness.NewSweep(m, loading.NamesOf(specs), 1)
	if err != nil {
		return none, err
	}
	w.Plain = specs
	h := harness.New(s, "sweeping", len(w.Cells))
	defer h.Close()
	h.NoAudit = o.noAudit
	if err := h.Sweep(w); err != nil {
		return none, err
	}
	if h.Stop.Has() {
		return none, ui.Failf(ui.Interrupted, "interrupted during the sweep; what was recorded until then is whole")
	}
	return w.Grid, nil
}

// reading says how the scenario is read: the files of a directory take the place
// of its own.
func (o *runOptions) reading() []scenarios.Option {
	if o.files == nil {
		return nil
	}
	return []scenarios.Option{scenarios.OnDirectory(o.files.Open().Paths())}
}

// specs makes one spec for each variant asked for, in the file's order. All are
// checked before the first one runs.
func specs(s *ui.Env, file *scenarios.File, o *runOptions) (*harness.Maker, []*sim.Spec, error) {
	names, err := harness.Variants(file, o.variants)
	if err != nil {
		return nil, nil, err
	}
	given, problems, err := o.defs.Sources()
	if err != nil {
		return nil, nil, err
	}
	m := &harness.Maker{File: file, Sets: o.sets, Policy: o.policy, Project: o.files, Adapt: func(sc *scenarios.Scenario) { loading.Into(sc, given) }}
	if o.seedSet {
		m.Seed = &o.seed
	}
	out, err := m.Specs(names)
	if err == nil {
		err = o.recall(out)
	}
	if err == nil {
		err = loading.WarnDefinitions(s, out, o.project, given, problems)
	}
	return m, out, err
}

// repeat is the command line that runs one variant again.
func (o *runOptions) repeat(spec *sim.Spec) string {
	words := []string{"agentsim", "run", o.name, "--seed", fmt.Sprint(spec.Seed()), "--policy", spec.Policy}
	if spec.Variant != "" {
		words = append(words, "--variant", spec.Variant)
	}
	for _, set := range o.sets {
		words = append(words, "--set", set)
	}
	if o.project != "" {
		words = append(words, "--project", o.project)
	}
	if o.memory != "" {
		words = append(words, "--memory", o.memory)
	}
	return ui.QuoteAll(append(words, o.defs.Words()...))
}
