package sqlite

import (
	"database/sql"
	"errors"
)

// Finish records how the execution ended, in one transaction with what is left,
// and closes the writer. It returns the first failure of the recording, or a
// *DigestError when the run ended by itself before with another digest.
func (w *Writer) Finish(end End) error {
	defer w.close()
	if w.err != nil {
		return w.err
	}
	w.addEnd(&end)
	if err := w.flush(func(tx *sql.Tx) error { return w.finish(tx, &end) }); err != nil {
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
	for _, m := range end.Metrics {
		w.metrics.add(w.run, m.Scope, m.Name, m.Value, m.Unit)
	}
	for _, i := range end.Invariants {
		w.invariants.add(w.run, i.Name, i.Checks, i.Broken)
	}
}

func (w *Writer) finish(tx txn, end *End) error {
	_, err := tx.Exec(`UPDATE executions SET finished_at = ?, status = ?, digest = ?, events = ? WHERE run = ? AND n = ?`,
		end.FinishedAt, string(end.Status), end.Digest, w.count, w.run, w.execution)
	if err != nil {
		return err
	}
	if !w.owner {
		return w.sealExecutions(tx)
	}
	if end.Schedule != "" {
		if _, err = tx.Exec(`INSERT INTO schedules (run, choices) VALUES (?, ?)`, w.run, end.Schedule); err != nil {
			return err
		}
	}
	u, t := &w.totals.usage, &w.totals
	_, err = tx.Exec(`UPDATE runs SET outcome = ?, detail = ?, digest = ?, events = ?, ended_at = ?, calls = ?, input = ?,
		write_5m = ?, write_1h = ?, read = ?, output = ?, cost = ?, cost_uncached = ? WHERE id = ?`,
		string(end.Status), end.Detail, end.Digest, w.count, int64(w.lastAt), t.calls, u.Input,
		u.Write5m, u.Write1h, u.Read, u.Output, t.cost, t.uncached, w.run)
	if err != nil {
		return err
	}
	return w.seal(tx)
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
