// Package run is the command that runs a scenario's variants and says what each did,
// what it cost, and why.
package run

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/cluster"
	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/grid"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// options are the flags.
type options struct {
	name      string
	seed      uint64
	seedSet   bool
	policy    string
	sets      []string
	variants  []string
	project   loading.Project
	memory    string
	db        string
	record    string
	recordSet bool
	output    string
	columns   string
	events    string
	noAudit   bool
	shard     int // of a population; -1 for all of it
	server    cluster.Server
	defs      loading.Definitions
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "run a scenario and compare its variants",
		Long: `Runs each variant of a scenario, records it, and prints what it did, what it cost, and why. SCENARIO is a name of the
library (agentsim scenario list) or the path of a YAML file. What the scenario or a --set says and nothing reads is reported on stderr.
CALLS are the requests that were answered, FAILED, where there are any, those that
ended without an answer (an API error, a lost connection, an interrupt or another abort); so in agentsim inspect.`,
		Example: `  agentsim run hello
  agentsim run fork-vs-subagent --variant fork --seed 7
  agentsim run explore-at-scale --columns trade-off
  agentsim run fork-vs-subagent --variant subagent --set model.prompting=lazy
  agentsim run nested --project .`,
		Args: ui.Exactly(1, "one scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name, o.seedSet, o.recordSet = args[0], cmd.Flags().Changed("seed"), cmd.Flags().Changed("record")
			if cmd.Flags().Changed("shard") && o.shard < 0 {
				return ui.Failf(ui.Usage, "--shard %d: write a number from 0 on", o.shard)
			}
			return run(s, o)
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&o.seed, "seed", 0, "seed in place of the scenario's")
	f.StringVar(&o.policy, "policy", "fifo", "who goes first among equals: fifo, random, pct:DEPTH[:CHOICES] or replay:LIST")
	f.StringArrayVar(&o.sets, "set", nil, "override one value, as `path=value`; may be repeated")
	f.StringArrayVar(&o.variants, "variant", nil, "run this `variant` only; may be repeated")
	o.project.Add(f)
	f.StringVar(&o.memory, "memory", "", "a `directory` of what agents remember: read at the start, written at the end")
	o.defs.Add(f)
	rundb.Flag(s, f, &o.db, "the `file` that runs are recorded in")
	f.StringVar(&o.record, "record", "full", "what is recorded: full, packed (full, compressed), calls (no content), sampled:N (one session tree of N), totals or none (of a population none, where it is not given)")
	ui.OutputFlag(f, &o.output)
	f.StringVar(&o.columns, "columns", "", "the `list` of columns to compare by: trade-off, or names, metrics and paths such as fork.cost, separated by commas")
	f.BoolVar(&o.noAudit, "no-audit", false, "do not check invariants: for timing")
	f.IntVar(&o.shard, "shard", -1, "run this `number` of a population's shards only, as any other run; the first is 0")
	o.server.Flags(f, "have a population's shards carried out by workers at")
	f.StringVar(&o.events, "events", "", "also write the canonical events of each variant to `file`")
	return cmd
}

func (o *options) check() error {
	policy, err := kernel.PolicyNamed(o.policy, rng.Key{})
	if err != nil {
		return ui.Failf(ui.Usage, "--policy %s: %w", o.policy, err)
	}
	if err := o.server.Check(); err != nil {
		return err
	}
	o.policy = policy.Name()
	if _, err := sqlite.ParseLevel(o.record); err != nil && o.record != "none" {
		return ui.Failf(ui.Usage, "--record %s: %w, or none", o.record, err)
	}
	return nil
}

// answer is what variants of a scenario came to.
type answer struct {
	*options
	on       *loading.Loaded
	file     *scenarios.File
	columns  []string // to compare by
	done     []executed
	left     int // variants that an interrupt kept from beginning
	verdicts []expect.Result
	grid     *grid.Grid // the scenario's own sweep; without points where there is none
	rec      *harness.Record
	answer   *forks.Point // forks against fresh sub-agents; nil without both
	silent   string       // why there is no answer where both ran
	there    []string     // what it comes to on the scenario's own project, where it ran on another
	life     []string     // what it comes to with sizes of recorded sessions, where it ran with invented ones
}

