package sqlite

import (
	"database/sql"
	"strconv"
)

// Begin starts recording one execution of a run, startedAt in wall time. The run
// and the execution are marked running from here on.
//
// A run that is stored already, by an execution that ended by itself and at a
// level that covers this one, is not stored again: its second execution is one
// more row, and Finish compares the digests. What an unfinished execution left
// is replaced.
func (db *DB) Begin(run Run, startedAt string, opt Options) (*Writer, error) {
	if opt.Level == "" {
		opt.Level = Full
	}
	if opt.Batch == 0 {
		opt.Batch = DefaultBatch
	}
	w := newWriter(db, &run, opt)
	if err := w.begin(&run, startedAt); err != nil {
		w.close()
		return nil, fail(db.path, "record the run", err)
	}
	return w, nil
}

func (w *Writer) begin(run *Run, startedAt string) error {
	for _, t := range w.all() {
		if err := t.prepare(w.db.sql); err != nil {
			return err
		}
	}
	tx, err := w.db.sql.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRow(`SELECT coalesce(max(n), 0) + 1 FROM executions WHERE run = ?`, run.ID).Scan(&w.execution); err != nil {
		return err
	}
	if err := w.take(tx, run); err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO executions (run, n, started_at, finished_at, level, status, digest, events)
		VALUES (?, ?, ?, '', ?, ?, '', 0)`, run.ID, w.execution, startedAt, string(w.opt.Level), string(Running))
	if err != nil {
		return err
	}
	return tx.Commit()
}

// take makes this execution the owner of the run's rows, unless the run is
// stored well enough.
func (w *Writer) take(tx txn, run *Run) error {
	var outcome Status
	var level Level
	err := tx.QueryRow(`SELECT outcome, level FROM runs WHERE id = ?`, run.ID).Scan(&outcome, &level)
	switch {
	case err == nil && outcome.Settled() && level.covers(w.opt.Level):
		return nil
	case err != nil && err != sql.ErrNoRows:
		return err
	}
	w.owner = true
	if err == nil {
		if err := forget(tx, run.ID); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO runs (id, name, variant, seed, policy, semantics, spec, level, owner, outcome,
		detail, digest, events, ended_at, calls, input, write_5m, write_1h, read, output, cost, cost_uncached)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`,
		run.ID, run.Name, run.Variant, strconv.FormatUint(run.Seed, 10), run.Policy, run.Semantics, run.Spec,
		string(w.opt.Level), w.execution, string(Running))
	if err != nil {
		return err
	}
	return storeFiles(tx, run)
}

// forget deletes what an earlier execution of a run left.
func forget(tx txn, run string) error {
	for _, t := range ofRun {
		if _, err := tx.Exec(`DELETE FROM `+t+` WHERE run = ?`, run); err != nil {
			return err
		}
	}
	return nil
}

func storeFiles(tx txn, run *Run) error {
	for _, f := range run.Files {
		key := contentKey(f.Content)
		if _, err := tx.Exec(`INSERT OR IGNORE INTO payloads (sha256, bytes, content) VALUES (?, ?, ?)`,
			key, len(f.Content), f.Content); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO files (run, path, payload) VALUES (?, ?, ?)`, run.ID, f.Path, key); err != nil {
			return err
		}
	}
	return nil
}
