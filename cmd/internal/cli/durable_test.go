package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

// endlessRun is a run that goes on until its process is killed.
const endlessRun = `agentsim: 1
name: endless
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
lab:
  limits: {steps: 1_000_000_000, time: 87600h}
  retry: {max: 1_000_000_000, base: 1ms, cap: 1ms}
  faults: ["529"]
`

func TestDurability(t *testing.T) {
	t.Run("REC-03 a process killed at any point leaves whole batches, a run marked running, and a file that is read, replayed and recorded into", kill9)
	t.Run("REC-03 a disk that gets full ends the run with exit code 1, says so, and leaves whole batches", fullDisk)
	t.Run("REC-03 several processes record into one file at once, one and the same run among them, and every run is whole", together)
	t.Run("REC-03 writers of every kind wait for each other, and for another program that holds the file for seconds", mixed)
	t.Run("REC-03 a database that stays locked costs the record and not the result: the table is printed, then why nothing is recorded", stillLocked)
}

// agentsim runs the command line as a process of its own.
func agentsim(dir string, args ...string) (code int, stdout, stderr string) {
	cmd := exec.Command("agentsim", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		return exit.ExitCode(), out.String(), errs.String()
	case err != nil:
		return -1, "", err.Error()
	}
	return 0, out.String(), errs.String()
}

// expect runs the command line and checks its code and what it says.
func expect(t *testing.T, dir string, code int, say string, args ...string) string {
	t.Helper()
	got, stdout, stderr := agentsim(dir, args...)
	if got != code || !strings.Contains(stdout+stderr, say) {
		t.Fatalf("agentsim %s: exit code %d, want %d and %q\n%s%s", strings.Join(args, " "), got, code, say, stdout, stderr)
	}
	return stdout
}

// inDir makes a directory that holds the endless scenario.
func inDir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "endless.yaml"), []byte(endlessRun), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// kills is how many processes the test kills; KILLS=500 in the environment makes
// a longer one.
func kills() int {
	if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
		return n
	}
	return 6
}

// kill9 kills at points that lie ever later: before there is a file, while the
// schema is made, in the middle of batches.
func kill9(t *testing.T) {
	long(t)
	dir := inDir(t, t.TempDir())
	begun, batches := 0, int64(0)
	for i := range kills() {
		db := fmt.Sprintf("%d.db", i)
		cmd := exec.Command("agentsim", "run", "./endless.yaml", "--db", db, "--seed", strconv.Itoa(i), "--record", []string{"full", "packed"}[i/3%2])
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitToKill(filepath.Join(dir, db), i)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		if n, ran := afterKill(t, dir, db); ran {
			begun++
			batches += n / sqlite.DefaultBatch
		}
	}
	t.Logf("%d processes killed, %d of them with a run on record, %d batches on record", kills(), begun, batches)
	if begun == 0 || batches == 0 {
		t.Errorf("no process was killed while it recorded: %d runs, %d batches", begun, batches)
	}
}

// waitToKill waits for the moment of kill number i: a few milliseconds later than
// the one before, for every third until the file has grown beyond ever more; packed rows
// take a fourth.
func waitToKill(path string, i int) {
	if i%3 != 2 {
		time.Sleep(time.Duration(i%45) * 8 * time.Millisecond)
		return
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > int64(200+500*(i%10))<<(10-2*(i/3%2)) {
			return
		}
	}
}

// afterKill checks what a killed process left, and uses it as a user would.
func afterKill(t *testing.T, dir, db string) (events int64, begun bool) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, db)); err == nil {
		list := expect(t, dir, 0, "", "inspect", "--db", db)
		if begun = strings.Contains(list, "endless"); begun {
			if strings.Contains(list, " packed ") {
				events = wholeChunks(t, filepath.Join(dir, db))
			} else {
				events = wholeRun(t, filepath.Join(dir, db))
			}
			run := strings.Fields(strings.SplitN(list, "\n", 2)[1])[0]
			expect(t, dir, 0, "", "inspect", run, "--db", db)
			expect(t, dir, 0, fmt.Sprintf("was unfinished; all of its %d events came again", events), "replay", run, "--db", db)
		}
	}
	expect(t, dir, 0, "hello", "run", "hello", "--db", db)
	expect(t, dir, 0, "hello", "inspect", "--db", db)
	return events, begun
}

