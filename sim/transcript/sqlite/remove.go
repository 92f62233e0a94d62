package sqlite

import (
	"database/sql"
	"slices"
)

// Removed is what a removal took out of a file.
type Removed struct {
	Runs, Blocks, Contents int64
	Packed                 int64 // bytes of packed rows, whose blocks are not counted
}

// unusedSpecs removes the scenarios that no run has.
const unusedSpecs = `DELETE FROM specs WHERE sha256 NOT IN (SELECT shared FROM run_rows)`

// Remove removes runs, and the blocks and contents that no other run has: all of it or
// nothing. What was freed is overwritten before the file is made smaller. It fails with
// ErrRecording while another run has not ended.
func (db *DB) Remove(runs []string) (out Removed, err error) {
	const doing = "remove runs"
	if _, err := db.sql.Exec("PRAGMA secure_delete = ON"); err != nil {
		return out, fail(db.path, doing, err)
	}
	err = within(db.sql, func(tx *sql.Tx) error {
		if err := db.settled(tx, runs); err != nil {
			return err
		}
		for _, run := range runs {
			var packed int64
			if err := one(tx, []any{&packed}, `SELECT coalesce(sum(length(chunk)), 0) FROM packed WHERE run = ?`, run); err != nil {
				return err
			}
			out.Packed += packed
			if err := removeRun(tx, run); err != nil {
				return err
			}
		}
		out.Runs = int64(len(runs))
		out.Blocks, err = removed(tx, `DELETE FROM nodes WHERE hash NOT IN (WITH RECURSIVE up(hash) AS (
			SELECT head FROM requests UNION SELECT answer FROM requests WHERE answer <> ''
			UNION SELECT n.parent FROM nodes n JOIN up ON n.hash = up.hash WHERE n.parent <> '') SELECT hash FROM up)`)
		if err == nil {
			out.Contents, err = removed(tx, `DELETE FROM payloads WHERE sha256 NOT IN (SELECT payload FROM nodes UNION SELECT payload FROM files)`)
		}
		if err == nil {
			_, err = tx.Exec(unusedSpecs)
		}
		if err == nil {
			_, err = tx.Exec(`DELETE FROM alike WHERE sha256 NOT IN (SELECT alike FROM alike_in)`)
		}
		return err
	})
	if err == nil {
		_, err = db.sql.Exec("VACUUM")
	}
	return out, fail(db.path, doing, err)
}

// settled fails where a run that stays has not ended: not all of its blocks are
// referred to yet.
func (db *DB) settled(tx *sql.Tx, but []string) error {
	rows, err := tx.Query(`SELECT id FROM runs WHERE outcome = 'running'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var open error
	err = eachRow(rows, func(row []any) {
		if id, _ := row[0].(string); open == nil && !slices.Contains(but, id) {
			open = &Error{Path: db.path, Doing: "remove runs beside run " + id[:min(8, len(id))], Kind: ErrRecording}
		}
	})
	if err == nil {
		err = open
	}
	return err
}

// removeRun removes the rows of a run from every table that has some.
func removeRun(tx *sql.Tx, run string) error {
	err := removeRows(tx, run)
	if err == nil {
		_, err = tx.Exec(`DELETE FROM executions WHERE run = ?`, run)
	}
	if err == nil {
		_, err = tx.Exec(`DELETE FROM run_rows WHERE id = ?`, run)
	}
	return err
}

// removeRows removes what a run's events came to.
func removeRows(tx *sql.Tx, run string) error {
	all := noRows
	for _, t := range all.sealed() {
		if _, err := tx.Exec(`DELETE FROM `+t.rowsIn+` WHERE run = ?`, run); err != nil {
			return err
		}
	}
	_, err := tx.Exec(`DELETE FROM packed WHERE run = ?`, run)
	return err
}

func removed(tx *sql.Tx, q string) (int64, error) {
	r, err := tx.Exec(q)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
