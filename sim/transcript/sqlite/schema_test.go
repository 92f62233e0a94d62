package sqlite

import (
	"database/sql"
	flags "flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewriteSchema = flags.Bool("rewrite-schema", false, "write schema.sql anew, from the steps in schema/")

// stepped is a file that has seen so many steps of the schema.
func stepped(t *testing.T, path string, version int) *DB {
	t.Helper()
	db, err := open(path, "rwc", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := within(db.sql, func(tx *sql.Tx) error { return apply(tx, version, migrations[:version]...) }); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestSchema(t *testing.T) {
	t.Run("REC-01 a new file has the schema and the words that all steps lead to", func(t *testing.T) {
		const header = "-- The record's schema as all steps in schema/ leave it, in which a new file is made.\n" +
			"-- Do not edit it: go test ./sim/transcript/sqlite -run TestSchema -rewrite-schema\n\n"
		want := header + script(t, stepped(t, filepath.Join(t.TempDir(), "steps.db"), len(migrations)))
		if *rewriteSchema {
			if err := os.WriteFile("schema.sql", []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
			return
		}
		db, err := Scratch()
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if got := header + script(t, db); got != want || whole != want {
			t.Fatal("schema.sql is not what the steps make: go test ./sim/transcript/sqlite -run TestSchema -rewrite-schema")
		}
	})
}

// script makes a file of the same schema, with the same rows.
func script(t *testing.T, db *DB) string {
	t.Helper()
	var b strings.Builder
	for _, kind := range []string{"table", "index", "view", "trigger"} {
		b.WriteString(dump(t, db, "SELECT sql || ';' || char(10) FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL ORDER BY rowid", kind))
	}
	for _, table := range strings.Fields(dump(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")) {
		columns := strings.Fields(dump(t, db, "SELECT name FROM pragma_table_info(?)", table))
		b.WriteString(dump(t, db, fmt.Sprintf("SELECT 'INSERT INTO %s VALUES (' || concat_ws(', ', quote(%s)) || ');' FROM %s ORDER BY 1", table, strings.Join(columns, "), quote("), table)))
	}
	return b.String()
}