// wholeRun checks that the endless run's rows are a number of whole batches, that
// every row has its event and that the run is marked running.
func wholeRun(t *testing.T, path string) (events int64) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var last, requests, sent, orphans int64
	var outcome, status, check string
	err = db.QueryRow(`SELECT count(*), coalesce(max(seq), -1), (SELECT outcome FROM runs WHERE name = 'endless'),
		(SELECT status FROM executions), (SELECT * FROM pragma_integrity_check), (SELECT count(*) FROM requests),
		(SELECT count(*) FROM events WHERE kind IN ('response', 'api_error')),
		(SELECT count(*) FROM requests r LEFT JOIN nodes n ON n.hash = r.head WHERE n.hash IS NULL) FROM events`).
		Scan(&events, &last, &outcome, &status, &check, &requests, &sent, &orphans)
	if err != nil {
		t.Fatal(err)
	}
	if events%sqlite.DefaultBatch != 0 || last != events-1 || outcome != "running" || status != "running" || check != "ok" ||
		requests != sent || orphans != 0 {
		t.Errorf("%d events, the last is %d, run %s, execution %s, integrity %s, %d requests of %d answers, %d without blocks",
			events, last, outcome, status, check, requests, sent, orphans)
	}
	return events
}

// wholeChunks is wholeRun of a run whose rows are packed.
func wholeChunks(t *testing.T, path string) (events int64) {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run, err := db.Runs()
	if err != nil || len(run) != 1 || run[0].Outcome != sqlite.Running {
		t.Fatal(run, err)
	}
	for _, err := range db.Events(run[0].ID) {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	if found, err := db.CheckFile(); events%sqlite.DefaultBatch != 0 || len(found) > 0 || err != nil {
		t.Errorf("%d events, %v, %v", events, found, err)
	}
	return events
}

// fullDisk records onto a file system of four megabytes.
func fullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	inDir(t, dir)
	expect(t, dir, 0, "hello", "run", "hello", "--events", "good.txt")
	expect(t, dir, 0, "break-even", "crossover", "--plot", "good.png")
	expect(t, dir, 1, "agentsim.db: cannot record a batch: the disk is full; free some space; every batch recorded so far is whole",
		"run", "./endless.yaml")
	if n := wholeRunBeside(t, filepath.Join(dir, "agentsim.db")); n == 0 {
		t.Error("no batch was recorded before the disk was full")
	}
	expect(t, dir, 0, "unfinished", "inspect")
	if err := os.WriteFile(filepath.Join(dir, "more"), make([]byte, 5<<20), 0o644); err == nil {
		t.Fatal("the disk is not full")
	}
	expect(t, dir, 1, "the disk is full", "run", "hello", "--db", "new.db")
	leftAlone(t, dir)
	if err := os.Remove(filepath.Join(dir, "more")); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, 0, "hello", "run", "hello")
}

// leftAlone writes every kind of file onto a full disk: what was there stays, and
// nothing that is new is left.
func leftAlone(t *testing.T, dir string) {
	before := listing(t, dir)
	expect(t, dir, 1, "--events good.txt: no space left on device", "run", "hello", "--record", "none", "--events", "good.txt")
	expect(t, dir, 1, "--plot good.png: no space left on device", "crossover", "--plot", "good.png")
	expect(t, dir, 1, "--plot new.svg: no space left on device", "crossover", "--plot", "new.svg")
	if after := listing(t, dir); after != before {
		t.Errorf("files were\n%s\nand are\n%s", before, after)
	}
}

