package cli

import (
	"fmt"
	"slices"

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
	figures  [][]int64             // by run: one for each of gridMetrics, -1 for no data
	known    int                   // runs that the database had
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
	g.figures = make([][]int64, len(g.made)*g.o.seeds)
	return nil
}

// spec is run i.
func (g *sweepGrid) spec(i int) (*sim.Spec, error) {
	cell := i / g.o.seeds
	sc := *g.made[cell]
	sc.Seed = g.file.Seeds[0] + uint64(i%g.o.seeds)
	spec := &sim.Spec{Scenario: &sc, Variant: g.variants[cell%len(g.variants)], Seed: sc.Seed, Policy: "fifo"}
	var err error
	if spec.Project, err = sim.Project(&sc); err != nil {
		return nil, &Failure{Usage, err}
	}
	return spec, nil
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

const (
	// batch is how many runs one job has.
	batch = 32
	// atOnce is how many jobs are begun for each that runs: while results are
	// stored, the next ones wait for a slot already.
	atOnce = 16
	// perCommit is how many runs at least share a transaction, and are lost at most,
	// with one job more, when the process is killed: about a third of a second.
	perCommit = 256
)

// runGrid runs what the database has not, and reads what it has.
func (s *State) runGrid(g *sweepGrid) error {
	db, err := sqlite.Create(g.o.db)
	if err != nil {
		return denied(g.o.db, err)
	}
	defer db.Close()
	settled, err := settledRuns(db)
	if err != nil {
		return err
	}
	bulk, err := db.Bulk()
	if err != nil {
		return err
	}
	defer bulk.Close()
	stop, bar := s.listen(), s.newProgress("sweeping", "runs", len(g.figures))
	defer stop.stop()
	defer bar.finish()
	workers := g.o.workers
	if workers == 0 {
		workers = cores()
	}
	slots := make(chan struct{}, workers)
	jobs := make([][]gridRun, (len(g.figures)+batch-1)/batch)
	q := queue{
		begin: func(i int) error {
			jobs[i] = make([]gridRun, min(batch, len(g.figures)-i*batch))
			for j := range jobs[i] {
				jobs[i][j].pulse = bar.pulse()
			}
			return nil
		},
		work: func(i int) {
			for j := range jobs[i] {
				slots <- struct{}{}
				jobs[i][j].run(g, i*batch+j, settled, bulk, stop)
				<-slots
				bar.add(1)
			}
		},
		end: func(i int) error {
			runs := jobs[i]
			jobs[i] = nil
			err := s.storeRuns(g, i*batch, runs, db, bulk)
			if err == nil && (bulk.Waiting() >= perCommit || i+1 == len(jobs)) {
				err = bulk.Flush()
			}
			return err
		},
		more: func() bool { return !stop.has() },
	}
	err = q.run(len(jobs), atOnce*workers)
	if kept := bulk.Flush(); err == nil {
		err = kept
	}
	if err != nil {
		return err
	}
	if stop.has() {
		return failf(Unfinished, "interrupted; %s holds the runs that were over, and the same command goes on from there", g.o.db)
	}
	if g.known > 0 {
		fmt.Fprintf(s.Stderr, "%s: %s of %d there already\n", g.o.db, plural(g.known, "run"), len(g.figures))
	}
	return nil
}

// settledRuns are the ids of runs that are not to be run again.
func settledRuns(db *sqlite.DB) (map[string]bool, error) {
	runs, err := db.Runs()
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, r := range runs {
		if r.Outcome.Settled() {
			out[r.ID] = true
		}
	}
	return out, nil
}

// run runs one spec, unless the database has it.
func (r *gridRun) run(g *sweepGrid, i int, settled map[string]bool, bulk *sqlite.Bulk, stop *interrupts) {
	if r.spec, r.err = g.spec(i); r.err != nil || stop.has() {
		return
	}
	if r.id = r.spec.RunID(); settled[r.id] {
		r.spec = nil
		return
	}
	sc := r.spec.Scenario
	r.row = runRow(r.spec, r.id)
	r.fold = metrics.New(metrics.Options{Items: len(sc.Work), Tokens: countTokens, Price: sc.Provider.Priced})
	r.writer = bulk.Writer(&r.row, sqlite.Options{Cost: costs(r.spec)})
	stop.around(sim.Options{Sinks: append(r.pulse, r.fold, r.writer)}, func(opt sim.Options) { r.result, r.err = sim.Run(r.spec, opt) })
}

// runRow is a run's identity, as the record keeps it.
func runRow(spec *sim.Spec, id string) sqlite.Run {
	run := sqlite.Run{ID: id, Name: spec.Scenario.Name, Variant: spec.Variant, Seed: spec.Seed,
		Policy: spec.Policy, Semantics: sim.Semantics, Spec: spec.Text()}
	for _, p := range spec.Project.Paths() {
		content, _ := spec.Project.Content(p)
		run.Files = append(run.Files, sqlite.File{Path: p, Content: content})
	}
	return run
}

// storeRuns hands a job's runs on to be stored, and takes their figures.
func (s *State) storeRuns(g *sweepGrid, from int, runs []gridRun, db *sqlite.DB, bulk *sqlite.Bulk) error {
	now := wall(s.Now())
	for j := range runs {
		r, cell := &runs[j], (from+j)/g.o.seeds
		switch {
		case r.err != nil:
			return g.located(cell, r.err)
		case r.result == nil && r.id == "", r.result != nil && r.result.Outcome == sim.Interrupted:
			continue
		case r.result == nil:
			g.known++
			stored, err := db.Metrics(r.id)
			if err != nil {
				return err
			}
			g.figures[from+j] = readFigures(stored)
			continue
		}
		if err := auditErr(r.result.Audit); err != nil {
			return failf(Broken, "%s with seed %d at %s: an invariant is broken\n%w", r.spec.Variant, r.spec.Seed, g.at(cell/len(g.variants)), err)
		}
		figures := r.fold.Run()
		g.figures[from+j] = takeFigures(figures)
		bulk.Add(r.writer, r.row, now, sqlite.End{Status: status(r.result.Outcome), Detail: r.result.Detail, Digest: r.result.Digest,
			FinishedAt: now, Metrics: ofRun(stored(figures)), Invariants: invariants(r.result.Audit)})
	}
	return nil
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
