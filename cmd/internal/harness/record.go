package harness

import (
	"errors"
	"iter"
	"slices"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// Recorder keeps what becomes of jobs: a Record row by row, a Store many runs at a
// time.
type Recorder interface {
	begin(j *Job, at string) error
	end(j *Job, r *Run, at string) error
}

// Record keeps runs in a database, as far as its level says, while they go on. Once
// the database has failed it does nothing more: what was simulated is reported all
// the same.
type Record struct {
	DB      *sqlite.DB
	Level   sqlite.Level
	Expects string // what the runs' file expects of them, as a sheet's text
	Err     error  // of the database, the first
}

func (r *Record) begin(j *Job, at string) (err error) {
	if r.Err != nil {
		return nil
	}
	row := Row(j.Spec, j.Spec.RunID())
	row.Expects = r.Expects
	j.writer, err = r.DB.Begin(row, at, sqlite.Options{Level: r.Level, Cost: costs(j.Spec)})
	if err == nil {
		j.Sinks = append(j.Sinks, &guard{j})
	}
	return r.keep(err)
}

// keep takes an error of the database to itself, and returns any other.
func (r *Record) keep(err error) error {
	if e := (*sqlite.Error)(nil); !errors.As(err, &e) {
		return err
	}
	if r.Err == nil {
		r.Err = err
	}
	return nil
}

func (r *Record) end(j *Job, run *Run, at string) error {
	switch {
	case j.writer == nil:
		return nil
	case j.err != nil:
		// What the writer says then adds nothing to what went wrong.
		_ = j.writer.Finish(sqlite.End{Status: crashed(j.err), Detail: ui.FirstLine(j.err.Error()), FinishedAt: at})
		return nil
	}
	err := j.writer.Finish(ended(run.Result, Stored(run.Metrics), at))
	if run.Result.Outcome == sim.Interrupted && j.writer.Err() != nil {
		return err // the guard ended it
	}
	return r.keep(err)
}

// crashed is the status of a run that ended in an error: a bug, or a mistake in its
// scenario that only the run found.
func crashed(err error) sqlite.Status {
	if mistake := (*sim.ScenarioError)(nil); errors.As(err, &mistake) {
		return sqlite.Invalid
	}
	return sqlite.Crashed
}

// ended is the end of a run, as the record keeps it.
func ended(r *sim.Result, figures []sqlite.Metric, at string) sqlite.End {
	return sqlite.End{Status: sqlite.Status(r.Outcome), Detail: r.Detail, Digest: r.Digest, Schedule: kernel.ChoicesText(r.Choices),
		FinishedAt: at, Metrics: figures, Invariants: Invariants(r.Audit)}
}

// Row is a run's identity, as the record keeps it.
func Row(spec *sim.Spec, id string) sqlite.Run {
	run := sqlite.Run{ID: id, Name: spec.Scenario.Name, Variant: spec.Variant, Seed: spec.Seed(),
		Policy: spec.Policy, Semantics: sim.Semantics, Spec: spec.Text()}
	for _, p := range spec.Project.Paths() {
		content, _ := spec.Project.Content(p)
		run.Files = append(run.Files, sqlite.File{Path: p, Content: content})
	}
	return run
}

// Wall is an instant of this machine, as the record keeps it.
func Wall(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// costs prices calls for the record as the scenario does; a model without a price
// costs nothing there, and the report says so.
func costs(spec *sim.Spec) func(model string, u llm.Usage) (billed, uncached int64) {
	return func(model string, u llm.Usage) (billed, uncached int64) {
		p, err := spec.Priced(model)
		if err != nil {
			return 0, 0
		}
		return int64(p.Cost(u)), int64(p.CostUncached(u))
	}
}

// Stored lists the whole metrics of the run and of each agent type. Ratios are
// left out: the tables hold what they are made of.
func Stored(r *metrics.Run) (out []sqlite.Metric) {
	out = stored(out, r, "run", "")
	for _, t := range r.Types {
		out = stored(out, r, "type/"+t.Name, t.Name)
	}
	return out
}

func stored(out []sqlite.Metric, r *metrics.Run, scope, subject string) []sqlite.Metric {
	out = slices.Grow(out, len(metrics.Names()))
	for _, n := range metrics.Names() {
		if v, ok := metrics.Lookup(r, subject, n.Name); ok && n.Unit != metrics.Ratio {
			out = append(out, sqlite.Metric{Scope: scope, Name: n.Name, Value: v.Num, Unit: string(n.Unit)})
		}
	}
	return out
}

// Invariants are the record's rows of what was checked.
func Invariants(r *audit.Report) (out []sqlite.Invariant) {
	if r == nil {
		return nil
	}
	out = make([]sqlite.Invariant, 0, len(r.Counts))
	for _, c := range r.Counts {
		out = append(out, sqlite.Invariant{Name: c.ID, Checks: c.Made, Broken: c.Broken})
	}
	return out
}

// Broken is the first invariant that a run breaks, nil for none and without an
// auditor.
func Broken(r *sim.Result) error {
	if r.Audit == nil {
		return nil
	}
	return r.Audit.Err()
}

// Rerun is a stored run that is run again, recorded beside its record.
type Rerun struct {
	spec   *sim.Spec
	stop   *Interrupt
	id     string
	opt    sim.Options
	db     *sqlite.DB
	writer *sqlite.Writer
	fold   *metrics.Fold
}

// NewRerun prepares it; Close must be called.
func NewRerun(spec *sim.Spec, info sqlite.RunInfo, stop *Interrupt, opt sim.Options) (*Rerun, error) {
	level := info.Level
	if level == sqlite.Full {
		level = sqlite.Calls // all rows, without content
	}
	db, err := sqlite.Scratch()
	if err != nil {
		return nil, err
	}
	r := &Rerun{spec: spec, stop: stop, id: info.ID, opt: opt, db: db, fold: newFold(spec, nil)}
	if r.writer, err = db.Begin(Row(spec, info.ID), "", sqlite.Options{Level: level, Cost: costs(spec)}); err != nil {
		db.Close()
		return nil, err
	}
	r.opt.Sinks = []transcript.Sink{r.fold, r.writer}
	return r, nil
}

// Close lets go of the second record.
func (r *Rerun) Close() { r.db.Close() }

// Run runs it to its end.
func (r *Rerun) Run(sinks ...transcript.Sink) (*sim.Result, error) {
	opt := r.opt
	opt.Sinks = append(opt.Sinks, sinks...)
	return r.stop.Run(r.spec, opt)
}

// Beside runs it beside the lines of its record, as far as they are equal.
func (r *Rerun) Beside(lines iter.Seq2[string, error]) (*sim.Result, *transcript.Difference, error) {
	opt, done := r.stop.watched(r.opt)
	defer done()
	return sim.Replay(r.spec, lines, opt)
}

// Differences are what of the record is not as it came again.
func (r *Rerun) Differences(db *sqlite.DB, res *sim.Result) ([]sqlite.Mismatch, error) {
	if err := r.writer.Finish(ended(res, Stored(r.fold.Run()), "")); err != nil {
		return nil, err
	}
	return db.Differences(r.id, r.db)
}
