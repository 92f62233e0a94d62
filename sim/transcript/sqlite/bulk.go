package sqlite

import (
	"database/sql"
	"math"
	"slices"
	"strings"
)

// Later is a sink for one run that began at startedAt, of which Store keeps the
// totals when it is over. It touches the database only there, so many runs may be
// on their way side by side. Options.Level and Batch are not used.
func (db *DB) Later(run *Run, startedAt string, opt Options) *Writer {
	opt.Level, opt.Batch = Totals, math.MaxInt
	w := newWriter(db, run, startedAt, opt)
	w.owner = true
	return w
}

// Ended is a run that is over, and its writer, which Later made.
type Ended struct {
	*Writer
	End End
}

// Store stores runs in one transaction: all of them or, with an error, none, so that
// a killed process leaves whole runs only, and none that is marked running. The error
// may also be a *DigestError, of a run that was executed before with another digest;
// all are stored then.
func (db *DB) Store(runs []Ended) error {
	b := newBatch()
	err := within(db.sql, func(tx *sql.Tx) error {
		for todo := runs; len(todo) > 0; {
			ids := map[string]bool{}
			n := slices.IndexFunc(todo, func(r Ended) bool {
				again := ids[r.of.ID]
				ids[r.of.ID] = true
				return again
			})
			if n < 0 {
				n = len(todo)
			}
			if err := b.store(tx, todo[:n]); err != nil {
				return err
			}
			todo = todo[n:]
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

// batch gathers the rows of runs, so that one statement inserts those of many.
type batch struct {
	known            store
	rows             tables
	executions, runs table
}

func newBatch() *batch { return &batch{newStore(), noRows, insertExecution, insertRun} }

// store stores different runs, in the order of their ids: neighbours share pages.
func (b *batch) store(tx *sql.Tx, runs []Ended) error {
	runs = slices.SortedFunc(slices.Values(runs), func(x, y Ended) int { return strings.Compare(x.of.ID, y.of.ID) })
	writers := make([]*Writer, len(runs))
	for i := range runs {
		writers[i] = runs[i].Writer
		writers[i].store = b.known
	}
	if err := take(tx, writers); err != nil {
		return err
	}
	for i := range runs {
		if err := b.add(tx, &runs[i]); err != nil {
			return err
		}
	}
	for _, t := range append(b.rows.all(), &b.executions, &b.runs) {
		if err := t.flush(tx); err != nil {
			return err
		}
	}
	return nil
}

// add adds the rows of a run. What was executed before goes by itself: its seal is made
// of rows that are in the file.
func (b *batch) add(tx *sql.Tx, r *Ended) error {
	r.addEnd(&r.End)
	if r.execution > 1 {
		if err := r.flushRows(tx); err != nil {
			return err
		}
		return r.mark(tx, &r.End)
	}
	r.sealRows()
	execution, run := r.executionRow(&r.End), r.runRow(&r.End)
	seal, err := r.seal(tx, run, execution)
	if err != nil {
		return err
	}
	b.executions.add(execution...)
	b.runs.add(append(run, "", r.spec, seal)...)
	own := r.all()
	for i, t := range b.rows.all() {
		t.rows = append(t.rows, own[i].rows...)
		own[i].rows = nil
	}
	return nil
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
