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
	w := newWriter(db, &run, startedAt, opt)
	if err := within(db.sql, w.begin); err != nil {
		return nil, fail(db.path, "record the run", err)
	}
	return w, nil
}

// within carries out do in one transaction.
func within(db *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (w *Writer) begin(tx *sql.Tx) error {
	if err := w.take(tx); err != nil {
		return err
	}
	if err := w.flushRows(tx); err != nil {
		return err
	}
	return w.mark(tx, &End{Status: Running})
}

// take numbers this execution and makes it the owner of the run's rows, unless the
// run is stored well enough. What an earlier one left is deleted then, and the
// project's files are the first rows.
func (w *Writer) take(tx *sql.Tx) error {
	var outcome Status
	var level Level
	err := tx.QueryRow(`SELECT coalesce((SELECT max(n) FROM executions WHERE run = ?1), 0) + 1,
		coalesce((SELECT outcome FROM runs WHERE id = ?1), ''), coalesce((SELECT level FROM runs WHERE id = ?1), '')`, w.run).
		Scan(&w.execution, &outcome, &level)
	w.owner = !outcome.Settled() || !level.covers(w.opt.Level)
	if err != nil || !w.owner {
		return err
	}
	for _, f := range w.of.Files {
		w.files.add(w.run, f.Path, w.content(f.Content))
	}
	if outcome == "" {
		return nil
	}
	for _, t := range w.sealed() {
		if _, err := tx.Exec(`DELETE FROM `+t.rowsIn+` WHERE run = ?`, w.run); err != nil {
			return err
		}
	}
	return nil
}

const (
	executionColumns = "run,n,started_at,finished_at,level,status,digest,events"
	runColumns       = "id,name,variant,seed,policy,semantics,level,owner,outcome,detail,digest,events,ended_at," +
		"calls,input,write_5m,write_1h,read,output,cost,cost_uncached"
)

// mark writes the row of the execution as it is at an end and, where it owns the
// run, that of the run.
func (w *Writer) mark(tx *sql.Tx, end *End) error {
	execution := []any{w.run, int64(w.execution), w.startedAt, end.FinishedAt, string(w.opt.Level), string(end.Status), end.Digest, w.count}
	_, err := tx.Exec(newTable("INSERT OR REPLACE", "executions", executionColumns).insert(1), execution...)
	switch {
	case err != nil:
		return err
	case !w.owner && end.Status != Running:
		return w.sealExecutions(tx)
	case !w.owner:
		return nil
	}
	r, u, t := w.of, &w.totals.usage, &w.totals
	run := []any{w.run, r.Name, r.Variant, strconv.FormatUint(r.Seed, 10), r.Policy, int64(r.Semantics), string(w.opt.Level), int64(w.execution),
		string(end.Status), end.Detail, end.Digest, w.count, int64(w.lastAt), t.calls, u.Input, u.Write5m, u.Write1h, u.Read, u.Output, t.cost, t.uncached}
	seal := ""
	if end.Status != Running {
		if seal, err = w.seal(tx, run, execution); err != nil {
			return err
		}
	}
	_, err = tx.Exec(newTable("INSERT OR REPLACE", "runs", runColumns+",spec,seal").insert(1), append(run, r.Spec, seal)...)
	return err
}
