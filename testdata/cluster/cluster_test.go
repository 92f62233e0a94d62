package cluster

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// asked is a number from the environment, as make cluster gives it.
func asked(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

var lone sync.Map // by the number of seeds

// alone is a sweep and what it leaves on one machine, once for all who ask: the directory,
// of which nothing may be changed, and what was printed.
func alone(t *testing.T, seeds string) (sweep []string, here, printed string) {
	t.Helper()
	sweep = []string{"sweep", "nested", "--seeds", seeds, "--db", "x.db"}
	made, _ := lone.LoadOrStore(seeds, sync.OnceValues(func() (string, string) {
		dir := filepath.Join(filepath.Dir(server), seeds)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		printed, _ := agentsim(t, dir, sweep...)
		return dir, printed
	}))
	here, printed = made.(func() (string, string))()
	return sweep, here, printed
}

// endless is a run that does not end by itself.
const endless = `agentsim: 1
name: endless
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
lab:
  retry: {max: 1_000_000_000, base: 1ms, cap: 1ms}
  faults: ["529"]
  limits: {steps: 1_000_000_000, time: 87600h}
`

func TestCluster(t *testing.T) {
	t.Run("CLU-03 CLU-01 kills of workers and servers leave what one machine leaves", killed)
	t.Run("CLU-03 a run that kills its workers is given up and named", poisoned)
	t.Run("CLU-03 a run that is too slow is ended and named", slow)
	t.Run("CLU-02 a worker that is stopped hands its task on at once", stopped)
	t.Run("CLU-03 CLU-02 an interrupted command goes on from what workers did", interrupted)
	t.Run("CLU-03 a full disk ends the command, and it goes on", full)
	t.Run("CLU-03 a server that goes and returns is waited for", away)
	t.Run("CLU-03 tasks that were lost are asked for again", healed)
	t.Run("CLU-03 tasks that a server keeps for nobody are asked for again", forgotten)
	t.Run("CLU-02 a worker that died is missed", lonely)
	t.Run("CLU-03 a server that returns without its store is taken again", wiped)
	t.Run("CLU-02 who waits behind others is told, and what nobody waits for can be removed", behind)
	t.Run("CLU-02 a worker of another version takes nothing and says so", others)
	t.Run("CLU-01 a population and a bench are those of one machine", alike)
	t.Run("CLU-04 workers share a list from its beginning", shared)
	t.Run("CLU-03 a server without room is waited for, and who asked is told", crowded)
	t.Run("CLU-05 what arrives is held against its hash, its build and its size", tampered)
	t.Run("CLU-05 a server that lets nobody in says why", shut)
	t.Run("CLU-05 who asks shows a token, over TLS", secured)
	t.Run("CLU-05 who asks shows a file of credentials", credited)
}

func killed(t *testing.T) {
	t.Parallel()
	runs, kills := asked("RUNS", 2_000), asked("KILLS", 3)
	here, there := t.TempDir(), t.TempDir()
	sweep := []string{"sweep", "nested", "--seeds", fmt.Sprint((runs + 2) / 3), "--db", "x.db"}
	began := time.Now()
	printed, _ := agentsim(t, here, sweep...)
	alone := time.Since(began)
	s := serve(t, 3)
	workers := make([]*process, 3)
	for i := range workers {
		workers[i] = s.worker("--workers", "1")
	}
	defer func() {
		if t.Failed() {
			for _, w := range workers {
				t.Log(w.printed())
			}
		}
	}()
	began = time.Now()
	c := start(t, there, program, append(sweep, "--nats", s.urls)...)
	killing := sync.WaitGroup{}
	killing.Add(1)
	go func() {
		defer killing.Done()
		pause := alone / time.Duration(kills+1)
		for n := range kills {
			select {
			case <-c.done:
				t.Errorf("the sweep was over after %d of %d kills", n, kills)
				return
			case <-time.After(time.Duration(rand.Int64N(int64(2 * pause)))):
			}
			if i := rand.IntN(4); i < 3 {
				workers[i].kill()
				workers[i] = start(t, t.TempDir(), program, "worker", "--nats", s.urls, "--workers", "1")
			} else {
				s.restart(rand.IntN(3), 0)
			}
		}
	}()
	if runs > 10_000 {
		killing.Wait()
	}
	code := c.ended(3 * time.Minute)
	killing.Wait()
	if code != 0 {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	t.Logf("%d runs, %d kills: %.1f s, on one machine alone %.1f s", runs, kills, time.Since(began).Seconds(), alone.Seconds())
	same(t, here, there, printed, answer(c.printed()))
}

// answer is what a command printed, without what it told on the side.
func answer(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "nats://") && !strings.HasPrefix(line, "list ") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func poisoned(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	if err := os.WriteFile(dir+"/e.yaml", []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, program, "sweep", "e.yaml", "--nats", s.urls)
	for range 3 {
		w := s.worker("--workers", "1")
		w.saw("1 run of endless", time.Minute)
		time.Sleep(100 * time.Millisecond)
		w.kill()
	}
	last := s.worker("--workers", "1")
	if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), "endless with seed 42: 3 workers died while they ran it") {
		t.Errorf("code %d\n%s", code, c.printed())
	}
	if strings.Contains(last.printed(), "left to others") {
		t.Error(last.printed())
	}
	// What was done stays, and the queue is free for others.
	agentsim(t, dir, "sweep", "hello", "--seeds", "3", "--nats", s.urls)
}

