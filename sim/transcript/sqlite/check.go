package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Mismatch is a place where a file contradicts itself, or two files each other.
type Mismatch struct {
	Run    string // "" for what belongs to no run
	Table  string // "file" for the file itself
	Row    string // the key without the run, as column=value; "" for all rows
	Column string // "" for a whole row
	Stored string // as it is in the file
	Want   string // as it should be
}

// String says it in one line.
func (m *Mismatch) String() string {
	place := m.Table
	for _, s := range []string{m.Row, m.Column} {
		if s != "" {
			place += " " + s
		}
	}
	return fmt.Sprintf("%s: %s, not %s", place, m.Stored, m.Want)
}

// Scratch is a database in memory.
func Scratch() (*DB, error) { return create(":memory:", "memory", 0) }

// CheckLength fails with ErrDamaged when the file is shorter than its pages are.
// size tells the file's length; it is asked while no writer can change it.
func (db *DB) CheckLength(size func() (int64, error)) error {
	return db.look("open it", func(conn *sql.Conn) error {
		var want int64
		const q = `SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size), (SELECT count(*) FROM sqlite_schema)`
		var objects int64 // reading them is what keeps writers out
		if err := conn.QueryRowContext(context.Background(), q).Scan(&want, &objects); err != nil {
			return err
		}
		got, err := size()
		if err == nil && got < want {
			err = fmt.Errorf("%d bytes are missing at its end", want-got)
			return &Error{Path: db.path, Doing: "open it (" + err.Error() + ")", Kind: ErrDamaged, Cause: err}
		}
		return err
	})
}

// compared are the tables that a run's events decide, with how many columns their
// rows are found by, the run among them.
var compared = []struct {
	name string
	key  int
	skip string // columns of one recording
}{
	{"runs", 1, "spec level owner seal packed"}, {"agents", 3, ""}, {"requests", 2, ""}, {"breakpoints", 3, ""}, {"tool_calls", 2, ""}, {"tasks", 2, ""},
	{"messages", 2, ""}, {"items", 2, ""}, {"findings", 2, ""}, {"handoffs", 2, ""}, {"invariants", 2, ""}, {"metrics", 3, ""},
	{"schedules", 1, ""}, {"files", 2, ""},
}

// Differences holds a run against the same run recorded again, at a level that
// keeps as much: each row and column that the events decide and that is not as it
// came again. Metrics of types and invariants are compared where the record has
// some.
func (db *DB) Differences(run string, again *DB) (out []Mismatch, err error) {
	for _, t := range compared {
		id := "run"
		if t.name == "runs" {
			id = "id"
		}
		q := "SELECT * FROM " + t.name + " WHERE " + id + " = ?"
		stored, err := db.keyed(q, run, t.key)
		if err != nil {
			return nil, err
		}
		want, err := again.keyed(q, run, t.key)
		if err != nil {
			return nil, err
		}
		if t.name == "invariants" && len(stored.rows) == 0 || t.name == "metrics" && !stored.has(`scope=type/`) {
			want.drop(func(key string) bool { return t.name == "invariants" || strings.HasPrefix(key, "scope=type/") })
		}
		out = append(out, differing(run, t.name, strings.Fields(t.skip), stored, want)...)
	}
	return out, nil
}

// keyedRows are rows by their keys.
type keyedRows struct {
	columns []string
	keys    []string // in order
	rows    map[string][]string
}

func (k *keyedRows) has(prefix string) bool {
	return slices.ContainsFunc(k.keys, func(key string) bool { return strings.HasPrefix(key, prefix) })
}

func (k *keyedRows) drop(which func(key string) bool) {
	k.keys = slices.DeleteFunc(k.keys, which)
	for key := range k.rows { // order: each entry by itself
		if which(key) {
			delete(k.rows, key)
		}
	}
}

// keyed reads rows whose first columns, so many, are their key; the first one of
// all is the run.
func (db *DB) keyed(q, run string, key int) (*keyedRows, error) {
	k := &keyedRows{rows: map[string][]string{}}
	err := on(db, []any{run}, func(from querier) error {
		rows, err := from.QueryContext(context.Background(), q, run)
		if err != nil {
			return err
		}
		defer rows.Close()
		if k.columns, err = rows.Columns(); err != nil {
			return err
		}
		return eachRow(rows, func(row []any) { k.add(row, key) })
	})
	return k, fail(db.path, "compare run "+run, err)
}

// add adds a row whose first columns, so many, are its key.
func (k *keyedRows) add(row []any, key int) {
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = cellText(v)
	}
	var name []string
	for i := 1; i < key; i++ {
		name = append(name, k.columns[i]+"="+cells[i])
	}
	text := strings.Join(name, " ")
	k.keys = append(k.keys, text)
	k.rows[text] = cells
}

func cellText(v any) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case string:
		if x == "" {
			return "''"
		}
		return x
	}
	return fmt.Sprint(v)
}

// absent is a row that is not there.
const absent = "no such row"

func differing(run, table string, skip []string, stored, want *keyedRows) (out []Mismatch) {
	for _, key := range stored.keys {
		again, there := want.rows[key]
		if !there {
			out = append(out, Mismatch{run, table, key, "", "a row", absent})
			continue
		}
		for i, c := range stored.rows[key] {
			if name := stored.columns[i]; c != again[i] && !slices.Contains(skip, name) {
				out = append(out, Mismatch{run, table, key, name, c, again[i]})
			}
		}
	}
	for _, key := range want.keys {
		if _, there := stored.rows[key]; !there {
			out = append(out, Mismatch{run, table, key, "", absent, "a row"})
		}
	}
	return out
}

