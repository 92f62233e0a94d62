package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// sweepGrid is a sweep: places, times variants, times seeds, in this order.
type sweepGrid struct {
	o        *sweepOptions
	file     *scenarios.File // its Sweep is the axes that are swept
	sets     []string
	variants []string
	places   [][]string
	made     []*scenarios.Scenario // effective, by place and variant; seeds are put in a copy
	figures  [][]int64             // by run: one for each of gridMetrics, -1 for no data; nil where it did not finish
	ends     []gridEnd             // by run
	known    int                   // runs that the database had
	unkept   *sqlite.Error         // why the last of them are not recorded; nil where they are
}

// gridMetrics are what a sweep keeps of each run.
var gridMetrics = func() (out []baseline.Metric) {
	for _, m := range baseline.Metrics() {
		if _, ok := metrics.Find(m.Name); ok && m.Unit != metrics.Ratio {
			out = append(out, m)
		}
	}
	return append(out, baseline.Metric{Name: "items.total", Unit: metrics.Count})
}()

// gridMetric is a metric's place in gridMetrics.
func gridMetric(name string) int {
	for i, m := range gridMetrics {
		if m.Name == name {
			return i
		}
	}
	panic("cli: a sweep keeps no " + name)
}

// build makes the scenario of every place and variant: what is wrong with one is
// told before anything runs.
func (g *sweepGrid) build() error {
	for _, labels := range g.places {
		sets := append([]string(nil), g.sets...)
		for i, a := range g.file.Sweep {
			sets = append(sets, a.Path+"="+labels[i])
		}
		for _, v := range g.variants {
			sc, err := g.file.Effective(v, sets)
			if err != nil {
				return err
			}
			g.made = append(g.made, sc)
		}
	}
	g.figures, g.ends = make([][]int64, len(g.made)*g.o.seeds), make([]gridEnd, len(g.made)*g.o.seeds)
	return g.distinct()
}

// distinct refuses two values of an axis that are one: their places would be the
// same runs.
func (g *sweepGrid) distinct() error {
	step := len(g.places)
	for _, a := range g.file.Sweep {
		step /= len(a.Values) // the last axis runs fastest
		seen := map[string]string{}
		for i, value := range a.Values {
			spec, err := g.spec(i * step * len(g.variants) * g.o.seeds)
			if err != nil {
				return err
			}
			id := spec.RunID()
			if first, there := seen[id]; there {
				return ui.Failf(ui.Usage, "%s: %s and %s are the same value; leave one of them out", a.Path, first, value)
			}
			seen[id] = value
		}
	}
	return nil
}

// spec is run i.
func (g *sweepGrid) spec(i int) (*sim.Spec, error) {
	cell := i / g.o.seeds
	sc := *g.made[cell]
	sc.Seed += uint64(i % g.o.seeds)
	return sim.NewSpec(&sc, g.variants[cell%len(g.variants)])
}

// gridRun is one run on its way.
type gridRun struct {
	id     string
	spec   *sim.Spec
	row    sqlite.Run
	writer *sqlite.Writer
	fold   *metrics.Fold
	pulse  []transcript.Sink // for progress
	result *sim.Result
	err    error
}

// begunFor is how many runs are begun for each that goes on: while what ended is
// handed on, the next ones wait for a slot already.
const begunFor = 64