func slow(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	if err := os.WriteFile(dir+"/e.yaml", []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	s.worker("--longest", "1s")
	c := start(t, dir, program, "sweep", "e.yaml", "--nats", s.urls)
	if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), "endless with seed 42: it took worker ") || !strings.Contains(c.printed(), "more than 1s") {
		t.Errorf("code %d\n%s", code, c.printed())
	}
}

func stopped(t *testing.T) {
	t.Parallel()
	s, dir := serve(t, 1), t.TempDir()
	if err := os.WriteFile(dir+"/e.yaml", []byte(endless), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, program, "sweep", "e.yaml", "--nats", s.urls)
	for range 4 { // more than may die of it
		w := s.worker()
		w.saw("1 run of endless", 5*time.Second)
		time.Sleep(100 * time.Millisecond)
		_ = w.cmd.Process.Signal(syscall.SIGTERM)
		if code := w.ended(5 * time.Second); code != 143 || !strings.Contains(w.printed(), "0 runs carried out") {
			t.Fatalf("code %d\n%s", code, w.printed())
		}
	}
	s.worker("--longest", "1s")
	if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), "more than 1s") {
		t.Errorf("code %d\n%s", code, c.printed())
	}
}

func interrupted(t *testing.T) {
	t.Parallel()
	s, there := serve(t, 1), t.TempDir()
	sweep, here, printed := alone(t, "600")
	w := s.worker()
	c := start(t, there, program, append(sweep, "--nats", s.urls)...)
	w.saw("1,797 runs of nested", time.Minute)
	time.Sleep(700 * time.Millisecond)
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	if code := c.ended(time.Minute); code != 130 {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	time.Sleep(time.Second) // the worker goes on meanwhile
	out, told := agentsim(t, there, append(sweep, "--nats", s.urls)...)
	// The list of first seeds was over: asked for anew, it would wait behind the other one.
	if strings.Count(told, "going on with what workers have done") != 2 {
		t.Error(told)
	}
	same(t, here, there, printed, out)
	// A population has no file: what it came to lies at the server until all of it is over,
	// that of variants that are over as well.
	crowd := []string{"run", "explore-at-scale", "--variant", "omitted", "--variant", "short-md", "--record", "none", "--set", "population={sessions:6000,workspace:5,shard:10}"}
	whole, _ := agentsim(t, there, crowd...)
	c = start(t, there, program, append(crowd, "--nats", s.urls)...)
	for since := time.Now(); strings.Count(w.printed(), "600 runs of explore-at-scale") < 2; time.Sleep(20 * time.Millisecond) {
		if time.Since(since) > time.Minute {
			t.Fatal(w.printed(), c.printed())
		}
	}
	time.Sleep(300 * time.Millisecond)
	_ = c.cmd.Process.Signal(syscall.SIGINT)
	if code := c.ended(time.Minute); code != 130 || !strings.Contains(c.printed(), "600 shards; the same command goes on from what workers have done") {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	out, told = agentsim(t, there, append(crowd, "--nats", s.urls)...)
	if out != whole || strings.Count(told, "going on with what workers have done") != 2 || strings.Contains(told, "a second") {
		t.Errorf("%s\n%s\nwhole\n%s", told, out, whole)
	}
	s.empty()
}

func full(t *testing.T) {
	t.Parallel()
	s, there := serve(t, 1), t.TempDir()
	sweep, here, printed := alone(t, "400")
	s.worker()
	// No file of the collector may grow beyond 300 KB.
	c := start(t, there, "sh", "-c", `trap '' XFSZ; ulimit -f 600; exec "$@"`, "sh", program, sweep[0], sweep[1], sweep[2], sweep[3], sweep[4], sweep[5], "--nats", s.urls)
	if code := c.ended(time.Minute); code != 1 || !strings.Contains(c.printed(), "x.db") {
		t.Fatalf("code %d\n%s", code, c.printed())
	}
	out, _ := agentsim(t, there, append(sweep, "--nats", s.urls)...)
	same(t, here, there, printed, out)
}

func away(t *testing.T) {
	t.Parallel()
	s, there := serve(t, 1), t.TempDir()
	sweep, here, printed := alone(t, "600")
	w := s.worker()
	c := start(t, there, program, append(sweep, "--nats", s.urls)...)
	w.saw("1,797 runs of nested", time.Minute)
	time.Sleep(300 * time.Millisecond)
	s.restart(0, 3*time.Second)
	if code := c.ended(2 * time.Minute); code != 0 || !strings.Contains(c.printed(), "is away; waiting for it") || !strings.Contains(w.printed(), "is there again") {
		t.Fatalf("code %d\n%s%s", code, c.printed(), w.printed())
	}
	same(t, here, there, printed, answer(c.printed()))
}