// CheckFile looks for damage that belongs to no run: SQLite's own check, the
// tables that every file has alike, contents and blocks against their hashes.
func (db *DB) CheckFile() (out []Mismatch, err error) {
	damage, err := query(db, "check it", func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) }, "PRAGMA integrity_check")
	if err != nil {
		return nil, err
	}
	for _, line := range damage {
		if line != "ok" {
			out = append(out, Mismatch{Table: "file", Stored: strings.ReplaceAll(line, "\n", " "), Want: "ok"})
		}
	}
	made, err := Scratch()
	if err != nil {
		return out, err
	}
	defer made.Close()
	for _, check := range []func(made *DB) ([]Mismatch, error){db.checkFixed, db.checkSchema, db.checkOrphans, db.checkPayloads, db.checkNodes} {
		found, err := check(made)
		if err != nil {
			return out, err
		}
		out = append(out, found...)
	}
	found, err := checkPacked(db)
	return append(out, found...), err
}

// checkFixed compares the tables of words, which the schema fills.
func (db *DB) checkFixed(made *DB) (out []Mismatch, err error) {
	for _, t := range []string{"miss_reasons", "recorded_causes"} {
		stored, want, err := beside(db, made, "SELECT '', * FROM "+t+" WHERE ? = ''")
		if err != nil {
			return nil, err
		}
		out = append(out, differing("", t, nil, stored, want)...)
	}
	return out, nil
}

// checkSchema compares tables, views and the like with those of a new file; what a
// user has added is the user's.
func (db *DB) checkSchema(made *DB) ([]Mismatch, error) {
	stored, want, err := beside(db, made, "SELECT '', type || ' ' || name AS name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND ? = ''")
	if err != nil {
		return nil, err
	}
	stored.keys = slices.DeleteFunc(stored.keys, func(key string) bool { _, ours := want.rows[key]; return !ours })
	return differing("", "schema", nil, stored, want), nil
}

// beside is what a query gives of this file and of a new one.
func beside(db, made *DB, q string) (stored, want *keyedRows, err error) {
	if stored, err = db.keyed(q, "", 2); err != nil {
		return nil, nil, err
	}
	want, err = made.keyed(q, "", 2)
	return stored, want, err
}

// checkOrphans looks for rows of runs that are not on record, and for runs that
// nothing says when they were executed, which no list shows.
func (db *DB) checkOrphans(*DB) (out []Mismatch, err error) {
	orphans := func(table, column, of, by, want string) {
		if err != nil {
			return
		}
		_, err = query(db, "look for rows of no run", func(rows *sql.Rows) (none struct{}, err error) {
			m := Mismatch{Table: table, Want: want}
			var n int64
			if err = rows.Scan(&m.Run, &n); err == nil {
				m.Stored = fmt.Sprintf("%d rows", n)
				out = append(out, m)
			}
			return none, err
		}, fmt.Sprintf("SELECT %[2]s, count(*) FROM %[1]s WHERE %[2]s NOT IN (SELECT %[4]s FROM %[3]s) GROUP BY 1 ORDER BY 1", table, column, of, by))
	}
	const known = "rows of a run that is in runs"
	orphans("executions", "run", "runs", "id", known)
	all := noRows
	for _, t := range all.sealed() {
		orphans(t.name, "run", "runs", "id", known)
	}
	orphans("packed", "run", "runs", "id", known)
	orphans("runs", "id", "executions", "run", "a run that is in executions")
	return out, err
}

// checkPacked looks for packed runs that cannot be unpacked, or whose blocks are others.
func checkPacked(db *DB) (out []Mismatch, err error) {
	runs, err := query(db, "list the packed runs", func(rows *sql.Rows) (run string, err error) { return run, rows.Scan(&run) },
		"SELECT DISTINCT run FROM packed WHERE run IN (SELECT id FROM runs) ORDER BY run")
	for _, run := range runs {
		var e *Error
		switch err := db.VerifyContent(run); {
		case errors.As(err, &e) && e.Kind == ErrChanged:
			out = append(out, Mismatch{run, "packed", "", "", e.Doing + " is not possible", "the rows that were recorded"})
		case err != nil:
			return nil, err
		}
	}
	return out, err
}

func (db *DB) checkPayloads(*DB) (out []Mismatch, err error) {
	_, err = query(db, "check the contents", func(rows *sql.Rows) (none struct{}, err error) {
		var key, content string
		var bytes int64
		if err := rows.Scan(&key, &bytes, &content); err != nil {
			return none, err
		}
		row := "sha256=" + key
		if got := contentKey(content); got != key {
			out = append(out, Mismatch{"", "payloads", row, "content", "one of hash " + got, "one of hash " + key})
		} else if bytes != int64(len(content)) {
			out = append(out, Mismatch{"", "payloads", row, "bytes", fmt.Sprint(bytes), fmt.Sprint(len(content))})
		}
		return none, nil
	}, "SELECT sha256, bytes, content FROM payloads")
	return out, err
}

// checkNodes holds each block against its hash, its bytes and its parent.
func (db *DB) checkNodes(*DB) (out []Mismatch, err error) {
	_, err = query(db, "check the blocks", func(rows *sql.Rows) (none struct{}, err error) {
		n, err := scanNode(rows)
		if err == nil {
			if column, stored, want := n.wrong(); column != "" {
				out = append(out, Mismatch{"", "nodes", "hash=" + n.hash, column, stored, want})
			}
		}
		return none, err
	}, nodeRow+"nodes n"+besideNode)
	return out, err
}
