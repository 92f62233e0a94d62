package cli

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "agentsim/sim/transcript/sqlite/driver"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentsim": Main, "nobody": nobody, "workflow": workflow, "full": full})
}

// nobody runs the command line as a user without rights: nobody run hello. Its
// directory is opened to that user first.
func nobody() {
	if os.Getuid() == 0 {
		if err := errors.Join(openPath(), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			panic(err)
		}
	}
	Main()
}

// openPath lets every user through to the present directory.
func openPath() error {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		var info os.FileInfo
		if info, err = os.Stat(dir); err == nil && info.Mode()&0o001 == 0 {
			err = os.Chmod(dir, info.Mode()|0o005)
		}
		dir = filepath.Dir(dir)
	}
	return err
}

// full runs the command line with an output that takes nothing: full run hello.
func full() {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	os.Stdout = f
	Main()
}

// long leaves a test that takes seconds to make test: make quick does without it.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// TestScripts runs the command line as a user does: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SAMPLE", filepath.Join(validationDir, "sample.jsonl.gz"))
			week, err := filepath.Abs("../../../testdata/week/week.yaml")
			if err != nil {
				return err
			}
			env.Setenv("WEEK", week)
			env.Setenv("ODD", "ev\x1b[31m\u009bx")                         // what no script can write
			t.Cleanup(func() { _ = os.Remove(filepath.Dir(env.WorkDir)) }) // testscript leaves it where not all scripts run
			return setExamples(env)
		},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   cmdExits,
			"gofiles": cmdGoFiles,
			"runid":   cmdRunID,
			"digest":  cmdDigest,
			"sql":     cmdSQL,
			"waitfor": cmdWaitFor,
			"stopped": cmdStopped,
		},
	})
}

// cmdExits runs a program that has to end with a code: exits CODE PROGRAM ARG…
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdGoFiles writes so many Go files of 60 lines and more: gofiles DIRECTORY N.
func cmdGoFiles(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	for i := range n {
		text := "package pkg\n"
		for j := range 60 + i {
			text += fmt.Sprintf("func F%d_%d() int { return %d }\n", i, j, i*j)
		}
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), fmt.Sprintf("f%02d.go", i)), []byte(text), 0o644))
	}
}

// cmdStopped sends a signal to a run that goes on for ever, once it has begun, and
// wants the code that it ends with: stopped CODE SIGNAL ARG….
func cmdStopped(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	signal := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[args[1]]
	cmd := exec.Command("agentsim", append(args[2:], "--events", "events-"+args[1])...)
	cmd.Dir = ts.MkAbs(".")
	ts.Check(cmd.Start())
	cmdWaitFor(ts, false, []string{".events-" + args[1] + ".*"})
	ts.Check(cmd.Process.Signal(signal))
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != want {
		ts.Fatalf("%v, want exit code %d", err, want)
	}
}

// cmdDigest writes the digests, events and totals of a file's runs into
// digest.txt: digest FILE.
func cmdDigest(ts *testscript.TestScript, neg bool, args []string) {
	db := openSQL(ts, args[0])
	defer db.Close()
	var text string
	ts.Check(db.QueryRow(`SELECT group_concat(concat_ws(' ', id, digest, events, ended_at, calls, input, write_5m, write_1h, read,
		output, cost, cost_uncached), char(10)) FROM runs`).Scan(&text))
	ts.Check(os.WriteFile(ts.MkAbs("digest.txt"), []byte(text), 0o644))
}

// cmdRunID sets $RUN to the id of the run of a scenario: runid SCENARIO [FILE].
func cmdRunID(ts *testscript.TestScript, neg bool, args []string) {
	file := "agentsim.db"
	if len(args) > 1 {
		file = args[1]
	}
	db := openSQL(ts, file)
	defer db.Close()
	var id string
	ts.Check(db.QueryRow("SELECT id FROM run_rows WHERE name = ? ORDER BY rowid LIMIT 1", args[0]).Scan(&id))
	ts.Setenv("RUN", id[:8])
}

// cmdSQL runs one statement on a file, as another program would: sql FILE
// STATEMENT.
func cmdSQL(ts *testscript.TestScript, neg bool, args []string) {
	db := openSQL(ts, args[0])
	defer db.Close()
	_, err := db.Exec(args[1])
	ts.Check(err)
}

func openSQL(ts *testscript.TestScript, name string) *sql.DB {
	db, err := sql.Open("sqlite3", "file:"+ts.MkAbs(name))
	ts.Check(err)
	db.SetMaxOpenConns(1)
	return db
}

// cmdWaitFor waits until a file whose name matches holds something: waitfor PATTERN.
func cmdWaitFor(ts *testscript.TestScript, neg bool, args []string) {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.Size() > 0 {
				return
			}
		}
		time.Sleep(time.Millisecond)
	}
	ts.Fatalf("%s stays empty", args[0])
}
