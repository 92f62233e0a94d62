package cluster

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var program, server string

func TestMain(m *testing.M) {
	if emptyLoop() {
		return
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // they wait for most of their time
	os.Exit(func() int {
		program = os.Getenv("AGENTSIM_PROGRAM")
		if program == "" {
			fmt.Fprintln(os.Stderr, "AGENTSIM_PROGRAM names no program: run make cluster")
			return 1
		}
		dir, err := os.MkdirTemp("", "cluster")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		server = filepath.Join(dir, "nats-server")
		if out, err := exec.Command("go", "build", "-o", server, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
			return 1
		}
		return m.Run()
	}())
}

// process is a program that goes on.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan struct{}
	mu   sync.Mutex
	out  bytes.Buffer // both streams
}

// Write keeps what the process prints.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *process) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// start starts a program, which the test's end kills.
func start(t *testing.T, dir, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, p, p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill kills it, whatever it does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// saw waits until it has printed a text.
func (p *process) saw(text string, patience time.Duration) {
	p.t.Helper()
	for since := time.Now(); !strings.Contains(p.printed(), text); time.Sleep(20 * time.Millisecond) {
		if time.Since(since) > patience {
			p.t.Fatalf("after %s %s has not printed %q but\n%s", patience, filepath.Base(p.cmd.Path), text, p.printed())
		}
	}
}

// ended waits for its end, and gives its code.
func (p *process) ended(patience time.Duration) int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("after %s %s has not ended but printed\n%s", patience, filepath.Base(p.cmd.Path), p.printed())
	}
	return p.cmd.ProcessState.ExitCode()
}

// agentsim runs a command to its end, which must be a good one.
func agentsim(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), 5*time.Minute)
	defer done()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, told bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &told
	if err := cmd.Run(); err != nil {
		t.Fatalf("agentsim %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), told.String())
	}
	words := out.String()
	if i := slices.Index(args, "--nats"); i >= 0 { // a command that is printed to be run next has it
		words = strings.ReplaceAll(words, " --nats "+args[i+1], "")
	}
	return words, told.String()
}

// servers are NATS servers on this machine, one or three that form a cluster.
type servers struct {
	t       *testing.T
	urls    string
	options [][]string
	running []*process
}

// port is one that is free, and below those that connections take for themselves.
func port(t *testing.T) int {
	t.Helper()
	for range 100 {
		n := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", n)); err == nil {
			_ = l.Close()
			return n
		}
	}
	t.Fatal("no port is free")
	return 0
}

func serve(t *testing.T, n int, options ...string) *servers {
	t.Helper()
	s := &servers{t: t}
	var clients, routes []int
	for range n {
		clients, routes = append(clients, port(t)), append(routes, port(t))
	}
	for i := range n {
		o := append([]string{"-js", "-a", "127.0.0.1", "-p", fmt.Sprint(clients[i]), "-sd", filepath.Join(t.TempDir(), "js")}, options...)
		if n > 1 {
			o = append(o, "--name", fmt.Sprint("n", i), "--cluster_name", "c", "--cluster", fmt.Sprint("nats://127.0.0.1:", routes[i]),
				"--routes", fmt.Sprint("nats://127.0.0.1:", routes[(i+1)%n]))
		}
		s.options = append(s.options, o)
		s.running = append(s.running, start(t, t.TempDir(), server, o...))
		s.urls += fmt.Sprintf(",nats://127.0.0.1:%d", clients[i])
	}
	s.urls = s.urls[1:]
	for i := range n {
		s.running[i].saw("Server is ready", 30*time.Second)
	}
	if n > 1 {
		s.ready()
	}
	return s
}

// ready waits until the cluster answers.
func (s *servers) ready() {
	s.t.Helper()
	conn, err := nats.Connect(s.urls, nats.MaxReconnects(-1))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		s.t.Fatal(err)
	}
	for since := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		ctx, done := context.WithTimeout(context.Background(), time.Second)
		_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "READY", Replicas: len(s.running)})
		done()
		if err == nil {
			return
		}
		if time.Since(since) > time.Minute {
			s.t.Fatal(err)
		}
	}
}

// restart kills a server and starts it again on what it stored.
func (s *servers) restart(i int, after time.Duration) {
	s.running[i].kill()
	time.Sleep(after)
	s.running[i] = start(s.t, s.t.TempDir(), server, s.options[i]...)
}

// empty sees that nothing lies at the server any more.
func (s *servers) empty() {
	s.t.Helper()
	js, ctx := queued(s.t, s), context.Background()
	for _, name := range []string{"AGENTSIM_TASKS", "AGENTSIM_RESULTS"} {
		stream, err := js.Stream(ctx, name)
		if err != nil {
			s.t.Fatal(err)
		}
		if n := stream.CachedInfo().State.Msgs; n > 0 {
			s.t.Errorf("%d messages of %s lie at the server", n, name)
		}
	}
	inputs, err := js.ObjectStore(ctx, "agentsim-inputs")
	if err != nil {
		s.t.Fatal(err)
	}
	if list, err := inputs.List(ctx); !errors.Is(err, jetstream.ErrNoObjectsFound) {
		s.t.Errorf("%d inputs lie at the server: %v", len(list), err)
	}
}

func (s *servers) worker(args ...string) *process {
	s.t.Helper()
	p := start(s.t, s.t.TempDir(), program, append([]string{"worker", "--nats", s.urls}, args...)...)
	p.saw("worker at", time.Minute)
	return p
}

// same holds what a sweep left against what it left on one machine: what it printed, the
// runs in its file, and that their rows are whole.
func same(t *testing.T, here, there string, printedHere, printedThere string) {
	t.Helper()
	if printedHere != printedThere {
		t.Errorf("printed on one machine\n%s\nand with workers\n%s", printedHere, printedThere)
	}
	runs := func(dir string) string {
		out, _ := agentsim(t, dir, "inspect", "--db", "x.db", "-o", "csv")
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		began := slices.Index(rows[0], "last_started")
		for i := range rows {
			rows[i] = slices.Delete(rows[i], began, began+1)
		}
		slices.SortFunc(rows, slices.Compare) // they are listed by when they began
		return fmt.Sprint(rows)
	}
	if a, b := runs(here), runs(there); a != b || len(a) < 1000 {
		t.Errorf("the files differ: runs come to %d and %d bytes", len(a), len(b))
	}
	agentsim(t, there, "lab", "db", "check", "--db", "x.db")
}
