package harness

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	_ "agentsim/sim/transcript/sqlite/driver"
)

func TestConcurrentRuns(t *testing.T) {
	t.Run("CLI-06 CON-22 a sweep and its database have the same bytes whatever the number of workers, when the clock stays", storedInOrder)
	t.Run("CON-22 of runs with many agents one goes on at a time", oneWide)
	t.Run("CON-22 CLI-02 an interrupt ends all runs that go on and begins no other", interruptAll)
}

func TestConcurrentPopulation(t *testing.T) {
	t.Run("POP-02 CON-22 totals and digest are the same on 1, 2, 3 and 7 workers", func(t *testing.T) {
		one, want := population(t, 1, recorded)
		for _, workers := range []int{2, 3, 7} {
			p, got := population(t, workers, recorded)
			if got != want || p.Digest() != one.Digest() || p.Audited != one.Audited {
				t.Errorf("%d workers: %s\n%s\none: %s\n%s", workers, p.Digest(), got, one.Digest(), want)
			}
		}
		if other, got := population(t, 2, recorded, "seed=7"); got == want || other.Digest() == one.Digest() {
			t.Error("another seed gives the same")
		}
	})
	t.Run("POP-02 CLI-02 an interrupted population is the first so many of its shards", firstShards)
	t.Run("CLI-02 who listens after another hears the next signal", heardNext)
	t.Run("CLI-02 a second signal at once is the first one, and a later one ends the process", heardTwice)
}

// heardTwice sends this process what timeout(1) does, and then what an impatient user does.
func heardTwice(t *testing.T) {
	env, exits := &ui.Env{Now: time.Now}, make(chan os.Signal, 9)
	env.Interrupt = Signals(env, func(sig os.Signal) { exits <- sig })
	defer signal.Reset(syscall.SIGTERM)
	x := Listen(env)
	defer x.Stop()
	send := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	send()
	for !x.Has() || env.Waiting.Load() {
		time.Sleep(time.Millisecond)
	}
	send()
	time.Sleep(sameFor + 100*time.Millisecond)
	if len(exits) > 0 {
		t.Error("the second signal at once ended the process")
	}
	send()
	select {
	case <-exits:
	case <-time.After(time.Minute):
		t.Error("a later signal did not end it")
	}
}

// heardNext stops listening and begins again, as a command with several variants does.
func heardNext(t *testing.T) {
	signals := make(chan os.Signal, 1)
	env := &ui.Env{Now: time.Now, Interrupt: signals}
	for i := range 300 {
		Listen(env).Stop()
		x := Listen(env)
		runtime.Gosched()
		if !env.Waiting.Load() {
			t.Fatalf("round %d: nobody waits", i)
		}
		signals <- os.Interrupt
		for since := time.Now(); !x.Has(); time.Sleep(10 * time.Microsecond) {
			if time.Since(since) > time.Minute {
				t.Fatalf("round %d: the signal was not heard", i)
			}
		}
		x.Stop()
	}
}

// firstShards interrupts a population, and runs as many sessions as that left.
func firstShards(t *testing.T) {
	p := opened(t, strings.Replace(crowd, "LATENCY", recorded, 1), "population.sessions=500")
	env := &ui.Env{Now: time.Now, Interrupt: make(chan os.Signal, 1)}
	h := New(env, "running", 1)
	defer h.Close()
	h.Workers = 3
	err := h.Population(p, false, func(shard int) string {
		if shard == 8 {
			h.Stop.fire(os.Interrupt)
		}
		return "x"
	})
	if err != nil || !h.Stop.Has() || p.Totals.Runs == 0 || p.Totals.Runs > 8 {
		t.Fatalf("%v: %d shards are over", err, p.Totals.Runs)
	}
	q, _ := population(t, 1, recorded, fmt.Sprintf("population.sessions=%d", p.Sessions))
	if p.Digest() != q.Digest() || p.Totals.Total != q.Totals.Total {
		t.Errorf("%d sessions: %s, run by themselves: %s", p.Sessions, p.Digest(), q.Digest())
	}
}

