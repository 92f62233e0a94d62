package sqlite

import (
	"errors"
	"os"
	"testing"
)

func TestRemove(t *testing.T) {
	t.Run("REPO-08 a removal that is stopped anywhere removes nothing, and one while another run is recorded is refused", stopped)
}

// counts are the rows of the tables that runs share, and the runs.
func counts(t *testing.T, db *DB) (out [5]int) {
	t.Helper()
	for i, name := range []string{"runs", "nodes", "payloads", "alike", "specs"} {
		if err := db.sql.QueryRow("SELECT count(*) FROM " + name).Scan(&out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func stopped(t *testing.T) {
	db := tempDB(t)
	for _, id := range []string{"one", "two"} {
		w, err := db.Begin(Run{ID: id, Name: id, Spec: "name: " + id, Files: []File{{Path: "a", Content: "both have it"}, {Path: "b", Content: "of " + id}}}, "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if id == "two" {
			if _, err := db.Remove([]string{"one"}); !errors.Is(err, ErrRecording) {
				t.Errorf("another run is being recorded: %v", err)
			}
		}
		if err := w.Finish(End{Status: Completed}); err != nil {
			t.Fatal(err)
		}
	}
	before := counts(t, db)
	for _, table := range []string{"executions", "run_rows", "specs", "payloads"} {
		if _, err := db.sql.Exec("CREATE TEMP TRIGGER stop AFTER DELETE ON " + table + " BEGIN SELECT RAISE(ABORT, 'stopped'); END"); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Remove([]string{"one"}); err == nil || counts(t, db) != before {
			t.Errorf("stopped at %s: %v, %v of %v", table, err, counts(t, db), before)
		}
		if _, err := db.sql.Exec("DROP TRIGGER stop"); err != nil {
			t.Fatal(err)
		}
	}
	out, err := db.Remove([]string{"one"})
	if err != nil || out != (Removed{Runs: 1, Contents: 1}) {
		t.Errorf("%+v, %v", out, err)
	}
	if after := counts(t, db); after[4] != 1 {
		t.Errorf("%d scenarios are left", after[4])
	}
	if tables, sealed, err := db.Changed("two"); len(tables) > 0 || !sealed || err != nil {
		t.Errorf("the other run: %v, %v, %v", tables, sealed, err)
	}
	if found, err := db.CheckFile(); len(found) > 0 || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := os.Stat(db.path); err != nil {
		t.Fatal(err)
	}
}
