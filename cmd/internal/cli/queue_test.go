package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
)

func TestConcurrentJobs(t *testing.T) {
	t.Run("CON-22 jobs begin and end in their order, whatever order their work ends in", queueOrder)
	t.Run("CON-22 CLI-02 after a failure no job begins, those that had begun are ended, and the first error is told", queueFails)
	t.Run("CON-22 CLI-02 a panic in a job's work is told where the queue was run", queuePanics)
	t.Run("CON-22 KRN-03 variants and sweeps print and record the same on one core and on many", oneAndMany)
	t.Run("CON-22 CLI-02 an interrupt ends the runs that go on and begins no other", interruptAll)
}

func always() bool { return true }

// queueOrder holds each job's work back until the next job's is done, so that
// work ends in the opposite order.
func queueOrder(t *testing.T) {
	const n = 5
	gates := make([]chan bool, n+1)
	for i := range gates {
		gates[i] = make(chan bool)
	}
	close(gates[n])
	var said []string
	q := queue{
		begin: func(i int) error { said = append(said, fmt.Sprint("begin ", i)); return nil },
		work:  func(i int) { <-gates[i+1]; close(gates[i]) },
		end:   func(i int) error { said = append(said, fmt.Sprint("end ", i)); return nil },
		more:  always,
	}
	if err := q.run(n, n); err != nil {
		t.Fatal(err)
	}
	want := []string{"begin 0", "begin 1", "begin 2", "begin 3", "begin 4", "end 0", "end 1", "end 2", "end 3", "end 4"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}

func queueFails(t *testing.T) {
	for _, failing := range []string{"begin 2", "end 1"} {
		var begun, ended []int
		step := func(what string, i int, list *[]int) error {
			*list = append(*list, i)
			if fmt.Sprint(what, " ", i) == failing {
				return errors.New("no")
			}
			return nil
		}
		q := queue{
			begin: func(i int) error { return step("begin", i, &begun) },
			work:  func(int) {},
			end:   func(i int) error { return step("end", i, &ended) },
			more:  always,
		}
		if err := q.run(100, 1); err == nil || err.Error() != "no" {
			t.Errorf("%s: %v", failing, err)
		}
		if len(begun) == 100 || failing == "begin 2" && !slices.Equal(ended, []int{0, 1}) || failing != "begin 2" && !slices.Equal(ended, begun) {
			t.Errorf("%s: %v began, %v ended", failing, begun, ended)
		}
	}
}

func queuePanics(t *testing.T) {
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "fell over") || !strings.Contains(p, "queuePanics") {
			t.Errorf("told %s", p)
		}
	}()
	q := queue{begin: func(int) error { return nil }, work: func(int) { panic("fell over") }, end: func(int) error { return nil }, more: always}
	_ = q.run(2, 2)
	t.Error("no panic")
}

// oneAndMany compares what a comparison with a sweep prints, and what inspect
// finds recorded, for several numbers of cores.
func oneAndMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	want := ""
	for _, procs := range []int{1, 4} {
		got := func() string {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			t.Chdir(t.TempDir())
			_, run, errs := try(nil, "run", "fork-vs-subagent")
			_, list, _ := try(nil, "inspect", "-o", "json")
			return run + errs + list
		}()
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "everywhere") {
			t.Errorf("on %d processors:\n%s\nwant\n%s", procs, got, want)
		}
	}
}

// interruptAll begins two runs that never end by themselves, of four.
func interruptAll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	t.Chdir(t.TempDir())
	text := strings.Replace(endless, "name: endless\n", "name: endless\nvariants: {a: {}, b: {seed: 1}, c: {seed: 2}, d: {seed: 3}}\n", 1)
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
