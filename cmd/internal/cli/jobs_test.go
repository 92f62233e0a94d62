package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
)

func TestJobs(t *testing.T) {
	t.Run("CON-22 KRN-03 variants and sweeps print and record the same on one core and on many", oneAndMany)
	t.Run("CON-22 CLI-02 an interrupt ends the runs that go on and begins no other", interruptAll)
}

// oneAndMany compares what a comparison with a sweep prints, and what inspect
// finds recorded, for several numbers of cores.
func oneAndMany(t *testing.T) {
	want := ""
	for _, procs := range []int{1, 4} {
		got := func() string {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			t.Chdir(t.TempDir())
			_, run, errs := try(nil, "run", "tool-search")
			_, list, _ := try(nil, "inspect", "-o", "json")
			return run + errs + list
		}()
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "is the cheapest at") {
			t.Errorf("on %d processors:\n%s\nwant\n%s", procs, got, want)
		}
	}
}

// interruptAll begins two runs that never end by themselves, of four.
func interruptAll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	t.Chdir(t.TempDir())
	text := strings.Replace(endless, "agentsim: 1\nname: endless\n", "agentsim: 1\nname: endless\nvariants: {a: {}, b: {seed: 1}, c: {seed: 2}, d: {seed: 3}}\n", 1)
	if err := os.WriteFile("endless.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	begun := 0
	code, _, stderr := try(func(s *ui.Env) {
		s.Interrupt = signals
		s.Now = func() time.Time {
			if begun++; begun == 2 {
				signals <- os.Interrupt // both have a record; the second is about to run
			}
			return time.Unix(0, 0)
		}
	}, "run", "endless.yaml", "--set", "limits.steps=1_000_000_000")
	if code != ui.Interrupted || !strings.Contains(stderr, "endless/a did not finish: interrupted at ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	_, list, _ := try(nil, "inspect", "--db", filepath.Join(".", "agentsim.db"))
	if n := strings.Count(list, " interrupted "); n < 1 || n > 2 || strings.Contains(list, " unfinished ") {
		t.Errorf("recorded:\n%s", list)
	}
}