// executed is one variant, run.
type executed struct {
	*harness.Run
	leaves []string // ids of the statements that the minimal stack left
	// verdicts are the latest words about items of work.
	verdicts []verdict
	causes   []cause // findings
	course   *course
}

func run(s *ui.Env, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	defer o.project.Close()
	on, m, specs, err := o.read(s)
	if err != nil {
		return err
	}
	many, err := populous(specs)
	if err == nil && o.shard >= 0 && o.server.URL != "" {
		err = ui.Failf(ui.Usage, "--shard %d is one run, which goes on here: leave --nats out", o.shard)
	}
	if err == nil && !many && o.server.URL != "" {
		err = ui.Failf(ui.Usage, "--nats is for a population, whose shards workers carry out: leave it out; sweep and bench have single runs carried out there")
	}
	if err != nil || many {
		if err == nil {
			err = o.population(s, on, m, specs)
		}
		return err
	}
	a := &answer{options: o, on: on, file: m.File, grid: &grid.Grid{}}
	if a.columns, err = report.Columns(o.columns, m.File.Known()); err != nil {
		return ui.Failf(ui.Usage, "--columns %s: %w", o.columns, err)
	}
	if a.rec, err = o.openRecord(s); err != nil {
		return err
	}
	if a.rec.DB != nil {
		defer a.rec.DB.Close()
	}
	sheet := expect.NewSheet(m.File.Expect, m.File.Known(), m.File.Cells())
	sheet.Aside = loading.Foreign(on)
	a.rec.Expects = sheet.Text()
	if a.done, err = runAll(s, m, specs, a.rec, o); err != nil {
		return err
	}
	a.left = len(specs) - len(a.done)
	a.verdicts = sheet.Judge(a.figures())
	var cut error // what kept the grid from being whole
	if !interrupted(a.done) {
		cut = a.sweep(s, m, specs)
	}
	if a.answer, err = a.forkOrFresh(s); err != nil {
		return err
	}
	if a.there, err = o.elsewhere(s, a); err != nil {
		return err
	}
	if a.life, err = o.lifeSize(s, a); err != nil {
		return err
	}
	if err = s.Print(o.output, a.document(s)); err == nil {
		err = a.verdict(cut)
	}
	if a.rec.Err != nil {
		ui.Explain(s, err)
		return a.rec.Err
	}
	return err
}