// listing is the names and sizes of a directory's files.
func listing(t *testing.T, dir string) (out string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		out += fmt.Sprintln(e.Name(), info.Size())
	}
	return out
}

// wholeRunBeside is wholeRun where another run is on record before it.
func wholeRunBeside(t *testing.T, path string) (events int64) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var outcome, check string
	err = db.QueryRow(`SELECT count(*), max(r.outcome), (SELECT * FROM pragma_integrity_check) FROM runs r JOIN events e ON e.run = r.id
		WHERE r.name = 'endless'`).Scan(&events, &outcome, &check)
	if err != nil || events%sqlite.DefaultBatch != 0 || outcome != "running" || check != "ok" {
		t.Errorf("%d events, run %s, integrity %s (%v)", events, outcome, check, err)
	}
	return events
}

// together starts processes at once, the first two with the same run, into a file
// that does not exist.
func together(t *testing.T) {
	long(t)
	dir := t.TempDir()
	cmds := make([]*exec.Cmd, 4)
	outs := make([]bytes.Buffer, len(cmds))
	for i := range cmds {
		cmds[i] = exec.Command("agentsim", append(twoWays, "--seed", strconv.Itoa(max(1, i)), "--record", []string{"full", "packed"}[i%2])...)
		cmds[i].Dir, cmds[i].Stdout, cmds[i].Stderr = dir, &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, outs[i].String())
		}
	}
	db, err := sqlite.Open(filepath.Join(dir, "agentsim.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil || len(runs) == 0 || len(runs)%(len(cmds)-1) != 0 {
		t.Fatalf("%d runs (%v)", len(runs), err)
	}
	for _, r := range runs {
		tables, sealed, err := db.Changed(r.ID)
		if err != nil || !sealed || len(tables) > 0 || r.Outcome != sqlite.Completed {
			t.Errorf("%s, seed %d: %s, sealed %t, changed %s (%v)", r.Variant, r.Seed, r.Outcome, sealed, tables, err)
		}
		if want := 1 + bool2int(r.Seed == 1); r.Executions != want {
			t.Errorf("%s, seed %d: %d executions, want %d", r.Variant, r.Seed, r.Executions, want)
		}
	}
}

// mixed starts eight processes while the file is locked, and lets go of it after
// longer than what a short patience would bear.
func mixed(t *testing.T) {
	long(t)
	session, err := filepath.Abs("../../../testdata/validation/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	expect(t, dir, 0, "hello", "run", "hello")
	db := held(t, filepath.Join(dir, "agentsim.db"))
	cmds := make([]*exec.Cmd, 0, 8)
	outs := make([]bytes.Buffer, cap(cmds))
	for i, line := range []string{"run fan-out", "run fan-out --record packed", "run nested --record packed", "run hello --seed 7", "run stream-failures",
		"sweep fan-out --seeds 2", "sweep nested --seeds 3", "import " + session} {
		c := exec.Command("agentsim", strings.Fields(line)...)
		c.Dir, c.Stdout, c.Stderr = dir, &outs[i], &outs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, c)
	}
	time.Sleep(4 * time.Second)
	db.Close()
	for i, c := range cmds {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", c.Args, err, outs[i].String())
		}
	}
	if list := expect(t, dir, 0, "rows/", "inspect"); strings.Contains(list, " unfinished ") {
		t.Error(list)
	}
}

// held locks a file against writers, as another program may.
func held(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return db
}

func stillLocked(t *testing.T) {
	t.Chdir(t.TempDir())
	impatient := func(s *ui.Env) { s.Patience = 20 }
	if code, _, errs := try(nil, "run", "hello"); code != ui.Pass {
		t.Fatal(errs)
	}
	held(t, "agentsim.db")
	code, out, errs := try(impatient, "run", "fan-out")
	if code != ui.Operating || !strings.Contains(out, "VARIANT") || !strings.Contains(out, "recorded     incomplete") ||
		!strings.HasPrefix(errs, "agentsim.db: cannot record the run: the database stayed locked; another agentsim writes to it") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}
