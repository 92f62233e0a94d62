package sqlite

import (
	"database/sql"
	"math"
)

// Later is a sink for one run that began at startedAt, of which Store keeps the
// totals when it is over. It touches the database only there, so many runs may be
// on their way side by side. Options.Level and Batch are not used.
func (db *DB) Later(run *Run, startedAt string, opt Options) *Writer {
	opt.Level, opt.Batch = Totals, math.MaxInt
	w := newWriter(db, run, startedAt, opt)
	w.owner, w.metrics.named = true, true
	return w
}

// Ended is a run that is over, and its writer, which Later made.
type Ended struct {
	*Writer
	End End
}

// Store stores runs in one transaction, in their order: all of them or, with an
// error, none, so that a killed process leaves whole runs only, and none that is
// marked running. The error may also be a *DigestError, of a run that was executed
// before with another digest; all are stored then.
func (db *DB) Store(runs []Ended) error {
	known := newStore()
	err := within(db.sql, func(tx *sql.Tx) error {
		for i := range runs {
			runs[i].Writer.store = known
			if err := runs[i].store(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fail(db.path, "record runs", err)
	}
	for i := range runs {
		if r := &runs[i]; r.execution > 1 && r.End.Status.Settled() {
			if err := r.compareDigest(r.End.Digest); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Ended) store(tx *sql.Tx) error {
	if err := r.take(tx); err != nil {
		return err
	}
	r.addEnd(&r.End)
	if err := r.flushRows(tx); err != nil {
		return err
	}
	return r.mark(tx, &r.End)
}

// Finished lists the runs that came to the end that their scenario wants: they
// are completed, and no root of theirs failed or reached a limit.
func (db *DB) Finished() (map[string]bool, error) {
	ids, err := query(db, "list the runs that finished", func(rows *sql.Rows) (id string, err error) { return id, rows.Scan(&id) },
		`SELECT r.id FROM runs r WHERE r.outcome = ? AND NOT EXISTS (SELECT 1 FROM agents a WHERE a.run = r.id AND a.parent < 0
			AND a.status IN ('failed', 'refused', 'max_tokens', 'pause_turn', 'max_turns')
			AND a.activation = (SELECT max(l.activation) FROM agents l WHERE l.run = a.run AND l.agent = a.agent))`, string(Completed))
	out := make(map[string]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out, err
}
