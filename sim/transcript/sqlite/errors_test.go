package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

func TestErrors(t *testing.T) {
	t.Run("REC-03 a read-only database is told from others, and what to do", readOnly)
	t.Run("REC-03 a locked database is told from others, and what to do", locked)
	t.Run("REC-03 a file that is no database is refused and not touched", notADatabase)
	t.Run("REC-03 a database of another program is refused and not touched", foreign)
	t.Run("REC-03 a database of a newer schema is refused and not touched", newer)
	t.Run("REC-03 a directory that does not exist is told from others", noDirectory)
	t.Run("REC-03 reading a database that does not exist makes none", noFile)
	t.Run("REC-03 a full disk stops the recording and leaves whole batches", full)
	t.Run("REC-03 a killed process leaves a database that opens, whole batches and the run marked", killed)
	t.Run("REC-03 a batch that was half written when the process was killed is rolled back", halfWritten)
	t.Run("REC-03 two processes record into one file", twoProcesses)
	t.Run("REC-01 a database of an older schema is brought up to date", older)
	t.Run("REC-01 a run is found by the beginning of its id, or the nearest are named", find)
}

// wantError checks the kind of an error and that its text says the words.
func wantError(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got %v, want %v", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

func readOnly(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	ro, err := Open(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	_, err = ro.Begin(runNamed("r2"), "", Options{})
	wantError(t, err, ErrReadOnly, db.Path(), "record the run", "another file")
	if os.Geteuid() == 0 {
		return // the rest asks for a permission that root does not need
	}
	if err := os.Chmod(db.Path(), 0o444); err != nil {
		t.Fatal(err)
	}
	closed, err := Create(db.Path())
	if err == nil {
		defer closed.Close()
		_, err = closed.Begin(runNamed("r2"), "", Options{})
	}
	wantError(t, err, ErrReadOnly)
}

func locked(t *testing.T) {
	db := tempDB(t)
	other, err := CreateWithin(db.Path(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	w, err := other.Begin(runNamed("r"), "", Options{Batch: 1})
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.sql.Begin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Begin(runNamed("r2"), "", Options{})
	wantError(t, err, ErrLocked, other.Path(), "record the run", "try again when that is over")
	newEmitter(w).emit(-1, &transcript.Gate{Name: "G"})
	wantError(t, w.Err(), ErrLocked, "record a batch")
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Finish(End{Status: Completed}), ErrLocked)
}

// untouched checks that opening path fails with kind and changes no byte of it.
func untouched(t *testing.T, path string, kind error, words ...string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string) (*DB, error){Create, Open} {
		_, err = open(path)
		wantError(t, err, kind, append(words, path)...)
		after, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(before, after) {
			t.Fatalf("the file was changed (%v)", err)
		}
	}
}

func notADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("dear diary\n", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	untouched(t, path, ErrNotDatabase, "another file")
}

// withSQL makes a database by hand.
func withSQL(t *testing.T, path string, q string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(q); err != nil {
		t.Fatal(err)
	}
}

func foreign(t *testing.T) {
	for name, q := range map[string]string{
		"tables":  "CREATE TABLE runs (id)",
		"wal":     "PRAGMA journal_mode = wal; CREATE TABLE bookmarks (url)",
		"version": "PRAGMA user_version = 7",
		"program": "PRAGMA application_id = 5",
	} {
		path := filepath.Join(t.TempDir(), name+".db")
		withSQL(t, path, q)
		untouched(t, path, ErrForeign, "another program")
	}
}

func newer(t *testing.T) {
	db := tempDB(t)
	if _, err := db.sql.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	untouched(t, db.Path(), ErrNewerSchema, "schema 99", "newer version")
}

func noDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "such", "runs.db")
	_, err := Create(path)
	wantError(t, err, ErrNoDirectory, path, "make the directory")
}

func noFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	_, err := Open(path)
	wantError(t, err, ErrNoFile, path, "record a run first")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file was made: %v", err)
	}
}

