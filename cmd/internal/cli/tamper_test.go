package cli

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/llm"
	"agentsim/sim/transcript/sqlite"
)

func TestTampering(t *testing.T) {
	t.Run("REC-04 a value that is changed in any column of any table is noticed, of simulated and of imported runs", everyColumn)
	t.Run("REC-04 a block of every kind that is made one of any other is noticed", everyKind)
	t.Run("REC-01 what a writer seals is what the file holds, at every level and in a sweep, and after a second execution", sealsHold)
}

func everyColumn(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir())
	session := filepath.Join("projects", "33333333-2222-4333-8444-555555555555.jsonl")
	if err := errorsOf(os.MkdirAll("projects", 0o755), os.WriteFile(session, []byte(secretSession), 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"run injection --variant guarded-background --policy random", "import projects --with-content", "import projects", "run hello --record packed"} {
		if code, _, errs := try(nil, strings.Fields(line)...); code != ui.Pass {
			t.Fatal(line, errs)
		}
	}
	whole, err := os.ReadFile(rundb.UsualName)
	if err != nil {
		t.Fatal(err)
	}
	var runs int
	if err := direct(t, rundb.UsualName).QueryRow("SELECT count(*) FROM runs").Scan(&runs); err != nil || noticed(t, rundb.UsualName, runs) {
		t.Fatal("the whole file is not", err)
	}
	tried := 0
	for _, column := range columnsOf(t) {
		if err := os.WriteFile("x.db", whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if !alter(t, "x.db", column) {
			continue
		}
		tried++
		if !noticed(t, "x.db", runs) {
			t.Errorf("%s was changed, and nobody notices", column)
		}
	}
	if tried < 150 {
		t.Errorf("only %d columns have rows", tried)
	}
}

func everyKind(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, errs := try(nil, "run", "hello"); code != ui.Pass {
		t.Fatal(errs)
	}
	whole, err := os.ReadFile(rundb.UsualName)
	if err != nil || noticed(t, rundb.UsualName, 1) {
		t.Fatal("the whole file is not", err)
	}
	for _, is := range []string{"tool", "text", "tool_use", "tool_result", ""} {
		for kind := llm.ToolDef; kind <= llm.Opaque; kind++ {
			if kind.String() == is {
				continue
			}
			if err := os.WriteFile("x.db", whole, 0o600); err != nil {
				t.Fatal(err)
			}
			db := direct(t, "x.db")
			done, err := db.Exec("UPDATE nodes SET kind = ? WHERE hash = (SELECT hash FROM nodes WHERE kind = ? LIMIT 1)", kind.String(), is)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := done.RowsAffected(); n != 1 {
				t.Fatalf("no block is a %q", is)
			}
			db.Close()
			if !noticed(t, "x.db", 1) {
				t.Errorf("a %q was made a %q, and nobody notices", is, kind)
			}
		}
	}
}

// columnsOf lists table.column of all tables, but those that are no one's rows.
func columnsOf(t *testing.T) (out []string) {
	t.Helper()
	db := direct(t, rundb.UsualName)
	rows, err := db.Query(`SELECT m.name || '.' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		out = append(out, name)
	}
	return out
}

func direct(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// alter changes a column of one row; it is false for a table without rows.
func alter(t *testing.T, path, column string) bool {
	t.Helper()
	table, name, _ := strings.Cut(column, ".")
	db := direct(t, path)
	defer db.Close()
	var key string
	if err := db.QueryRow(`SELECT group_concat(name, ' || char(1) || ') FROM pragma_table_info(?) WHERE pk > 0`, table).Scan(&key); err != nil {
		t.Fatal(err)
	}
	value := fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN %[1]s + 7000003 WHEN 'null' THEN 7 ELSE '7' || %[1]s END", name)
	row := fmt.Sprintf("SELECT %s FROM %s", key, table)
	if name == "chunk" {
		value = "CAST('7' || chunk AS BLOB)"
	}
	if name == "seal" {
		value = "replace(seal, '=', '=1')"
	}
	if table == "payloads" || table == "nodes" {
		row += " WHERE " + map[string]string{"payloads": "length(content) > 1", "nodes": "kind = 'text'"}[table]
	}
	done, err := db.Exec(fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s = (%s LIMIT 1)", table, name, value, key, row))
	if err != nil && strings.Contains(err.Error(), "cannot store") { // a text column that holds NULL
		done, err = db.Exec(fmt.Sprintf("UPDATE %s SET %s = 'x' WHERE %s = (%s LIMIT 1)", table, name, key, row))
	}
	if err != nil {
		t.Fatal(column, err)
	}
	n, err := done.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// noticed reports whether a database is known not to be the one that was recorded.
func noticed(t *testing.T, path string, count int) bool {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	found, err := db.CheckFile()
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		return true
	}
	runs, err := db.Runs()
	if err != nil || len(runs) != count {
		return true
	}
	for _, r := range runs {
		tables, sealed, err := db.Changed(r.ID)
		if err != nil || !sealed || len(tables) > 0 {
			return true
		}
	}
	return false
}

func sealsHold(t *testing.T) {
	long(t)
	sample, err := filepath.Abs("../../../testdata/validation/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, line := range []string{"run fan-out", "run fan-out", "run stopped-and-resumed --record calls", "run explore-at-scale --record sampled:2",
		"run nested --record totals", "run nested --seed 3 --record packed", "run nested --policy pct:3 --no-audit", "sweep hello --seeds 3",
		"run coordinator", "run injection", "run stream-failures", "import " + sample} {
		if code, _, errs := try(nil, strings.Fields(line)...); code != ui.Pass && code != ui.Missed {
			t.Fatal(line, errs)
		}
	}
	if code, out, errs := try(nil, "lab", "db", "check"); code != ui.Pass || !strings.HasSuffix(out, "; all as it was recorded\n") || strings.Contains(out, "sealed") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	db, err := sqlite.Open(rundb.UsualName)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if found, err := db.Contradictions(r.ID); r.Level.Whole() && (err != nil || len(found) > 0) {
			t.Errorf("%s contradicts its events: %v (%v)", r.Name, found, err)
		}
		if r.Recorded() {
			continue
		}
		if code, out, errs := try(nil, "replay", r.ID); code != ui.Pass || !strings.Contains(out, "no difference") {
			t.Errorf("%s, %s: exit code %d\n%s%s", r.Name, r.Level, code, out, errs)
		}
	}
}
