package compare

import (
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/sides"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// comparedSide is one side of the comparison, and where its record is.
type comparedSide struct {
	*sides.Side
	db   *sqlite.DB      // nil when scenarios were run
	full map[string]bool // runs whose events can be read from it
	ran  map[string]*baseline.Run
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
	if variant == "" {
		loading.NoteSweep(s, file, name)
	} else {
		if runs.Variants, err = harness.Variants(file, []string{variant}); err != nil {
			return nil, err
		}
	}
	h := harness.New(s, "running", runs.Len())
	defer h.Close()
	x, broken := &comparedSide{Side: &sides.Side{Name: arg}, ran: map[string]*baseline.Run{}}, error(nil)
	err = h.Bench(runs, func(m *harness.Measured) error {
		if err := harness.Broken(m.Result); err != nil && broken == nil {
			broken = m.Broke(err)
		}
		if o.seeds == 1 {
			m.Kept.Lines = m.Kept.Lines[1:]
			x.ran[m.ID] = m.Kept
		}
		row := harness.Row(m.Spec, m.ID)
		x.Add(kindOf(m.Kept.Scenario, &row), sides.Run{ID: m.ID, Digest: m.Kept.Digest, Seed: m.Kept.Seed, Open: openRun(m.Kept), Figures: m.Kept.Figures})
		return nil
	})
	if err == nil && broken != nil && !h.Stop.Has() {
		err = ui.Fail(ui.Broken, broken)
	}
	return x, loading.Ended(s, h, err, "nothing was compared or written")
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
func kindOf(scenario string, row *sqlite.Run) sides.Kind {
	bare := *row
	bare.Semantics = 0
	return sides.Kind{Scenario: scenario, Variant: row.Variant, Spec: specOf(row), Bare: specOf(&bare), Semantics: row.Semantics}
}

// readRuns reads a run of a database, or all that are over.
func readRuns(arg, path, prefix string) (*comparedSide, error) {
	db, err := rundb.Open(path)
	if err != nil {
		return nil, err
	}
	x := &comparedSide{Side: &sides.Side{Name: arg}, db: db, full: map[string]bool{}}
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
		x.Add(kindOf(r.Name, &row), sides.Run{ID: r.ID, Digest: r.Digest, Seed: r.Seed, Open: why, Figures: figuresOf(figures)})
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