func full(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{Batch: 10})
	if err != nil {
		t.Fatal(err)
	}
	// SQLite reports a bound on its pages as it does a full disk.
	if _, err := db.sql.Exec("PRAGMA max_page_count = 80"); err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	e.files = 1000
	turns(e, 300, func() {})
	wantError(t, w.Err(), ErrFull, "record a batch", "free some space")
	wantError(t, w.Finish(End{Status: Completed}), ErrFull)
	wholeBatches(t, db, 10)
}

// wholeBatches checks that the run is marked running, and that what is there of
// it is a number of whole batches.
func wholeBatches(t *testing.T, db *DB, batch int) {
	t.Helper()
	var events, last int
	var outcome, check string
	if err := db.sql.QueryRow(`SELECT count(*), max(seq), (SELECT outcome FROM runs), (SELECT * FROM pragma_integrity_check) FROM events`).
		Scan(&events, &last, &outcome, &check); err != nil {
		t.Fatal(err)
	}
	if events == 0 || events%batch != 0 || last != events-1 || outcome != "running" || check != "ok" {
		t.Errorf("%d events in batches of %d, the last is %d, outcome %s, integrity %s", events, batch, last, outcome, check)
	}
	calls, err := db.Calls(dumpOne(t, db, "SELECT id FROM runs"))
	if err != nil || len(calls) == 0 {
		t.Fatal(len(calls), err)
	}
	for _, c := range calls {
		if bytes, err := db.RequestBytes("r", c.Seq); err != nil || len(bytes) < 100 {
			t.Errorf("call %d cannot be rebuilt: %v", c.N, err)
		}
	}
}

func dumpOne(t *testing.T, db *DB, q string) string { return strings.TrimSpace(dump(t, db, q)) }

const helperEnv = "SQLITE_TEST_HELPER"

// TestHelperProcess is another process that records: run "r" without an end, or
// a run of the given name to its end.
func TestHelperProcess(t *testing.T) {
	mode, path, _ := strings.Cut(os.Getenv(helperEnv), "=")
	if mode == "" {
		return // it is the second process of other tests, and nothing in this one
	}
	db, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode != "forever" {
		recorded(t, db, runNamed(mode), Options{Batch: 5}, func(e *emitter) { turns(e, 30, func() {}) })
		return
	}
	w, err := db.Begin(runNamed("r"), "", Options{Batch: 7})
	if err != nil {
		t.Fatal(err)
	}
	turns(newEmitter(w), 1_000_000, func() {
		if w.requestNum == 20 {
			os.Stdout.WriteString("recording\n")
		}
	})
}

func helper(mode, path string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperEnv+"="+mode+"="+path)
	return cmd
}

func killed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	cmd := helper("forever", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	wholeBatches(t, db, 7)
}

// halfWritten copies the files in the middle of a transaction that has outgrown
// SQLite's memory: what a killed process leaves.
func halfWritten(t *testing.T) {
	db := tempDB(t)
	recorded(t, db, runNamed("r"), Options{}, (*emitter).story)
	whole := dump(t, db, "SELECT count(*), sum(bytes) FROM payloads")
	if _, err := db.sql.Exec("PRAGMA cache_size = 5"); err != nil {
		t.Fatal(err)
	}
	tx, err := db.sql.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`UPDATE payloads SET bytes = 0; INSERT INTO payloads
		WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, 1, printf('%1000d', i) FROM n`); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-journal"} {
		content, err := os.ReadFile(db.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left+suffix, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Open(left)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := dump(t, again, "SELECT count(*), sum(bytes) FROM payloads"); got != whole {
		t.Errorf("payloads are %s, were %s", got, whole)
	}
}

func twoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	a, b := helper("a", path), helper("b", path)
	var outA, outB bytes.Buffer
	a.Stderr, b.Stderr, a.Stdout, b.Stdout = &outA, &outB, nil, nil
	if err := errors.Join(a.Start(), b.Start()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Wait(), b.Wait()); err != nil {
		t.Fatalf("%v\n%s%s", err, outA.String(), outB.String())
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, run := range []string{"a", "b"} {
		r, err := db.FindRun(run)
		if err != nil {
			t.Fatal(err)
		}
		if tables, sealed, err := db.Changed(run); err != nil || !sealed || len(tables) > 0 || r.Outcome != Completed {
			t.Errorf("run %s: %s, sealed %t, changed %s (%v)", run, r.Outcome, sealed, tables, err)
		}
	}
}

func older(t *testing.T) {
	for version := 1; version < len(migrations); version++ {
		path := filepath.Join(t.TempDir(), "runs.db")
		if err := stepped(t, path, version).Close(); err != nil {
			t.Fatal(err)
		}
		db, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		const q = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM why_missed), (SELECT count(*) FROM recorded_misses)"
		if got, want := dump(t, db, q), fmt.Sprintf("%d|0|0\n", len(migrations)); got != want {
			t.Errorf("schema %d: version and misses: %s", version, got)
		}
	}
}

func find(t *testing.T) {
	db := tempDB(t)
	_, err := db.FindRun("9c")
	wantError(t, err, ErrNoRun, "nothing is recorded")
	for _, id := range []string{"9c1e-a", "9c1e-b", "77aa"} {
		recorded(t, db, runNamed(id), Options{Level: Totals}, func(e *emitter) { e.start(0, -1, "main", "root") })
	}
	if r, err := db.FindRun("77"); err != nil || r.ID != "77aa" || r.Seed != 1<<64-1 || r.Executions != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := db.FindRun("9c1e-b"); err != nil || r.ID != "9c1e-b" {
		t.Errorf("got %+v, %v", r, err)
	}
	_, err = db.FindRun("9c1e")
	wantError(t, err, ErrAmbiguous, "9c1e-a (story v), 9c1e-b (story v)")
	_, err = db.FindRun("9c2")
	wantError(t, err, ErrNoRun, "9c2; there is 9c1e-a")
	_, err = db.Spec("9c2")
	wantError(t, err, ErrNoRun)
	_, err = db.Call("77aa", 1)
	wantError(t, err, ErrNoCall)
	_, err = db.RequestBytes("77aa", 1)
	wantError(t, err, ErrNoCall)
}

func TestUnlikelyNodes(t *testing.T) {
	db := tempDB(t)
	w, err := db.Begin(runNamed("r"), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := newEmitter(w)
	e.start(0, -1, "main", "root")
	root := e.Root(llm.Scope{}, llm.Salts{})
	tool := e.Append(root, llm.NoRole, &llm.Block{Kind: llm.ToolDef, Content: llm.NewJSON(`{"name":"x"}`)})
	system := e.Border(tool, llm.System, llm.Salts{})
	messages := e.Border(e.Append(system, llm.NoRole, textBlock("s")), llm.Messages, llm.Salts{})
	image := e.Append(messages, llm.User, &llm.Block{Kind: llm.Image, Content: llm.NewJSON(`{"data":"eA=="}`)})
	document := e.Append(image, llm.User, &llm.Block{Kind: llm.Document, Content: llm.NewJSON(`{"data":"eQ=="}`)})
	thinking := e.Append(document, llm.Assistant, &llm.Block{Kind: llm.Thinking, Content: llm.NewText(llm.Prose, "h\"m\x01")})
	heads := []*llm.Node{root, tool, system, messages, image, document, thinking}
	var seqs []uint64
	for i, n := range heads {
		seqs = append(seqs, e.emit(0, &transcript.Request{Call: i, Head: n}))
	}
	if err := w.Finish(End{Status: Completed}); err != nil {
		t.Fatal(err)
	}
	for i, n := range heads {
		got, err := db.RequestBytes("r", int64(seqs[i]))
		if want := llm.AppendRequest(nil, n); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
}
