package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/compare"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// reportRuns prints what variants came to and decides the exit code: a broken
// invariant outranks an unfinished run, which outranks a missed expectation. cut is
// what kept the grid of the scenario's own sweep from being whole.
func reportRuns(s *ui.Env, file *scenarios.File, done []executed, grid *compare.Grid, cut error, rec *harness.Record, o *runOptions) error {
	verdicts := expectations(file, done)
	if o.output != "table" {
		doc := runDocument(file, done, verdicts)
		doc.Sweep, doc.Flips = sweepDocument(grid), grid.Ranking()
		if err := emitRun(s, o, doc, done); err != nil {
			return err
		}
	} else if err := printRun(s, file, done, verdicts, grid, rec, o); err != nil {
		return err
	}
	if err := broken(done, o); err != nil {
		return err
	}
	for _, x := range done {
		if x.result.Outcome != sim.Completed {
			return ui.Failf(stoppedBy(x.result.Outcome), "%s did not finish: %s", title(x), harness.Ending(x.result))
		}
	}
	for _, x := range done {
		if lines := harness.OpenRoots(x.spec.Scenario, x.metrics); lines != nil {
			return ui.Failf(ui.Unfinished, "%s did not finish: %s", title(x), strings.Join(lines, "; "))
		}
	}
	if o.left > 0 {
		return ui.Failf(ui.Interrupted, "interrupted: %s did not begin", ui.Plural(o.left, "variant"))
	}
	if cut != nil {
		return cut
	}
	for _, v := range verdicts {
		if v.Verdict != scenarios.Pass {
			return &ui.Failure{Code: ui.Missed}
		}
	}
	return nil
}

// stoppedBy is the code of an outcome that is no end.
func stoppedBy(outcome transcript.RunOutcome) ui.Code {
	if outcome == sim.Interrupted {
		return ui.Interrupted
	}
	return ui.Unfinished
}

// wasInterrupted reports whether one of the runs was.
func wasInterrupted(done []executed) bool {
	for _, x := range done {
		if x.result.Outcome == sim.Interrupted {
			return true
		}
	}
	return false
}

func title(x executed) string {
	if x.spec.Variant == "" {
		return x.spec.Scenario.Name
	}
	return x.spec.Scenario.Name + "/" + x.spec.Variant
}

// expectations holds the expectations against the variants that ran.
func expectations(file *scenarios.File, done []executed) []scenarios.Result {
	runs := map[string]*metrics.Run{}
	for _, x := range done {
		runs[x.spec.Variant] = x.metrics
	}
	return file.Judge(runs)
}

// printRun prints the comparison the way people read it.
func printRun(s *ui.Env, file *scenarios.File, done []executed, verdicts []scenarios.Result, grid *compare.Grid, rec *harness.Record, o *runOptions) error {
	first := done[0].spec
	title := fmt.Sprintf("%s   seed %d · %s · %s%s", file.Name, first.Seed(), models(done), worldOf(done), variantsOf(done))
	s.Printf("%s\n\n", strings.Join(s.Style().Lines(title, 0), "\n"))
	rows := rowsOf(done)
	if err := report.Comparison(rows, o.shown).Write(s.Stdout, s.Style()); err != nil {
		return err
	}
	if err := printMisses(s, rows); err != nil {
		return err
	}
	s.Printf("\n")
	if t := grid.Costs(); t.Len() > 0 {
		if err := t.Write(s.Stdout, s.Style()); err != nil {
			return err
		}
		s.Printf("\n")
	}
	s.Lines("unfinished", unfinished(done))
	name := "why"
	for _, line := range append(remarks(done), undone(done)...) {
		s.Label(name, line)
		name = ""
	}
	s.Lines("not read", notRead(done))
	s.Lines("read before", readBefore(done))
	s.Lines("left", leaves(done))
	s.Lines("ranking", grid.Ranking())
	s.Label("assumed", strings.Join(gathered(done, func(r *sim.Result) []string { return r.Assumed }), " · "))
	s.Label("unverified", strings.Join(gathered(done, func(r *sim.Result) []string { return r.Options }), " · "))
	s.Label("billing", fmt.Sprintf("%s billing checks, none broken", report.Quantity(checks(done))))
	s.Label("isolation", isolation(done))
	printVerdicts(s, verdicts)
	printRecorded(s, done, rec, o)
	return nil
}

func rowsOf(done []executed) (rows []report.Row) {
	for _, x := range done {
		rows = append(rows, report.Row{Variant: x.spec.Variant, Run: x.metrics})
	}
	return rows
}

func printMisses(s *ui.Env, rows []report.Row) error {
	for _, r := range rows {
		if r.Run.Total.AllMisses().Calls > 0 {
			s.Printf("\n")
			return report.Misses(rows).Write(s.Stdout, s.Style())
		}
	}
	return nil
}

