package sqlite

import (
	"database/sql"
	"errors"
)

// Finish records how the execution ended, in one transaction with what is left. Of one
// that was refused before its first call nothing stays. It returns the first failure of the recording, or a
// *DigestError when the run ended by itself before with another digest.
func (w *Writer) Finish(end End) error {
	if w.err != nil {
		return w.err
	}
	if end.Status == Invalid && w.totals.calls == 0 && w.execution == 1 {
		return fail(w.db.path, "take back the run", within(w.db.sql, w.takeBack))
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

// takeBack removes the run, and the contents of its files that nothing else has.
func (w *Writer) takeBack(tx *sql.Tx) error {
	_, err := tx.Exec(`DELETE FROM payloads WHERE sha256 IN (SELECT payload FROM files WHERE run = ?1)
		AND sha256 NOT IN (SELECT payload FROM nodes UNION SELECT payload FROM files WHERE run <> ?1)`, w.run)
	if err == nil {
		err = removeRun(tx, w.run.(string))
	}
	if err == nil {
		_, err = tx.Exec(unusedSpecs)
	}
	return err
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

// compareDigest compares with the first other execution that ended by itself and has a
// digest of the same form.
func (w *Writer) compareDigest(digest string) error {
	first := DigestError{Run: w.run.(string), Now: digest, Execution: w.execution}
	err := w.db.sql.QueryRow(`SELECT n, digest FROM executions WHERE run = ? AND n <> ? AND status IN (?, ?, ?)
		AND substr(digest, 1, instr(digest, ':')) = substr(?6, 1, instr(?6, ':')) ORDER BY n LIMIT 1`,
		w.run, w.execution, string(Completed), string(Limit), string(Deadlock), digest).Scan(&first.FirstNumber, &first.First)
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
