// Package compare is the command that sets runs, variants or databases against
// each other.
package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/compare"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/wire"

	"github.com/spf13/cobra"
)

// options are the flags of compare.
type options struct {
	db     string
	seeds  int
	output string
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
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
		RunE: func(_ *cobra.Command, args []string) error { return run(s, o, args) },
	}
	f := cmd.Flags()
	rundb.Flag(s, f, &o.db, "the `file` in which a RUN is looked for")
	f.IntVar(&o.seeds, "seeds", 1, "run scenarios with so many seeds, from their own on")
	ui.OutputFlag(f, &o.output)
	return cmd
}

// comparedSide is one side of the comparison, and where its record is.
type comparedSide struct {
	*compare.Side
	db   *sqlite.DB      // nil when scenarios were run
	full map[string]bool // runs whose events can be read from it
	ran  map[string]*baseline.Run
}

func run(s *ui.Env, o *options, args []string) error {
	switch {
	case o.seeds < 1 || o.seeds > harness.MaxSeeds:
		return ui.Failf(ui.Usage, "--seeds %d: write a number from 1 to %d", o.seeds, harness.MaxSeeds)
	}
	var sides [2]*comparedSide
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
	c := &comparing{Comparison: compare.Match(sides[0].Side, sides[1].Side), a: sides[0], b: sides[1]}
	if len(c.Pairs) == 0 {
		return ui.Failf(ui.Usage, "%s and %s have no scenario and variant in common\n%s has %s\n%s has %s", args[0], args[1], args[0], sides[0].Names(), args[1], sides[1].Names())
	}
	if err := c.firstEvents(); err != nil {
		return err
	}
	if err := s.Print(o.output, c.document()); err != nil {
		return err
	}
	return c.outcome()
}

