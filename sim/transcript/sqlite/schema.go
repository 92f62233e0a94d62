package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"strconv"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// whole is the schema that all steps lead to, in which a new file is made: it takes a
// third of their time. A test makes it from them.
//
//go:embed schema.sql
var whole string

// applicationID marks a file as ours: "agsi" in ASCII.
const applicationID = 0x61677369

// migrations are the schema's steps in order; the schema's version is how many
// of them a file has seen.
var migrations = readMigrations()

func readMigrations() []string {
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		panic(err)
	}
	var steps []string
	for _, n := range names {
		text, err := schemaFiles.ReadFile(n)
		if err != nil {
			panic(err)
		}
		steps = append(steps, string(text))
	}
	return steps
}

// version reads which schema a file has, 0 for an empty one, without writing.
func version(db *sql.DB, path string) (int, error) {
	const q = `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)`
	var app, v, objects int
	if err := db.QueryRow(q).Scan(&app, &v, &objects); err != nil {
		return 0, fail(path, "open it", err)
	}
	switch {
	case app != applicationID && (objects > 0 || app != 0 || v != 0):
		return 0, &Error{Path: path, Doing: "open it", Kind: ErrForeign}
	case v > len(migrations):
		return 0, &Error{Path: path, Doing: "open it (schema " + strconv.Itoa(v) + ", this program knows " +
			strconv.Itoa(len(migrations)) + ")", Kind: ErrNewerSchema}
	}
	return v, nil
}

// migrate brings a file to the newest schema, in one transaction. Another process may
// have done it in the meantime.
func migrate(db *sql.DB, path string) error {
	v, err := version(db, path)
	if err != nil || v >= len(migrations) {
		return err
	}
	err = within(db, func(tx *sql.Tx) error {
		if err := tx.QueryRow("PRAGMA user_version").Scan(&v); err != nil {
			return err
		}
		if v == 0 {
			return apply(tx, len(migrations), whole)
		}
		return apply(tx, len(migrations), migrations[v:]...)
	})
	return fail(path, "bring its schema up to date", err)
}

// apply does steps after which a file has the schema of that version.
func apply(tx *sql.Tx, version int, steps ...string) error {
	for _, step := range steps {
		if _, err := tx.ExecContext(context.Background(), step); err != nil {
			return err
		}
	}
	_, err := tx.Exec("PRAGMA application_id = " + strconv.Itoa(applicationID) +
		"; PRAGMA user_version = " + strconv.Itoa(version))
	return err
}
