// Package bench is the command that runs scenarios and holds what they come to
// against a baseline.
package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cmd/internal/cluster"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/scenarios"
	"agentsim/sim"

	"github.com/spf13/cobra"
)

// options are the flags of bench.
type options struct {
	baseline string
	update   bool
	seeds    int
	limits   []string
	strict   bool
	output   string
	junit    string
	sarif    string
	gobench  string
	guard    string
	server   cluster.Server
	project  loading.Project
}

// defaultBaseline is what a baseline is called unless a flag says otherwise.
const defaultBaseline = "agentsim.baseline"

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "bench [SCENARIO|DIRECTORY]...",
		Short: "run scenarios and compare their figures with a baseline",
		Long: `Runs every variant of scenarios (names of the library, YAML files, directories of them; without any the whole library)
and compares each figure with a baseline. A figure that became worse is a regression, one that became better, or
differs where neither is better, a change. What differs is named: the figure before and after, and the first difference by
agent, request and block.

A threshold takes the place of the rule that worse is a regression, for one metric, and may also limit it for good:
  cost <= +2%        at most 2 % more than the baseline
  wake_ups <= base   not more than the baseline
  */fork: cost < $2  in every variant named fork
  hello/*: time <= base+1s

It ends with 3 after a regression, a missed expectation or threshold, with 7 where there is no baseline to compare with,
and with 0 after changes, unless --strict makes them fail. Where something differs, cause says where that comes from: a
change of yours, another version of this program, or other prices. With --update it writes what it found into the
baseline, which accepts what became worse and ends with 0; a missed expectation is not accepted by that and ends with 3.

--guard prefix judges by prompts alone: it fails when siblings, turns or types of agents share less of their beginnings
than they did, and says who, in which block and byte, and what each start or turn pays again. Everything else is
reported and does not count. What a repository's own files put in front of agents has a gate of its own, agentsim check.`,
		Example: `  agentsim bench hello --baseline hello.baseline --update
  agentsim bench hello --baseline hello.baseline --threshold 'cost <= +2%'
  agentsim bench hello --guard prefix --baseline prompts.baseline --update
  agentsim bench hello --guard prefix --baseline prompts.baseline`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "the `file` to compare with (default "+defaultBaseline+", in the directory of scenarios where one is named)")
	f.BoolVar(&o.update, "update", false, "write the baseline")
	f.IntVar(&o.seeds, "seeds", 1, "run so many seeds, from the scenario's own on")
	f.StringArrayVar(&o.limits, "threshold", nil, "a `limit` such as 'cost <= +2%'; may be repeated")
	f.BoolVar(&o.strict, "strict", false, "fail after changes too")
	ui.OutputFlag(f, &o.output)
	f.StringVar(&o.junit, "junit", "", "also write JUnit XML into this `file`")
	f.StringVar(&o.sarif, "sarif", "", "also write SARIF 2.1.0 into this `file`, which code hosts show beside the lines")
	f.StringVar(&o.gobench, "gobench", "", "also write the figures into this `file`, in the Go benchmark format, for benchstat")
	o.project.Add(f)
	o.server.Flags(f, "have runs carried out by workers at")
	f.StringVar(&o.guard, "guard", "", "fail only when what siblings or turns share became shorter: `prefix`")
	return cmd
}

func run(s *ui.Env, o *options, args []string) error {
	if err := cmp.Or(harness.CheckSeeds(o.seeds), o.checkGuard(), o.server.Check()); err != nil {
		return err
	}
	limits, err := baseline.ParseAll(o.limits, baseline.ParseThreshold)
	if err != nil {
		return err
	}
	defer o.project.Close()
	o.baseline = cmp.Or(o.baseline, beside(args))
	o.project.Own, o.project.Steady = []string{o.baseline, o.junit, o.sarif, o.gobench}, true
	set, err := selectScenarios(s, args, &o.project)
	if err != nil {
		return err
	}
	base, err := readBaseline(o.baseline)
	if err != nil && !(o.update && set.whole) { // all of it is written anew
		return err
	}
	if err := set.selects(limits); err != nil {
		return err
	}
	b := &bench{o: o, set: set, base: base, now: &baseline.File{Semantics: sim.Semantics}, specs: map[*scenarios.File]*sim.Spec{}, providers: map[string]*scenarios.Provider{}}
	if err := runBench(s, b); err != nil {
		return err
	}
	b.report = baseline.Compare(base, b.now, b.gone(), limits)
	b.guarded()
	if o.update {
		return updateBaseline(s, b)
	}
	// A file that cannot be written loses nothing of what is printed.
	if err := errors.Join(s.Print(o.output, b.document()), b.writeFiles()); err != nil {
		return err
	}
	return b.verdict()
}

// beside is where the baseline of scenarios lies unless a flag says otherwise: with those
// of a directory, which are committed with it.
func beside(args []string) string {
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
			return filepath.ToSlash(filepath.Join(args[0], defaultBaseline))
		}
	}
	return defaultBaseline
}