func models(done []executed) string {
	var names []string
	for _, x := range done {
		p := &x.spec.Scenario.Provider
		if m := p.ModelID(p.Model); !slices.Contains(names, m) {
			names = append(names, m)
		}
		for _, m := range x.metrics.Models {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

// worldOf counts work and files; where variants differ in that, from the least to
// the most.
func worldOf(done []executed) string {
	var work, files bounds
	for i, x := range done {
		work.add(i == 0, len(x.spec.Scenario.Work))
		files.add(i == 0, x.spec.Project.Len())
	}
	text := files.of("file")
	if work.most > 0 {
		text = work.of("item") + " of work on " + text
	}
	return text
}

// bounds are the least and the most of some numbers.
type bounds struct{ least, most int }

func (b *bounds) add(first bool, n int) {
	if first {
		b.least, b.most = n, n
	}
	b.least, b.most = min(b.least, n), max(b.most, n)
}

func (b *bounds) of(what string) string {
	if b.least == b.most {
		return ui.Plural(b.most, what)
	}
	return strconv.Itoa(b.least) + " to " + ui.Plural(b.most, what)
}

func variantsOf(done []executed) string {
	if len(done) == 1 && done[0].spec.Variant == "" {
		return ""
	}
	return " · " + ui.Plural(len(done), "variant")
}

// gathered lists what the variants say, each thing once: first what all of them
// say, then the rest with the variants it is true of.
func gathered(done []executed, says func(*sim.Result) []string) []string {
	var order []string
	of := map[string][]string{}
	for _, x := range done {
		for _, text := range says(x.result) {
			if of[text] == nil {
				order = append(order, text)
			}
			of[text] = append(of[text], x.spec.Variant)
		}
	}
	var common, rest []string
	for _, text := range order {
		if who := whose(of[text], done); who != "" {
			rest = append(rest, text+" ("+who+")")
		} else {
			common = append(common, text)
		}
	}
	return append(common, rest...)
}

// maxNamed is how many variants are named one by one.
const maxNamed = 4

// whose names the variants in a list of them, "" for all.
func whose(names []string, done []executed) string {
	var others []string
	for _, x := range done {
		if !slices.Contains(names, x.spec.Variant) {
			others = append(others, x.spec.Variant)
		}
	}
	switch {
	case len(others) == 0:
		return ""
	case len(others) < len(names) && len(others) <= maxNamed:
		return "all but " + strings.Join(others, ", ")
	case len(names) <= maxNamed:
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%d of %d variants", len(names), len(done))
}

// checks is how often the conservation laws were held against a call or a run.
func checks(done []executed) (n int64) {
	for _, x := range done {
		n += x.result.Checks
	}
	return n
}

func printVerdicts(s *ui.Env, verdicts []scenarios.Result) {
	if len(verdicts) == 0 {
		return
	}
	passed := 0
	for _, v := range verdicts {
		if v.Verdict == scenarios.Pass {
			passed++
		}
	}
	s.Label("expected", fmt.Sprintf("%d of %d expectations hold", passed, len(verdicts)))
	for _, v := range verdicts {
		if v.Verdict != scenarios.Pass {
			s.Label("", missed(v))
		}
	}
}

// missed says what an expectation wanted and what there was.
func missed(v scenarios.Result) string {
	where := ""
	if v.Variant != "" {
		where = " in " + v.Variant
	}
	if v.Verdict == scenarios.NoData {
		return fmt.Sprintf("no data%s: %s", where, v.Expect.Text)
	}
	return fmt.Sprintf("missed%s: %s (%s against %s)", where, v.Expect.Text, report.Figure(v.Left), report.Figure(v.Right))
}

// printRecorded names the runs and what can be done with them.
func printRecorded(s *ui.Env, done []executed, rec *harness.Record, o *runOptions) {
	if rec.Err != nil {
		s.Label("recorded", "incomplete: the message below says why")
		return
	}
	if rec.DB == nil {
		return
	}
	var ids []string
	for _, x := range done {
		ids = append(ids, ui.Short(x.result.RunID))
	}
	noun := "runs"
	if len(ids) == 1 {
		noun = "run"
	}
	s.Label("recorded", fmt.Sprintf("%s, %s %s", o.db, noun, strings.Join(ids, " ")))
	at := rundb.At(s, o.db)
	last := ids[len(ids)-1]
	s.Label("replay", "agentsim replay "+last+at)
	if id := lastMissed(done); id != "" && o.record == "full" {
		s.Label("misses", "agentsim inspect "+ui.Short(id)+" --misses"+at)
	}
}

// lastMissed is the id of the last run in which a call missed, "" when none did.
func lastMissed(done []executed) (id string) {
	for _, x := range done {
		if x.metrics.Total.AllMisses().Calls > 0 {
			id = x.result.RunID
		}
	}
	return id
}
