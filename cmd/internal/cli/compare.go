package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"

	"github.com/spf13/cobra"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	db     string
	seeds  int
	output string
}

func newCompare(s *ui.Env) *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "compare variants, recorded runs or databases figure by figure",
		Long: `A and B are each
  SCENARIO           all variants of a scenario, which are run (a name of the library, or a YAML file)
  SCENARIO:VARIANT   one of them
  RUN                a recorded run, by the beginning of its id
  DATABASE:RUN       a run of another database
  DATABASE           all runs of a database

Several runs of one side are set against those of the same scenario and variant of the other, seed by seed where both have
the same seeds. Two single runs are compared exactly. Over several seeds medians are compared, with the 95 % bootstrap
interval of the difference; equal inputs give equal intervals. Where a difference comes from something else than what is
compared (another version of this program, other prices, an edit of the scenario), cause says so.`,
		Example: `  agentsim compare fork-vs-subagent:fork fork-vs-subagent:subagent
  agentsim compare fan-out:held fan-out:at-once --seeds 5`,
		Args: ui.Exactly(2, "two things to compare"),
		RunE: func(_ *cobra.Command, args []string) error { return compareCommand(s, o, args) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` in which a RUN is looked for")
	f.IntVar(&o.seeds, "seeds", 1, "run scenarios with so many seeds, from their own on")
	f.StringVarP(&o.output, "output", "o", "table", "how results are printed: "+strings.Join(ui.Formats, ", "))
	return cmd
}

// compared is one side of a comparison.
type compared struct {
	name   string
	groups []*comparedGroup
	db     *sqlite.DB // nil when scenarios were run
}

// comparedGroup is the runs of one variant.
type comparedGroup struct {
	scenario, variant string
	spec              string        // what the runs share beside their seeds, as a hash
	bare              string        // the same without the semantics
	semantics         int           // 0 of recorded sessions, whose versions are others
	one               bool          // no other spec of this scenario and variant is on the side
	runs              []comparedRun // by seed
}

func (g *comparedGroup) key() string { return g.scenario + "/" + g.variant }

// name is what a group is called, with its spec where there are several.
func (g *comparedGroup) name() string {
	name := strings.TrimSuffix(g.key(), "/")
	if !g.one {
		name += " (spec " + ui.Short(g.spec) + ")"
	}
	return name
}

type comparedRun struct {
	id, digest string
	seed       uint64
	why        string // it did not finish; "" when it did
	full       bool   // its events can be read from the side's database
	figures    []baseline.Figure
}

func compareCommand(s *ui.Env, o *compareOptions, args []string) error {
	switch {
	case !slices.Contains(ui.Formats, o.output):
		return ui.Failf(ui.Usage, "--output %s: write one of %s", o.output, strings.Join(ui.Formats, ", "))
	case o.seeds < 1 || o.seeds > maxSeeds:
		return ui.Failf(ui.Usage, "--seeds %d: write a number from 1 to %d", o.seeds, maxSeeds)
	}
	var sides [2]*compared
	for i, arg := range args {
		side, err := readSide(s, o, arg)
		if err != nil {
			return err
		}
		if side.db != nil {
			defer side.db.Close()
		}
		sides[i] = side
	}
	c := pairUp(sides[0], sides[1])
	if len(c.pairs) == 0 {
		return ui.Failf(ui.Usage, "%s and %s have no scenario and variant in common\n%s has %s\n%s has %s", args[0], args[1], args[0], sides[0].keys(), args[1], sides[1].keys())
	}
	if err := c.firstEvents(); err != nil {
		return err
	}
	if err := printComparison(s, c, o); err != nil {
		return err
	}
	return c.outcome()
}

func (x *compared) keys() string {
	var out []string
	for _, g := range x.groups {
		out = append(out, g.name())
	}
	return strings.Join(out, ", ")
}

// readSide finds out what an argument is, and reads or runs it.
func readSide(s *ui.Env, o *compareOptions, arg string) (*compared, error) {
	head, tail, found := arg, "", false
	if i := strings.LastIndexByte(arg, ':'); i > 0 && i+1 < len(arg) {
		head, tail, found = arg[:i], arg[i+1:], true
	}
	switch {
	case isScenario(head):
		return runSide(s, o, arg, head, tail)
	case found:
		return readRuns(arg, head, tail)
	case isFile(arg):
		return readRuns(arg, arg, "")
	case strings.ContainsAny(arg, "./\\"):
		return nil, ui.Failf(ui.Operating, "%s: there is no such file; write the path of a database, or the beginning of a run's id for one of %s", arg, o.db)
	}
	return readRuns(arg, o.db, arg)
}

func isScenario(name string) bool {
	return slices.Contains(scenarios.Names(), name) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// runSide runs variants of a scenario, as bench does.
func runSide(s *ui.Env, o *compareOptions, arg, name, variant string) (*compared, error) {
	set, err := selectScenarios([]string{name})
	if err != nil {
		return nil, err
	}
	runs := &harness.Bench{Files: set.files, Seeds: o.seeds}
	if variant != "" {
		if runs.Variants, err = harness.Variants(set.files[0], []string{variant}); err != nil {
			return nil, err
		}
	}
	h := harness.New(s, "running", runs.Len())
	defer h.Close()
	x, broken := &compared{name: arg}, error(nil)
	err = h.Bench(runs, func(m *harness.Measured) error {
		if err := harness.Broken(m.Result); err != nil && broken == nil {
			broken = m.Broke(err)
		}
		row := harness.Row(m.Spec, m.ID)
		x.add(m.Kept.Scenario, m.Kept.Variant, &row, comparedRun{id: m.ID, digest: m.Kept.Digest, seed: m.Kept.Seed, why: openRun(m.Kept), figures: m.Kept.Figures})
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case h.Stop.Has():
		return nil, ui.Failf(ui.Interrupted, "interrupted; nothing was compared or written")
	case broken != nil:
		return nil, ui.Fail(ui.Broken, broken)
	}
	return x, nil
}

// openRun says why a run did not finish.
func openRun(r *baseline.Run) string {
	if r.Outcome != sim.Completed {
		return r.Outcome
	}
	for _, f := range r.Figures {
		if f.Name == baseline.Unfinished && f.Value.Num > 0 {
			return ui.Plural(int(f.Value.Num), "root") + " failed or reached a limit of turns"
		}
	}
	return ""
}

// specOf hashes what decides a run beside its seed.
func specOf(r *sqlite.Run) string {
	h := sha256.New()
	for _, line := range strings.SplitAfter(r.Spec, "\n") {
		if !strings.HasPrefix(line, "seed:") {
			_, _ = io.WriteString(h, line) // a hash never fails
		}
	}
	fmt.Fprintf(h, "%q %d %q", r.Policy, r.Semantics, r.Files)
	return hex.EncodeToString(h.Sum(nil))
}

// add puts a run to those of its variant that have the same spec: what was
// edited between two runs is not taken for chance.
func (x *compared) add(scenario, variant string, row *sqlite.Run, r comparedRun) {
	spec, one := specOf(row), true
	for _, g := range x.groups {
		if g.scenario != scenario || g.variant != variant {
			continue
		}
		if g.spec == spec {
			g.runs = append(g.runs, r)
			return
		}
		g.one, one = false, false
	}
	bare := *row
	bare.Semantics = 0
	x.groups = append(x.groups, &comparedGroup{scenario, variant, spec, specOf(&bare), row.Semantics, one, []comparedRun{r}})
}

// readRuns reads a run of a database, or all that are over.
func readRuns(arg, path, prefix string) (*compared, error) {
	db, err := rundb.Open(path)
	if err != nil {
		return nil, err
	}
	x := &compared{name: arg, db: db}
	if err := x.read(prefix); err != nil {
		db.Close()
		return nil, err
	}
	return x, nil
}

func (x *compared) read(prefix string) error {
	runs, err := x.db.Runs()
	if prefix != "" {
		var one sqlite.RunInfo
		if one, err = rundb.Find(x.db, prefix); err == nil {
			runs = []sqlite.RunInfo{one}
		}
	}
	if err != nil {
		return err
	}
	finished, err := x.db.Finished()
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Changed {
			return x.db.Verify(r.ID)
		}
		if prefix == "" && !r.Outcome.Settled() {
			continue
		}
		figures, err := x.db.Metrics(r.ID)
		if err != nil {
			return err
		}
		row, err := x.db.Spec(r.ID)
		if err != nil {
			return err
		}
		if r.Recorded() {
			row.Semantics = 0
		}
		why := ""
		if !finished[r.ID] {
			why = x.why(&r)
		}
		x.add(r.Name, r.Variant, &row, comparedRun{id: r.ID, digest: r.Digest, seed: r.Seed, why: why, full: r.Level == sqlite.Full, figures: figuresOf(figures)})
	}
	if len(x.groups) == 0 {
		return ui.Failf(ui.Usage, "%s: no run in it has ended", x.name)
	}
	x.sort()
	return nil
}

// why says why a recorded run did not finish.
func (x *compared) why(r *sqlite.RunInfo) string {
	if r.Outcome != sqlite.Completed {
		return strings.TrimSuffix(string(r.Outcome)+": "+r.Detail, ": ")
	}
	return "a root failed or reached a limit of turns"
}

// sort puts variants in order of name and runs in order of seed: a database's
// order is that of its clock.
func (x *compared) sort() {
	slices.SortFunc(x.groups, func(a, b *comparedGroup) int {
		return cmp.Or(strings.Compare(a.key(), b.key()), strings.Compare(a.spec, b.spec))
	})
	for _, g := range x.groups {
		slices.SortFunc(g.runs, func(a, b comparedRun) int {
			if a.seed != b.seed {
				return int(min(max(int64(a.seed-b.seed), -1), 1))
			}
			return strings.Compare(a.id, b.id)
		})
	}
}

// figuresOf takes a baseline's figures out of a record's; the hit ratio is made
// of its parts.
func figuresOf(list []sqlite.Metric) (out []baseline.Figure) {
	of := map[string]int64{}
	for _, m := range list {
		if m.Scope == "run" {
			of[m.Name] = m.Value
		}
	}
	for _, m := range baseline.Metrics() {
		if n, ok := of[m.Name]; ok {
			out = append(out, baseline.Figure{Name: m.Name, Value: metrics.Whole(n, m.Unit)})
		} else if p := of["tokens.prompt"]; m.Name == "cache.hit_ratio" && p > 0 {
			out = append(out, baseline.Figure{Name: m.Name, Value: metrics.Value{Num: of["tokens.read"], Den: p, Unit: metrics.Ratio}})
		}
	}
	return out
}

// comparing is two sides with what belongs together.
type comparing struct {
	a, b   *compared
	pairs  []pair
	onlyA  []string
	onlyB  []string
	events []string // of two single runs: where they differ, for machines
	where  []string // the same for people
}

type pair struct{ a, b *comparedGroup }

// pairUp sets variants of the same name against each other, or the only one of
// both sides whatever they are called.
func pairUp(a, b *compared) *comparing {
	c := &comparing{a: a, b: b}
	if len(a.groups) == 1 && len(b.groups) == 1 {
		c.pairs = []pair{{a.groups[0], b.groups[0]}}
		return c
	}
	met := map[*comparedGroup]bool{}
	for _, g := range a.groups {
		o := partner(g, b.groups)
		if o == nil {
			c.onlyA = append(c.onlyA, g.name())
			continue
		}
		c.pairs = append(c.pairs, pair{g, o})
		met[o] = true
	}
	for _, g := range b.groups {
		if !met[g] {
			c.onlyB = append(c.onlyB, g.name())
		}
	}
	return c
}

// partner is the group of the same variant: that with the same spec, or the only
// one where both sides have one.
func partner(g *comparedGroup, others []*comparedGroup) *comparedGroup {
	for _, o := range others {
		if o.key() == g.key() && (o.spec == g.spec || o.one && g.one) {
			return o
		}
	}
	return nil
}

// open lists the runs that did not finish.
func (c *comparing) open() (out []string) {
	for i := range c.pairs {
		for _, x := range [...]struct {
			side  string
			group *comparedGroup
		}{{"A", c.pairs[i].a}, {"B", c.pairs[i].b}} {
			for _, r := range x.group.runs {
				if r.why != "" {
					out = append(out, fmt.Sprintf("%s  %s, seed %d, run %s: %s", x.side, x.group.name(), r.seed, ui.Short(r.id), r.why))
				}
			}
		}
	}
	return out
}

// outcome is the error of a run that was run for the comparison and did not
// finish. A record may hold such runs.
func (c *comparing) outcome() error {
	for i := range c.pairs {
		for _, x := range [...]struct {
			from  *compared
			group *comparedGroup
		}{{c.a, c.pairs[i].a}, {c.b, c.pairs[i].b}} {
			for _, r := range x.group.runs {
				if r.why != "" && x.from.db == nil {
					return ui.Failf(ui.Unfinished, "%s with seed %d did not finish: %s; no side is called better than it", x.group.name(), r.seed, r.why)
				}
			}
		}
	}
	return nil
}

// firstEvents finds where two recorded runs differ, when there is one of each
// and both have their events.
func (c *comparing) firstEvents() error {
	if len(c.pairs) != 1 || len(c.pairs[0].a.runs) != 1 || len(c.pairs[0].b.runs) != 1 {
		return nil
	}
	a, b := c.pairs[0].a.runs[0], c.pairs[0].b.runs[0]
	if a.digest == b.digest {
		c.events = []string{"the same in both, digest " + a.digest}
		c.where = c.events
		return nil
	}
	if !a.full || !b.full || c.a.db == nil || c.b.db == nil {
		return nil
	}
	var was, is baseline.Run
	d, err := transcript.Compare(unnamed(c.a.db.Events(a.id), &was.Lines), unnamed(c.b.db.Events(b.id), &is.Lines))
	if err != nil {
		return err
	}
	if d == nil {
		c.events = []string{"the same in both but the first, which names the run"}
		c.where = c.events
		return nil
	}
	c.where = []string{"first difference: " + baseline.Where(&was, &is, d)}
	if n := baseline.Requests(is.Lines[:d.Index]) + 1; d.Field == "head" && c.a.db.Path() == c.b.db.Path() {
		c.where = append(c.where, ui.QuoteAll([]string{"agentsim", "diff", fmt.Sprintf("%s:%d", ui.Short(a.id), n), fmt.Sprintf("%s:%d", ui.Short(b.id), n), "--db", c.a.db.Path()}))
	}
	d.Index++ // the one left out
	c.events = []string{fmt.Sprintf("first difference at event %d, field %s", d.Index, d.Field), "A  " + d.Want, "B  " + d.Got}
	return nil
}

// unnamed leaves out a run's first event: it says which run it is, so two
// variants always differ there. What is looked at is kept.
func unnamed(events iter.Seq2[string, error], kept *[]string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		first := true
		for line, err := range events {
			if first && err == nil {
				first = false
				continue
			}
			*kept = append(*kept, line)
			if !yield(line, err) {
				return
			}
		}
	}
}