// read reads the scenario, and makes one spec for each variant asked for, in the
// file's order. All are checked before the first one runs.
func (o *options) read(s *ui.Env) (*loading.Loaded, *harness.Maker, []*sim.Spec, error) {
	o.project.Own, o.project.Defined = []string{o.db, o.events}, len(o.defs.Words()) > 0
	o.sets = o.project.Sets(o.sets)
	on, err := o.project.Scenario(s, o.name, o.sets)
	if err == nil {
		on.File, err = on.Fix(o.sets)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	m, specs, err := o.specs(s, on)
	if err != nil {
		return nil, nil, nil, err
	}
	names := loading.NamesOf(specs)
	loading.WarnIdle(s, on.File, names, o.sets)
	return on, m, specs, loading.CheckSets(s, on.File, names, o.sets)
}

func (o *options) specs(s *ui.Env, on *loading.Loaded) (*harness.Maker, []*sim.Spec, error) {
	names, err := harness.Variants(on.File, o.variants)
	if err != nil {
		return nil, nil, err
	}
	given, problems, err := o.defs.Sources()
	if err != nil {
		return nil, nil, err
	}
	m := on.Maker(func(sc *scenarios.Scenario) { loading.Into(sc, given) })
	m.Policy = o.policy
	if o.seedSet {
		m.Seed = &o.seed
	}
	out, err := m.Specs(names)
	if err == nil {
		err = o.shards(m, out)
	}
	if err == nil {
		err = o.recall(out)
	}
	if err == nil {
		err = loading.WarnDefinitions(s, out, on.Directory(), given, problems)
	}
	return m, out, err
}

// inFull reports whether runs are recorded with all that their requests held.
func (o *options) inFull() bool {
	return o.record == string(sqlite.Full) || o.record == string(sqlite.Packed)
}

// openRecord opens what runs are recorded in; a record without a database keeps
// nothing.
func (o *options) openRecord(s *ui.Env) (*harness.Record, error) {
	if o.record == "none" {
		return &harness.Record{}, nil
	}
	db, err := rundb.Create(s, o.db)
	return &harness.Record{DB: db, Level: sqlite.Level(o.record)}, err
}

// sweep runs the scenario's own sweep, without recording it, where there is one.
func (a *answer) sweep(s *ui.Env, m *harness.Maker, specs []*sim.Spec) error {
	if len(a.file.Sweep) == 0 {
		return nil
	}
	w, err := harness.NewSweep(m, loading.NamesOf(specs), 1)
	if err != nil {
		return err
	}
	w.Plain = specs
	h := harness.New(s, "sweeping", len(w.Cells))
	defer h.Close()
	h.NoAudit = a.noAudit
	if err := h.Sweep(w); err != nil {
		return err
	}
	if h.Stop.Has() {
		return ui.Failf(ui.Interrupted, "interrupted during the sweep; what was recorded until then is whole")
	}
	a.grid = w.Grid
	return nil
}

// figures are what ran, by variant.
func (a *answer) figures() map[string]*metrics.Run {
	out := map[string]*metrics.Run{}
	for _, x := range a.done {
		out[x.Spec.Variant] = x.Metrics
	}
	return out
}

// verdict is how the command ends: a broken invariant outranks an unfinished run,
// which outranks what cut the sweep short, and that a missed expectation.
func (a *answer) verdict(cut error) error {
	for _, x := range a.done {
		if err := harness.Broken(x.Result); err != nil {
			return ui.Failf(ui.Broken, "%s: an invariant is broken\n%w\nrepeat with: %s", title(x), err, a.repeat(x.Spec))
		}
	}
	code := ui.Unfinished
	if interrupted(a.done) {
		code = ui.Interrupted
	}
	for _, x := range a.done {
		if why := x.Open(); why != "" {
			return ui.Failf(code, "%s did not finish: %s", title(x), why)
		}
	}
	if a.left > 0 {
		return ui.Failf(ui.Interrupted, "interrupted: %s did not begin", ui.Plural(a.left, "variant"))
	}
	if cut != nil {
		return cut
	}
	for _, v := range a.verdicts {
		if v.Verdict != expect.Pass && loading.Foreign(a.on) == "" {
			return ui.Said(ui.Missed)
		}
	}
	return nil
}

// interrupted reports whether one of the runs was.
func interrupted(done []executed) bool {
	for _, x := range done {
		if x.Result.Outcome == sim.Interrupted {
			return true
		}
	}
	return false
}

func title(x executed) string {
	if x.Spec.Variant == "" {
		return x.Spec.Scenario.Name
	}
	return x.Spec.Scenario.Name + "/" + x.Spec.Variant
}

// repeat is the command line that runs one variant again.
func (o *options) repeat(spec *sim.Spec) string {
	words := append([]string{"agentsim", "run", o.name}, ui.Flags("--seed", fmt.Sprint(spec.Seed()), "--policy", spec.Policy, "--variant", spec.Variant)...)
	for _, set := range o.sets {
		words = append(words, ui.Flags("--set", set)...)
	}
	return ui.QuoteAll(slices.Concat(words, o.project.Words(), ui.Flags("--memory", o.memory), o.defs.Words()))
}
