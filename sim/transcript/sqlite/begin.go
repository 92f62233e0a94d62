package sqlite

import (
	"database/sql"
	"strconv"
	"strings"

	"agentsim/sim/transcript"
)

// Begin starts recording one execution of a run, startedAt in wall time. The run
// and the execution are marked running from here on.
//
// A run that is stored already, by an execution that ended by itself, at a level that
// covers this one and with a digest of the same form, is not stored again: its second
// execution is one more row, and Finish compares the digests. What an unfinished
// execution left is replaced.
func (db *DB) Begin(run Run, startedAt string, opt Options) (*Writer, error) {
	if opt.Level == "" {
		opt.Level = Full
	}
	if opt.Batch == 0 {
		opt.Batch = DefaultBatch
	}
	packed := opt.Level == Packed
	if packed {
		opt.Level = Full
	}
	w := newWriter(db, &run, startedAt, opt)
	w.packed = packed
	w.store, w.openTools = newStore(), map[toolKey]*toolCall{}
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
func (w *Writer) take(tx *sql.Tx) error { return take(tx, []*Writer{w}) }

// take does so with executions of different runs.
func take(tx *sql.Tx, writers []*Writer) error {
	of, ids := make(map[string]*Writer, len(writers)), make([]any, len(writers))
	for i, w := range writers {
		of[w.of.ID], ids[i] = w, w.run
	}
	rows, err := tx.Query(`SELECT column1, coalesce((SELECT max(n) FROM executions WHERE run = column1), 0) + 1, coalesce(outcome, ''), coalesce(level, ''), coalesce(digest, '')
		FROM (VALUES (?)`+strings.Repeat(",(?)", len(ids)-1)+`) LEFT JOIN runs ON id = column1`, ids...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var left []*Writer // of which an earlier execution left rows
	for rows.Next() {
		var id, digest string
		var n int
		var outcome Status
		var level Level
		if err := rows.Scan(&id, &n, &outcome, &level, &digest); err != nil {
			return err
		}
		w := of[id]
		w.execution, w.owner = n, !outcome.Settled() || !level.covers(w.opt.Level) || transcript.OtherForm(digest) != ""
		if !w.owner {
			continue
		}
		w.addSpec()
		for _, f := range w.of.Files {
			w.files.add(w.run, f.Path, w.content(f.Content))
		}
		if outcome != "" {
			left = append(left, w)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, w := range left {
		if err := removeRows(tx, w.of.ID); err != nil {
			return err
		}
	}
	return nil
}

const (
	executionColumns = "run,n,started_at,finished_at,level,status,digest,events,expects"
	runColumns       = "id,name,variant,seed,policy,semantics,level,owner,outcome,detail,digest,events,ended_at," +
		"calls,input,write_5m,write_1h,read,output,cost,cost_uncached"
)

// insertExecution and insertRun are their rows' statements.
var insertExecution, insertRun = newTable("INSERT OR REPLACE", "executions", executionColumns), newTable("INSERT OR REPLACE", "run_rows", runColumns+",spec,shared,seal")

// mark writes the row of the execution as it is at an end and, where it owns the
// run, that of the run.
func (w *Writer) mark(tx *sql.Tx, end *End) error {
	execution := w.executionRow(end)
	_, err := tx.Exec(insertExecution.insert(1), execution...)
	switch {
	case err != nil:
		return err
	case !w.owner && end.Status != Running:
		return w.sealExecutions(tx)
	case !w.owner:
		return nil
	}
	run := w.runRow(end)
	seal := ""
	if end.Status != Running {
		if seal, err = w.seal(tx, run, execution); err != nil {
			return err
		}
	}
	_, err = tx.Exec(insertRun.insert(1), append(run, "", w.spec, seal)...)
	return err
}

func (w *Writer) executionRow(end *End) []any {
	return []any{w.run, int64(w.execution), w.startedAt, end.FinishedAt, string(w.opt.Level), string(end.Status), end.Digest, w.count, w.of.Expects}
}

// runRow is without the spec and the seal.
func (w *Writer) runRow(end *End) []any {
	r, u, t := w.of, &w.totals.usage, &w.totals
	return []any{w.run, r.Name, r.Variant, strconv.FormatUint(r.Seed, 10), r.Policy, int64(r.Semantics), string(w.opt.Level), int64(w.execution),
		string(end.Status), end.Detail, end.Digest, w.count, int64(w.lastAt), t.calls, u.Input, u.Write5m, u.Write1h, u.Read, u.Output, t.cost, t.uncached}
}
