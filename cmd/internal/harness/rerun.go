package harness

import (
	"iter"

	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

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
