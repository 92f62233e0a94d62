package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/sim/transcript/sqlite"
)

func TestSweepCommand(t *testing.T) {
	t.Run("CLI-06 REC-03 a sweep that is killed leaves whole runs, and the next one ends with the same bytes as one that was not", killed)
}

func TestSeeds(t *testing.T) {
	t.Run("KRN-01 CLI-06 a variant's own seed, or an override's, is the one from which its runs are counted", func(t *testing.T) {
		dir := t.TempDir()
		file := filepath.Join(dir, "two.yaml")
		text := "agentsim: 1\nname: two\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.txt: {tokens: {uniform: [10, 500]}}}}\nscript:\n  main: {user: hello}\n  answers: [{agent: main, turns: [{text: done}]}]\nvariants: {a: {}, b: {seed: 7}}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			want string
			args []string
		}{
			{"42 7", []string{"run", file}},
			{"5 5", []string{"run", file, "--seed", "5"}},
			{"3 3", []string{"run", file, "--set", "seed=3"}},
			{"42 43 7 8", []string{"sweep", file, "--seeds", "2"}},
			{"100 101 200 201", []string{"sweep", file, "--seeds", "2", "--set", "seed=100,200", "--variant", "a"}},
		} {
			path := filepath.Join(t.TempDir(), "x.db")
			if code, _, stderr := try(nil, append(c.args, "--db", path)...); code != ui.Pass {
				t.Fatalf("%q: %d %s", c.args, code, stderr)
			}
			db, err := sqlite.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			runs, err := db.Runs()
			if err != nil {
				t.Fatal(err)
			}
			var seeds []string
			for _, r := range runs {
				seeds = append(seeds, fmt.Sprint(r.Seed))
				if stored, err := db.Spec(r.ID); err != nil || !strings.Contains(stored.Spec, "seed: "+fmt.Sprint(r.Seed)+"\n") {
					t.Errorf("%q: seed %d, and in its scenario another: %v", c.args, r.Seed, err)
				}
			}
			want := strings.Fields(c.want)
			slices.Sort(seeds)
			slices.Sort(want)
			if !slices.Equal(seeds, want) {
				t.Errorf("%q ran seeds %q, want %q", c.args, seeds, want)
			}
		}
	})
}

// agentsimProgram is this test binary, which is agentsim when it is called so.
func agentsimProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "agentsim")
	if err := os.Symlink(self, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	return link
}

// killed kills a real process while it sweeps, as soon as something is stored.
func killed(t *testing.T) {
	long(t)
	program, dir := agentsimProgram(t), t.TempDir()
	sweep := func(db string) *exec.Cmd {
		cmd := exec.Command(program, "sweep", "hello", "--seeds", "520", "--db", db)
		cmd.Dir = dir
		return cmd
	}
	cut := sweep("sweep.db")
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(filepath.Join(dir, "sweep.db")); err == nil && info.Size() > 5<<19 {
			break
		}
	}
	if err := cut.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cut.Wait() // it was killed
	had := wholeRuns(t, filepath.Join(dir, "sweep.db"))
	t.Logf("killed with %d runs stored", had)
	again, err := sweep("sweep.db").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "sweep.db"), filepath.Join(dir, "cut.db")); err != nil {
		t.Fatal(err)
	}
	whole, err := sweep("sweep.db").Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(whole) {
		t.Errorf("resumed:\n%s\nat once:\n%s", again, whole)
	}
	if n := wholeRuns(t, filepath.Join(dir, "cut.db")); n != 520 {
		t.Errorf("%d runs, want 520", n)
	}
}

// wholeRuns counts a database's runs; each must have ended and have its figures.
func wholeRuns(t *testing.T, path string) int {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		figures, err := db.Metrics(r.ID)
		if err != nil || r.Outcome != sqlite.Completed || r.Executions != 1 || len(figures) < 20 || r.Level != sqlite.Totals {
			t.Fatalf("run %+v with %d figures, %v", r, len(figures), err)
		}
	}
	return len(runs)
}