// readSide finds out what an argument is, and reads or runs it.
func readSide(s *ui.Env, o *options, arg string) (*comparedSide, error) {
	head, tail, found := arg, "", false
	if i := strings.LastIndexByte(arg, ':'); i > 0 && i+1 < len(arg) {
		head, tail, found = arg[:i], arg[i+1:], true
	}
	switch {
	case loading.IsScenario(head):
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

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// runSide runs variants of a scenario, as bench does.
func runSide(s *ui.Env, o *options, arg, name, variant string) (*comparedSide, error) {
	file, err := loading.Scenario(name)
	if err != nil {
		return nil, err
	}
	runs := &harness.Bench{Files: []*scenarios.File{file}, Seeds: o.seeds}
	if variant != "" {
		if runs.Variants, err = harness.Variants(file, []string{variant}); err != nil {
			return nil, err
		}
	}
	h := harness.New(s, "running", runs.Len())
	defer h.Close()
	x, broken := &comparedSide{Side: &compare.Side{Name: arg}, ran: map[string]*baseline.Run{}}, error(nil)
	err = h.Bench(runs, func(m *harness.Measured) error {
		if err := harness.Broken(m.Result); err != nil && broken == nil {
			broken = m.Broke(err)
		}
		if o.seeds == 1 {
			m.Kept.Lines = m.Kept.Lines[1:]
			x.ran[m.ID] = m.Kept
		}
		row := harness.Row(m.Spec, m.ID)
		x.Add(kindOf(m.Kept.Scenario, &row), compare.Run{ID: m.ID, Digest: m.Kept.Digest, Seed: m.Kept.Seed, Open: openRun(m.Kept), Figures: m.Kept.Figures})
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
		return string(r.Outcome)
	}
	if n := r.Figures[baseline.Unfinished].Num; n > 0 {
		return ui.Plural(int(n), "root") + " failed or reached a limit of turns"
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

// kindOf is what a stored run has in common with those of other seeds.
func kindOf(scenario string, row *sqlite.Run) compare.Kind {
	bare := *row
	bare.Semantics = 0
	return compare.Kind{Scenario: scenario, Variant: row.Variant, Spec: specOf(row), Bare: specOf(&bare), Semantics: row.Semantics}
}

// readRuns reads a run of a database, or all that are over.
func readRuns(arg, path, prefix string) (*comparedSide, error) {
	db, err := rundb.Open(path)
	if err != nil {
		return nil, err
	}
	x := &comparedSide{Side: &compare.Side{Name: arg}, db: db, full: map[string]bool{}}
	if err := x.read(prefix); err != nil {
		db.Close()
		return nil, err
	}
	return x, nil
}

func (x *comparedSide) read(prefix string) error {
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
			why = whyOpen(&r)
		}
		x.full[r.ID] = r.Level == sqlite.Full
		x.Add(kindOf(r.Name, &row), compare.Run{ID: r.ID, Digest: r.Digest, Seed: r.Seed, Open: why, Figures: figuresOf(figures)})
	}
	if len(x.Groups) == 0 {
		return ui.Failf(ui.Usage, "%s: no run in it has ended", x.Name)
	}
	x.Sort()
	return nil
}

// whyOpen says why a recorded run did not finish.
func whyOpen(r *sqlite.RunInfo) string {
	if r.Outcome != sqlite.Completed {
		return strings.TrimSuffix(string(r.Outcome)+": "+r.Detail, ": ")
	}
	return "a root failed or reached a limit of turns"
}

// figuresOf takes a baseline's figures out of a record's; the hit ratio is made
// of its parts.
func figuresOf(list []sqlite.Metric) map[string]metrics.Value {
	of, out := map[string]int64{}, map[string]metrics.Value{}
	for _, m := range list {
		if m.Scope == "run" {
			of[m.Name] = m.Value
		}
	}
	for _, m := range baseline.Metrics() {
		if n, ok := of[m.Name]; ok {
			out[m.Name] = metrics.Whole(n, m.Unit)
		} else if p := of["tokens.prompt"]; m.Name == "cache.hit_ratio" && p > 0 {
			out[m.Name] = metrics.Value{Num: of["tokens.read"], Den: p, Unit: metrics.Ratio}
		}
	}
	return out
}

// comparing is one use of the command.
type comparing struct {
	*compare.Comparison
	a, b   *comparedSide
	found  report.Findings // where single runs differ
	events []string        // of one pair, the events themselves
	more   string          // the command that shows more of it
}

// open lists the runs that did not finish.
func (c *comparing) open() (out []string) {
	for _, x := range c.Open() {
		side := "A"
		if x.OfB {
			side = "B"
		}
		out = append(out, fmt.Sprintf("%s  %s, run %s: %s", side, &x, ui.Short(x.Run.ID), x.Run.Open))
	}
	return out
}

// outcome is the error of a run that was run for the comparison and did not
// finish. A record may hold such runs.
func (c *comparing) outcome() error {
	for _, x := range c.Open() {
		if db := map[bool]*sqlite.DB{false: c.a.db, true: c.b.db}[x.OfB]; db == nil {
			return ui.Failf(ui.Unfinished, "%s with seed %d did not finish: %s; no side is called better than it", x.Group.Name(), x.Run.Seed, x.Run.Open)
		}
	}
	return nil
}

// firstEvents finds where single runs of both sides differ, where what each did is
// kept.
func (c *comparing) firstEvents() error {
	for i := range c.Pairs {
		p := &c.Pairs[i]
		if len(p.A.Runs) != 1 || len(p.B.Runs) != 1 {
			continue
		}
		where, exact, err := c.parting(&p.A.Runs[0], &p.B.Runs[0])
		if err != nil {
			return err
		}
		if c.found.Add(where, p.A.Name(), 0); len(c.Pairs) == 1 {
			c.events = exact
		}
	}
	return nil
}

// where says it to people; of two runs of one database it adds how to see more.
func (c *comparing) where() []string {
	lines := c.found.Lines(len(c.Pairs))
	if c.more != "" && len(c.Pairs) == 1 {
		lines = append(lines, c.more)
	}
	return lines
}

// parting is where two runs part, in words and by their events.
func (c *comparing) parting(a, b *compare.Run) (where string, exact []string, err error) {
	if a.Digest == b.Digest {
		where = "the same in both, digest " + a.Digest
		return where, []string{where}, nil
	}
	was, err := c.a.kept(a)
	is, bad := c.b.kept(b)
	if err = errors.Join(err, bad); err != nil || was == nil || is == nil {
		return "", nil, err
	}
	d, err := transcript.Compare(lines(was), lines(is))
	switch {
	case err != nil:
		return "", nil, err
	case d == nil:
		where = "the same in both but the first, which names the run"
		return where, []string{where}, nil
	}
	if n := baseline.Requests(is.Lines[:d.Index]) + 1; d.Field == "head" {
		if err := errors.Join(c.a.outline(a, was, n), c.b.outline(b, is, n)); err != nil {
			return "", nil, err
		}
		if c.a.db != nil && c.b.db != nil && c.a.db.Path() == c.b.db.Path() {
			c.more = ui.QuoteAll([]string{"agentsim", "lab", "diff", fmt.Sprintf("%s:%d", ui.Short(a.ID), n), fmt.Sprintf("%s:%d", ui.Short(b.ID), n), "--db", c.a.db.Path()})
		}
	}
	where = "first difference: " + baseline.Where(was, is, d)
	d.Index++ // the one left out
	return where, []string{fmt.Sprintf("first difference at event %d, field %s", d.Index, d.Field), "A  " + d.Want, "B  " + d.Got}, nil
}

// kept is what tells where a run differs: nil where it is not kept. A run's first
// event is left out: it says which run it is, so two variants always differ there.
func (x *comparedSide) kept(r *compare.Run) (*baseline.Run, error) {
	if x.db == nil || !x.full[r.ID] {
		return x.ran[r.ID], nil
	}
	out := &baseline.Run{}
	for line, err := range x.db.Events(r.ID) {
		if err != nil {
			return nil, err
		}
		out.Lines = append(out.Lines, baseline.Cut(line))
	}
	out.Lines = out.Lines[min(1, len(out.Lines)):]
	return out, nil
}

// outline finds out what stood in the n-th request that has a prompt, from 1, where
// that is recorded.
func (x *comparedSide) outline(r *compare.Run, into *baseline.Run, n int) error {
	if x.db == nil {
		return nil
	}
	call, err := x.db.Call(r.ID, int64(n))
	if err != nil {
		return err
	}
	body, err := x.db.RequestBytes(r.ID, call.Seq)
	if err != nil {
		return err
	}
	request, err := wire.Read(&llm.Builder{}, body, wire.Options{})
	if err != nil {
		return err
	}
	into.Outline = sharedprefix.OutlineOf(request.Head, call.Model, n)
	return nil
}

func lines(r *baseline.Run) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, line := range r.Lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}