// bench is one use of the command.
type bench struct {
	o      *options
	set    *selection
	base   *baseline.File // nil when there is none
	now    *baseline.File
	missed []missed // expectations of the scenarios
	broken error    // the first invariant that is broken
	report *baseline.Report
	found  []report.Row // what the first seeds came to, where there is no baseline

	guardFindings map[string][]sharedprefix.Finding // by variant
	providers     map[string]*scenarios.Provider    // by variant
	aside         []string                          // what is told and does not count
	specs         map[*scenarios.File]*sim.Spec     // the first of each file on a directory
}

// maxBaselineBytes is what is read of a baseline: that of the library has half a
// megabyte.
const maxBaselineBytes = 64 << 20

// readBaseline reads a baseline; nil when there is no such file.
func readBaseline(name string) (*baseline.File, error) {
	text, err := hostdir.Text(name, maxBaselineBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, ui.Unusable("--baseline", name, err)
	}
	f, err := baseline.Read(name, string(text))
	if err != nil {
		return nil, ui.Fail(ui.Operating, err)
	}
	return f, nil
}

// gone lists what the baseline has of the scenarios that ran, and which did not
// run; of a whole directory or library also the scenarios that are no more.
func (b *bench) gone() (out []*baseline.Run) {
	if b.base == nil {
		return nil
	}
	ran := map[string]bool{}
	for _, r := range b.now.Runs {
		ran[r.Name()] = true
	}
	for _, r := range b.base.Runs {
		if !ran[r.Name()] && (b.set.whole || b.set.has(r.Scenario)) {
			out = append(out, r)
		}
	}
	return out
}

// updateBaseline writes what was found; scenarios that were not asked for stay.
func updateBaseline(s *ui.Env, b *bench) error {
	if b.broken != nil {
		return ui.Failf(ui.Broken, "%w\nthe baseline %s stays as it was", b.broken, b.o.baseline)
	}
	out := &baseline.File{Semantics: sim.Semantics}
	kept := 0
	if b.base != nil && !b.set.whole {
		for _, r := range b.base.Runs {
			if !b.set.has(r.Scenario) {
				out.Runs = append(out.Runs, r)
				kept++
			}
		}
	}
	if kept > 0 && b.base.Semantics != sim.Semantics {
		return ui.Failf(ui.Usage, "%s holds scenarios of semantics %d, and this program has %d: update all of them at once", b.o.baseline, b.base.Semantics, sim.Semantics)
	}
	out.Runs = append(out.Runs, b.now.Runs...)
	slices.SortStableFunc(out.Runs, func(x, y *baseline.Run) int { return strings.Compare(x.Scenario, y.Scenario) })
	if err := ui.WriteFile("--baseline", b.o.baseline, out.Write); err != nil {
		return err
	}
	files := b.writeFiles()
	d := &report.Document{}
	d.Say("%s: %s of %s written, %s kept; %s", b.o.baseline, ui.Plural(len(b.now.Runs), "run"), ui.Plural(len(b.set.files), "scenario"), ui.Plural(kept, "run"), b.counts())
	d.Label("accepted", b.accepted())
	d.Label("cause", b.causes()...)
	d.LabelMarked("missed", report.Bad, b.misses()...)
	if b.o.output != "table" {
		d = b.document()
	}
	if err := s.Print(b.o.output, d); err != nil {
		return err
	}
	switch {
	case files != nil:
		return files
	case len(b.missed) > 0:
		return ui.Said(ui.Missed)
	}
	return nil
}

// accepted says how much of what is written was worse or otherwise before; "" for
// nothing.
func (b *bench) accepted() string {
	var parts []string
	for _, v := range []baseline.Verdict{baseline.Regression, baseline.Changed} {
		if n := b.report.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

// knows reports whether the baseline has a run end like this one.
func (b *bench) knows(r *baseline.Run) bool {
	return b.base != nil && slices.ContainsFunc(b.base.Runs, func(x *baseline.Run) bool {
		return x.Name() == r.Name() && x.Seed == r.Seed && x.Outcome == r.Outcome
	})
}

// selection is what a command of several scenarios was asked for.
type selection struct {
	files []*scenarios.File
	on    map[*scenarios.File]*loading.Loaded // where a file's project comes from
	words []string                            // as given
	whole bool                                // all of a place: a scenario that is not in it is no more
}

func (x *selection) has(scenario string) bool {
	return slices.ContainsFunc(x.files, func(f *scenarios.File) bool { return f.Name == scenario })
}

// selects refuses a threshold that holds for nothing.
func (x *selection) selects(limits []*baseline.Threshold) error {
	for _, t := range limits {
		var names []string
		found := false
		for _, f := range x.files {
			for _, v := range f.VariantNames() {
				found = found || t.Matches(f.Name, v)
				names = append(names, (&baseline.Run{Scenario: f.Name, Variant: v}).Name())
			}
		}
		if !found {
			return ui.Fail(ui.Usage, t.NoMatch(names))
		}
	}
	return nil
}
