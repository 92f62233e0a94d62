package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// maxUnpacked is DB.hold: reading many runs takes no more than this and the largest of
// them.
const maxUnpacked = 1 << 28

// plain is a run that is asked about what no run has packed: it is not unpacked.
type plain string

// packedOf is the packed run that is among a query's arguments, "" for none.
func packedOf(db *DB, args []any) (string, error) {
	for _, a := range args {
		if run, ok := a.(string); ok {
			var packed bool
			err := db.sql.QueryRow(`SELECT EXISTS (SELECT 1 FROM packed WHERE run = ?)`, run).Scan(&packed)
			if err != nil || packed {
				return run, err
			}
		}
	}
	return "", nil
}

// on lets do ask what is about the runs among args: the file itself, and where one of
// them is packed a connection on which temporary tables hold its rows, under the same
// names. All that asks about a run's single rows goes through here or through look.
func on(db *DB, args []any, do func(q querier) error) error {
	run, err := packedOf(db, args)
	switch {
	case err != nil:
		return err
	case run == "":
		return do(db.sql)
	}
	return db.look("read run "+run, func(conn *sql.Conn) error { return do(conn) }, args...)
}

// errGone is of a run that is not packed any more.
var errGone = errors.New("its rows are in their tables again")

// unpack sees that the temporary tables of a connection, on which a transaction is
// open, hold a packed run's rows as they are now. They are in memory alone; hold is
// DB.hold.
func unpack(conn *sql.Conn, run string, hold int64) error {
	var made, chunks, held int64
	if err := one(conn, []any{&made}, `SELECT count(*) FROM sqlite_temp_schema`); err != nil {
		return err
	}
	if made == 0 {
		if err := makeTemporary(conn); err != nil {
			return err
		}
	}
	var now, then string
	err := one(conn, []any{&now, &then, &chunks, &held}, `SELECT (SELECT owner FROM run_rows WHERE id = ?1) || ' ' || count(*),
		coalesce((SELECT state FROM unpacked WHERE run = ?1), ''), count(*), (SELECT coalesce(sum(bytes), 0) FROM unpacked) FROM packed WHERE run = ?1`, run)
	switch {
	case err != nil:
		return err
	case chunks == 0:
		return errGone
	case now == then:
		return nil
	}
	all := noRows
	for _, t := range all.packed() {
		q, args := "DELETE FROM temp."+t.name, []any{}
		if held <= hold {
			if !strings.HasPrefix(t.columns, "run,") {
				continue // blocks and contents of several runs
			}
			q, args = q+" WHERE run = ?", []any{run}
		}
		if _, err := conn.ExecContext(context.Background(), q, args...); err != nil {
			return err
		}
	}
	if held > hold {
		if _, err := conn.ExecContext(context.Background(), "DELETE FROM unpacked"); err != nil {
			return err
		}
	}
	bytes, _, err := insertChunks(conn, run)
	if err == nil {
		_, err = conn.ExecContext(context.Background(), `INSERT OR REPLACE INTO unpacked VALUES (?, ?, ?)`, run, now, bytes)
	}
	return err
}

// makeTemporary makes, on one connection, the tables that packed rows are unpacked into,
// and the views and indexes over them. Under the same names they come before the file's.
func makeTemporary(conn *sql.Conn) error {
	var tables []string
	all := noRows
	for _, t := range all.packed() {
		tables = append(tables, "'"+t.name+"'")
	}
	script := "CREATE TEMP TABLE unpacked (run TEXT PRIMARY KEY, state TEXT, bytes INTEGER);\n"
	rows, err := conn.QueryContext(context.Background(), `SELECT type, sql FROM main.sqlite_schema WHERE type = 'view'
		OR sql IS NOT NULL AND tbl_name IN (`+strings.Join(tables, ",")+`) ORDER BY type = 'index'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	err = eachRow(rows, func(row []any) {
		kind, text := strings.ToUpper(cellText(row[0])), cellText(row[1])
		if kind == "INDEX" {
			text = strings.Replace(text, "INDEX ", "INDEX temp.", 1)
		} else {
			text = strings.Replace(text, kind, "TEMP "+kind, 1)
		}
		script += text + ";\n"
	})
	if err == nil {
		_, err = conn.ExecContext(context.Background(), script)
	}
	return err
}

// Unpack lays a packed run's rows out in their tables, as if it had been recorded in
// full: its seal and its digest are the same. A run that is not packed stays as it is.
// It fails with ErrRecording for one that has not ended, and with ErrChanged where a
// chunk is damaged; all is as it was then.
func Unpack(db *DB, run string) (done bool, err error) {
	err = within(db.sql, func(tx *sql.Tx) error {
		var outcome string
		if err := tx.QueryRow(`SELECT outcome FROM run_rows WHERE id = ? AND id IN (SELECT run FROM packed)`, run).Scan(&outcome); err != nil {
			return err
		}
		if outcome == string(Running) {
			return &Error{Doing: "unpack run " + run[:min(8, len(run))], Kind: ErrRecording}
		}
		if _, _, err := insertChunks(tx, run); err != nil {
			return err
		}
		done = true
		_, err := tx.Exec(`DELETE FROM packed WHERE run = ?`, run)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return done && err == nil, fail(db.path, "unpack run "+run, err)
}
