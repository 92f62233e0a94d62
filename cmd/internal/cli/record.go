package cli

import (
	"errors"
	"time"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

// recorder keeps runs in the database; without one it does nothing. Once it has
// failed it does nothing more: what was simulated is printed all the same.
type recorder struct {
	db    *sqlite.DB
	level sqlite.Level
	err   error // the first failure
}

func openRecorder(s *ui.Env, o *runOptions) (*recorder, error) {
	if o.record == "none" {
		return &recorder{}, nil
	}
	db, err := rundb.Create(s, o.db)
	if err != nil {
		return nil, err
	}
	return &recorder{db: db, level: sqlite.Level(o.record)}, nil
}

func (r *recorder) close() {
	if r.db != nil {
		r.db.Close()
	}
}

// begin opens a run's record; nil when nothing is recorded.
func (r *recorder) begin(spec *sim.Spec, now time.Time) (*sqlite.Writer, error) {
	if r.db == nil || r.err != nil {
		return nil, nil
	}
	w, err := r.db.Begin(runRow(spec, spec.RunID()), wall(now), sqlite.Options{Level: r.level, Cost: costs(spec)})
	return w, r.keep(err)
}

// keep takes an error of the database to itself, and returns any other.
func (r *recorder) keep(err error) error {
	if e := (*sqlite.Error)(nil); !errors.As(err, &e) {
		return err
	}
	if r.err == nil {
		r.err = err
	}
	return nil
}

func wall(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// costs prices calls for the record as the scenario does; a model without a price
// costs nothing there, and the report says so.
func costs(spec *sim.Spec) func(model string, u llm.Usage) (billed, uncached int64) {
	return func(model string, u llm.Usage) (billed, uncached int64) {
		p, err := spec.Scenario.Provider.Priced(model)
		if err != nil {
			return 0, 0
		}
		return int64(p.Cost(u)), int64(p.CostUncached(u))
	}
}

// finish closes a run's record with its end and its metrics.
func (r *recorder) finish(w *sqlite.Writer, x executed, now time.Time) error {
	if w == nil {
		return nil
	}
	err := w.Finish(sqlite.End{Status: status(x.result.Outcome), Detail: x.result.Detail, Digest: x.result.Digest,
		Schedule:   kernel.ChoicesText(x.result.Choices),
		FinishedAt: wall(now), Metrics: stored(x.metrics), Invariants: invariants(x.result.Audit)})
	if x.result.Outcome == sim.Interrupted && w.Err() != nil {
		return err // the guard ended it
	}
	return r.keep(err)
}

// crashed closes the record of a run that ended in a bug or found its scenario
// mistaken; what it says then adds nothing to that.
func (r *recorder) crashed(w *sqlite.Writer, err error, now time.Time) {
	status, mistake := sqlite.Crashed, (*sim.ScenarioError)(nil)
	if errors.As(err, &mistake) {
		status = sqlite.Invalid
	}
	if w != nil {
		_ = w.Finish(sqlite.End{Status: status, Detail: firstLine(err.Error()), FinishedAt: wall(now)})
	}
}

// stored lists the whole metrics of the run and of each agent type. Ratios are
// left out: the tables hold what they are made of.
func stored(r *metrics.Run) (out []sqlite.Metric) {
	add := func(scope, subject string) {
		for _, n := range metrics.Names() {
			if v, ok := metrics.Lookup(r, subject, n.Name); ok && n.Unit != metrics.Ratio {
				out = append(out, sqlite.Metric{Scope: scope, Name: n.Name, Value: v.Num, Unit: string(n.Unit)})
			}
		}
	}
	add("run", "")
	for _, t := range r.Types {
		add("type/"+t.Name, t.Name)
	}
	return out
}
