package sqlite

import (
	"database/sql"
	"errors"
)

// Finish records how the execution ended, in one transaction with what is left.
// It returns the first failure of the recording, or a
// *DigestError when the run ended by itself before with another digest.
func (w *Writer) Finish(end End) error {
	if w.err != nil {
		return w.err
	}
	w.addEnd(&end)
	if err := w.flush(func(tx *sql.Tx) error { return w.mark(tx, &end) }); err != nil {
		return fail(w.db.path, "record the end of the run", err)
	}
	if !end.Status.Settled() {
		return nil
	}
	return w.compareDigest(end.Digest)
}

// addEnd adds the rows that only the end knows.
func (w *Writer) addEnd(end *End) {
	if !w.owner {
		return
	}
	w.addOpen()
	w.addFigures(end)
	if end.Schedule != "" {
		w.schedules.add(w.run, end.Schedule)
	}
}

// compareDigest compares with the first other execution that ended by itself.
func (w *Writer) compareDigest(digest string) error {
	first := DigestError{Run: w.run.(string), Now: digest, Execution: w.execution}
	err := w.db.sql.QueryRow(`SELECT n, digest FROM executions WHERE run = ? AND n <> ? AND status IN (?, ?, ?) ORDER BY n LIMIT 1`,
		w.run, w.execution, string(Completed), string(Limit), string(Deadlock)).Scan(&first.FirstNumber, &first.First)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fail(w.db.path, "compare digests", err)
	case first.First != digest:
		return &first
	}
	return nil
}