// runGrid runs what the database has not, and reads what it has.
func runGrid(s *ui.Env, g *sweepGrid) error {
	db, err := rundb.Create(s, g.o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	finished, err := db.Finished()
	if err != nil {
		return err
	}
	bulk, err := db.Bulk()
	if err != nil {
		return err
	}
	defer bulk.Close()
	stop, bar := listen(s), ui.NewProgress(s, "sweeping", "runs", len(g.figures))
	defer stop.stop()
	defer bar.Finish()
	workers := g.o.workers
	if workers == 0 {
		workers = cores()
	}
	slots, store := make(chan struct{}, workers), newStorer(bulk, s.Now)
	jobs := make([]*gridRun, len(g.figures))
	q := queue{
		begin: func(i int) error {
			jobs[i] = &gridRun{pulse: bar.Pulse()}
			return nil
		},
		work: func(i int) {
			slots <- struct{}{}
			jobs[i].run(g, i, finished, bulk, stop)
			<-slots
			bar.Add(1)
		},
		end: func(i int) error {
			r := jobs[i]
			jobs[i] = nil
			if err := g.take(i, r, db, store); err != nil {
				return err
			}
			return store.due()
		},
		more: func() bool { return !stop.has() },
	}
	err = q.run(len(jobs), begunFor*workers)
	if kept := store.finish(); err == nil && !errors.As(kept, &g.unkept) {
		err = kept
	}
	if err != nil {
		return err
	}
	if stop.has() && g.unkept != nil {
		return g.unkept
	}
	if stop.has() {
		return ui.Failf(ui.Interrupted, "interrupted; %s holds the runs that were over, and the same command goes on from there", g.o.db)
	}
	if g.known > 0 {
		fmt.Fprintf(s.Stderr, "%s: %s of %d there already\n", g.o.db, ui.Plural(g.known, "run"), len(g.figures))
	}
	return nil
}

// run runs one spec, unless the database has it and it finished there: why one
// did not is told each time.
func (r *gridRun) run(g *sweepGrid, i int, finished map[string]bool, bulk *sqlite.Bulk, stop *interrupts) {
	if r.spec, r.err = g.spec(i); r.err != nil || stop.has() {
		return
	}
	if r.id = r.spec.RunID(); finished[r.id] {
		r.spec = nil
		return
	}
	r.row = runRow(r.spec, r.id)
	r.fold = newFold(r.spec, nil)
	r.writer = bulk.Writer(&r.row, sqlite.Options{Cost: costs(r.spec)})
	stop.around(sim.Options{Sinks: append(r.pulse, r.fold, r.writer)}, func(opt sim.Options) { r.result, r.err = sim.Run(r.spec, opt) })
}

// runRow is a run's identity, as the record keeps it.
func runRow(spec *sim.Spec, id string) sqlite.Run {
	run := sqlite.Run{ID: id, Name: spec.Scenario.Name, Variant: spec.Variant, Seed: spec.Seed(),
		Policy: spec.Policy, Semantics: sim.Semantics, Spec: spec.Text()}
	for _, p := range spec.Project.Paths() {
		content, _ := spec.Project.Content(p)
		run.Files = append(run.Files, sqlite.File{Path: p, Content: content})
	}
	return run
}

// take keeps what became of run i, and hands it on to be stored.
func (g *sweepGrid) take(i int, r *gridRun, db *sqlite.DB, store *storer) error {
	cell := i / g.o.seeds
	switch {
	case r.err != nil:
		return g.located(cell, r.err)
	case r.result == nil && r.id == "", r.result != nil && r.result.Outcome == sim.Interrupted:
		return nil
	case r.result == nil:
		g.known++
		stored, err := db.Metrics(r.id)
		if err != nil {
			return err
		}
		g.figures[i], g.ends[i] = readFigures(stored), gridEnd{outcome: sim.Completed}
		return nil
	}
	if err := auditErr(r.result.Audit); err != nil {
		return ui.Failf(ui.Broken, "%s with seed %d at %s: an invariant is broken\n%w", r.spec.Variant, r.spec.Seed(), g.at(cell/len(g.variants)), err)
	}
	figures := r.fold.Run()
	g.ends[i] = endOf(executed{spec: r.spec, result: r.result, metrics: figures})
	if g.ends[i].why == "" {
		g.figures[i] = takeFigures(figures)
	}
	store.add(r.writer, r.row, sqlite.End{Status: status(r.result.Outcome), Detail: r.result.Detail, Digest: r.result.Digest,
		Metrics: ofRun(stored(figures)), Invariants: invariants(r.result.Audit)})
	return nil
}

// gridEnd is how a run ended.
type gridEnd struct {
	outcome string
	why     string // it did not finish; "" when it did
}

// endOf says how a run ended: a root that failed did not finish either.
func endOf(x executed) gridEnd {
	if x.result.Outcome != sim.Completed {
		return gridEnd{x.result.Outcome, ending(x.result)}
	}
	return gridEnd{x.result.Outcome, strings.Join(unfinishedRoots(x), "; ")}
}

// ofRun are the metrics of a whole run, without those of its agents' types: a
// sweep's table has many runs.
func ofRun(list []sqlite.Metric) []sqlite.Metric {
	return slices.DeleteFunc(list, func(m sqlite.Metric) bool { return m.Scope != "run" })
}

// located gives an error its place in the scenario.
func (g *sweepGrid) located(cell int, err error) error {
	sets := append([]string(nil), g.sets...)
	for i, a := range g.file.Sweep {
		sets = append(sets, a.Path+"="+g.places[cell/len(g.variants)][i])
	}
	return located(g.file, &sim.Spec{Variant: g.variants[cell%len(g.variants)]}, sets, err)
}

// noData stands for a figure that a run has no data for.
const noData = -1

// takeFigures are those of a run that has just ended.
func takeFigures(r *metrics.Run) []int64 {
	out := make([]int64, len(gridMetrics))
	for i, m := range gridMetrics {
		out[i] = noData
		if v, ok := metrics.Lookup(r, "", m.Name); ok {
			out[i] = v.Num
		}
	}
	return out
}

// readFigures are those of a run that was stored.
func readFigures(list []sqlite.Metric) []int64 {
	out := make([]int64, len(gridMetrics))
	for i, m := range gridMetrics {
		out[i] = noData
		for _, x := range list {
			if x.Scope == "run" && x.Name == m.Name {
				out[i] = x.Value
			}
		}
	}
	return out
}