func storedInOrder(t *testing.T) {
	for name, seeds := range map[string]int{"hello": 60, "custom-agents": 3} { // order: each is a case of its own
		var files, figures []string
		for _, workers := range []int{1, 5} {
			text, cells := swept(t, name, seeds, workers)
			files, figures = append(files, text), append(figures, cells)
		}
		if files[0] != files[1] {
			t.Errorf("%s: one worker and five leave different databases", name)
		}
		if figures[0] != figures[1] {
			t.Errorf("%s: one worker:\n%s\nfive:\n%s", name, figures[0], figures[1])
		}
	}
}

// swept sweeps a scenario of the library under a clock that stays where it is.
func swept(t *testing.T, name string, seeds, workers int) (database, cells string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	w := sweptInto(t, path, name, seeds, still(workers))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), fmt.Sprintf("%+v", w.Cells)
}

// sweptInto sweeps into a database by a harness, which it closes.
func sweptInto(t *testing.T, path, name string, seeds int, h *Harness) *Sweep {
	t.Helper()
	defer h.Close()
	file, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	store, err := NewStore(db, h.Now)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewSweep(&Maker{File: file}, file.VariantNames(), seeds)
	if err != nil {
		t.Fatal(err)
	}
	h.Recorder = store
	if err := h.Sweep(w); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	runs, err := db.Runs()
	if err != nil || len(runs) != w.Ran() || len(runs) != seeds*len(w.Cells) {
		t.Fatalf("%s: %d runs, %v", name, len(runs), err)
	}
	return w
}

const endless = `agentsim: 1
name: endless
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
lab:
  retry: {max: 1_000_000_000, base: 1ms, cap: 1ms}
  faults: ["529"]
  limits: {steps: 1_000_000_000}
`

// interruptAll begins two runs that never end by themselves, of four.
func interruptAll(t *testing.T) {
	file, err := scenarios.Parse("endless.yaml", []byte(endless))
	if err != nil {
		t.Fatal(err)
	}
	signals := make(chan os.Signal, 1)
	h := New(&ui.Env{Now: time.Now, Interrupt: signals}, "running", 4)
	defer h.Close()
	h.Workers, h.NoAudit = 2, true
	m, begun, ended := &Maker{File: file}, 0, 0
	err = h.Run(4, func(int) (*Job, error) {
		specs, err := m.Specs([]string{""})
		if err != nil {
			return nil, err
		}
		if begun++; begun == 2 {
			signals <- os.Interrupt
		}
		return m.Job(specs[0]), nil
	}, func(_ int, r *Run) error {
		if ended++; r.Result.Outcome != sim.Interrupted {
			t.Errorf("a run ended as %s", r.Result.Outcome)
		}
		return nil
	})
	if err != nil || begun == 4 || ended != begun {
		t.Errorf("%d begun, %d ended, %v", begun, ended, err)
	}
}

// wide notes how many runs go on that have had more than two agents.
type wide struct {
	at, most *atomic.Int32
	agents   int
}

func (w *wide) Emit(e *transcript.Event) {
	switch e.Body.(type) {
	case *transcript.AgentStart:
		if w.agents++; w.agents == 3 {
			n := w.at.Add(1)
			w.most.Store(max(w.most.Load(), n))
			for start := time.Now(); time.Since(start) < 50*time.Millisecond && w.most.Load() < 2; {
				runtime.Gosched() // others may get there
			}
		}
	case *transcript.RunEnd:
		if w.agents >= 3 {
			w.at.Add(-1)
		}
	}
}

func oneWide(t *testing.T) {
	file, err := scenarios.Open("fan-out")
	if err != nil {
		t.Fatal(err)
	}
	for many, want := range map[int]int32{2: 1, 1000: 2} { // order: each is a case of its own
		h := New(&ui.Env{Now: time.Now}, "running", 2)
		defer h.Close()
		h.Workers, h.many = 2, many
		m, at, most := &Maker{File: file}, atomic.Int32{}, atomic.Int32{}
		err := h.Run(2, func(int) (*Job, error) {
			specs, err := m.Specs(file.VariantNames()[:1])
			if err != nil {
				return nil, err
			}
			j := m.Job(specs[0])
			j.Sinks = append(j.Sinks, &wide{at: &at, most: &most})
			return j, nil
		}, func(_ int, r *Run) error {
			if r.Result.Outcome != sim.Completed {
				t.Errorf("a run ended as %s", r.Result.Outcome)
			}
			return nil
		})
		if err != nil || most.Load() != want {
			t.Errorf("one at a time from %d processes: %d at once, want %d, %v", many, most.Load(), want, err)
		}
	}
}
