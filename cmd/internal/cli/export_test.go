package cli

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/recordingtest"
)

// TestExport writes runs as Claude Code lays out its sessions, and imports them again.
func TestExport(t *testing.T) {
	for _, run := range [][]string{{"hello"}, {"coordinator"}, {"compaction"}, {"nested"}, {"fan-out"}, {"stream-failures"}, {"auto-background"}, {"stopped-and-resumed"}, {"team"}} {
		t.Run("EXPT-03 "+run[0]+", written as a client's session and imported again, gives the same bill, call by call", func(t *testing.T) { again(t, run...) })
	}
	t.Run("EXPT-03 sessions that the client wrote come again as well, call by call", func(t *testing.T) {
		long(t)
		sessions := recordingtest.Path(t, "sessions", "moredip__session-share")
		t.Chdir(t.TempDir())
		must(t, "import", sessions, "--with-content", "--db", "a.db")
		sameAgain(t)
	})
	t.Run("EXPT-03 a file that is there is not replaced, and nobody else may read what is written", func(t *testing.T) {
		t.Chdir(t.TempDir())
		must(t, "run", "hello", "--db", "a.db")
		id := exported(t, "a.db")[0]
		must(t, "export", id, "--db", "a.db", "-o", "out")
		files, err := filepath.Glob("out/*.jsonl")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if code, _, errs := try(nil, "export", id, "--db", "a.db", "-o", "out"); code != ui.Operating || !strings.Contains(errs, files[0]+" is there already") {
			t.Errorf("exit code %d: %s", code, errs)
		}
	})
}

// TestTrace writes runs as a trace of Perfetto. testdata/outside reads such traces.
func TestTrace(t *testing.T) {
	t.Run("EXPT-01 runs are written as one trace, the same each time, that is not replaced and holds no content", func(t *testing.T) {
		t.Chdir(t.TempDir())
		must(t, "run", "injection", "--db", "a.db")
		args := append([]string{"export", "--db", "a.db", "--format", "perfetto", "-o"}, "out")
		args = append(args, exported(t, "a.db")...)
		must(t, args...)
		files, err := filepath.Glob("out/*.pftrace")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		first, err := os.ReadFile(files[0])
		if err != nil || !strings.Contains(string(first), "agent main/") || strings.Contains(string(first), "Ignore") {
			t.Errorf("%v, %d bytes", err, len(first))
		}
		if code, _, errs := try(nil, args...); code != ui.Operating || !strings.Contains(errs, files[0]+" is there already") {
			t.Errorf("exit code %d: %s", code, errs)
		}
		args[6] = "again"
		must(t, args...)
		if second, err := os.ReadFile(filepath.Join("again", filepath.Base(files[0]))); err != nil || string(second) != string(first) {
			t.Error("another trace", err)
		}
		if code, _, errs := try(nil, append([]string{"export", "--db", "a.db"}, args[7:]...)...); len(args) > 8 && (code != ui.Usage || !strings.Contains(errs, "--format claude-jsonl writes one run, not ")) {
			t.Errorf("exit code %d: %s", code, errs)
		}
	})
}

// must runs a command that has to pass.
func must(t *testing.T, args ...string) {
	t.Helper()
	if code, _, errs := try(nil, args...); code != ui.Pass {
		t.Fatalf("%v: exit code %d\n%s", args, code, errs)
	}
}

// exported are the ids of a database's runs.
func exported(t *testing.T, db string) []string {
	return column(t, db, `SELECT id FROM runs ORDER BY id`)
}

// billedCalls are the calls of a run by the instants at which they began.
const billedCalls = `SELECT a.structure = 'root', r.model, r.input, r.write_5m, r.write_1h, r.read, r.output, r.started_at - (SELECT min(started_at) FROM requests WHERE run = r.run),
	r.ended_at - r.started_at FROM requests r JOIN agents a ON a.run = r.run AND a.agent = r.agent AND a.activation = 0
	WHERE r.run = ? AND r.started_at IS NOT NULL AND (r.status = 'ok' OR r.input + r.write_5m + r.write_1h + r.read + r.output > 0)
	ORDER BY r.started_at, 1, 3, 4, 6, 7, 9`

// again runs a scenario, and its runs come again.
func again(t *testing.T, run ...string) {
	if run[0] != "hello" {
		long(t)
	}
	t.Chdir(t.TempDir())
	must(t, append([]string{"run", "--db", "a.db"}, run...)...)
	sameAgain(t)
}

// sameAgain exports each run of a.db, imports it and compares the calls.
func sameAgain(t *testing.T) {
	t.Helper()
	for _, id := range exported(t, "a.db") {
		must(t, "export", id, "--db", "a.db", "-o", id)
		must(t, "import", id, "--db", id+".db")
		want := column(t, "a.db", billedCalls, id)
		var got []string
		for _, session := range exported(t, id+".db") {
			got = append(got, column(t, id+".db", billedCalls, session)...)
		}
		if len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s: calls differ:\n%s\nwant\n%s", id, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// column is what a query gives, a line a row.
func column(t *testing.T, name, query string, args ...any) (out []string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+name+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells := make([]string, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}
