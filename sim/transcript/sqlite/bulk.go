package sqlite

import (
	"context"
	"database/sql"
	"math"
)

// Bulk stores many runs at level totals, several to a transaction: the rows of a
// run are written when it is over, in the order in which runs are added,
// whichever ended first. A killed process leaves whole runs only, and none that
// is marked running.
type Bulk struct {
	tables
	db      *DB
	waiting []finished
}

// finished is a run that is to be stored.
type finished struct {
	writer    *Writer
	run       Run
	startedAt string
	end       End
}

// Bulk begins to store runs. Close must be called.
func (db *DB) Bulk() (*Bulk, error) {
	b := &Bulk{tables: newTables(), db: db}
	for _, t := range b.all() {
		if err := t.prepare(db.sql); err != nil {
			b.Close()
			return nil, fail(db.path, "record runs", err)
		}
	}
	return b, nil
}

// Writer is a sink for one run. It touches the database only through Add, so
// runs may be on their way side by side. Options.Level and Batch are not used.
func (b *Bulk) Writer(run *Run, opt Options) *Writer {
	opt.Level, opt.Batch = Totals, math.MaxInt
	w := newWriter(b.db, run, opt)
	w.owner = true
	return w
}

// Add puts a run that is over at the end of what the next Cut takes. The
// writer is not to be used any more.
func (b *Bulk) Add(w *Writer, run Run, startedAt string, end End) {
	b.waiting = append(b.waiting, finished{w, run, startedAt, end})
}

// Waiting is how many runs the next Cut takes.
func (b *Bulk) Waiting() int { return len(b.waiting) }

// Batch is runs that are stored together.
type Batch struct{ runs []finished }

// Cut takes what was added since the last Cut, in its order.
func (b *Bulk) Cut() Batch {
	batch := Batch{b.waiting}
	b.waiting = nil
	return batch
}

// Store stores a batch in one transaction: all of it or, with an error, nothing.
// The error may also be a *DigestError, of a run that was executed before with
// another digest; the batch is stored then. One batch is stored at a time, in the
// order in which they were cut; Writer, Add and Cut may be called meanwhile.
func (b *Bulk) Store(batch Batch) error {
	if len(batch.runs) == 0 {
		return nil
	}
	tx, err := b.db.sql.Begin()
	if err != nil {
		return fail(b.db.path, "record runs", err)
	}
	defer tx.Rollback()
	once := &once{tx, map[string]*sql.Stmt{}}
	for _, t := range b.shared() {
		t.rows = t.rows[:0] // of a batch that failed
	}
	for i := range batch.runs {
		if err := b.store(once, &batch.runs[i]); err != nil {
			return fail(b.db.path, "record runs", err)
		}
	}
	for _, t := range b.shared() {
		if err := t.flush(tx); err != nil {
			return fail(b.db.path, "record runs", err)
		}
	}
	if err := tx.Commit(); err != nil {
		return fail(b.db.path, "record runs", err)
	}
	return batch.settle()
}

// shared are the tables whose rows the runs of a batch insert together: a run has
// many of them, and too few for statements of its own.
func (t *tables) shared() []*table { return []*table{t.metrics, t.invariants} }

func (b *Bulk) store(tx txn, f *finished) error {
	w := f.writer
	mine := w.all()
	for i, t := range b.all() {
		mine[i].one, mine[i].many = t.one, t.many
	}
	if err := tx.QueryRow(`SELECT coalesce(max(n), 0) + 1 FROM executions WHERE run = ?`, f.run.ID).Scan(&w.execution); err != nil {
		return err
	}
	w.owner = false
	if err := w.take(tx, &f.run); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO executions (run, n, started_at, finished_at, level, status, digest, events)
		VALUES (?, ?, ?, '', ?, ?, '', 0)`, f.run.ID, w.execution, f.startedAt, string(Totals), string(Running))
	if err != nil {
		return err
	}
	w.addEnd(&f.end)
	for i, t := range b.shared() {
		own := w.shared()[i]
		own.seal()
		t.rows, own.rows = append(t.rows, own.rows...), nil
	}
	if err := w.flushRows(tx); err != nil {
		return err
	}
	return w.finish(tx, &f.end)
}

// settle compares the digests of runs that had been executed before.
func (b *Batch) settle() (first error) {
	for i := range b.runs {
		f := &b.runs[i]
		if f.writer.execution > 1 && f.end.Status.Settled() && first == nil {
			first = f.writer.compareDigest(f.end.Digest)
		}
	}
	return first
}

// Close lets go of the database's statements; what was not flushed is not stored.
func (b *Bulk) Close() {
	for _, t := range b.all() {
		t.close()
	}
}

// once is a transaction whose statements are prepared once for all its runs.
type once struct {
	*sql.Tx
	prepared map[string]*sql.Stmt // the end of the transaction closes them
}

// Prepare prepares a statement.
func (o *once) Prepare(q string) (*sql.Stmt, error) {
	if s := o.prepared[q]; s != nil {
		return s, nil
	}
	s, err := o.Tx.Prepare(q)
	if err == nil {
		o.prepared[q] = s
	}
	return s, err
}

// Exec executes a statement.
func (o *once) Exec(q string, args ...any) (sql.Result, error) {
	s, err := o.Prepare(q)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// QueryRow queries one row.
func (o *once) QueryRow(q string, args ...any) *sql.Row {
	s, err := o.Prepare(q)
	if err != nil {
		return o.Tx.QueryRow(q, args...) // it has the same error
	}
	return s.QueryRow(args...)
}

// QueryContext queries rows.
func (o *once) QueryContext(ctx context.Context, q string, args ...any) (*sql.Rows, error) {
	s, err := o.Prepare(q)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
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
