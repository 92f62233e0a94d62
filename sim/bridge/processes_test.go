package bridge_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/bridge"
	"agentsim/sim/bridge/session"
	"agentsim/sim/gate"
	"agentsim/sim/kernel"
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// TestMain is the session's process too: its last word is the id.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "session" {
		if err := asSession(os.Args[len(os.Args)-1]); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func asSession(id string) error {
	f, err := scenarios.Parse("asks.yaml", []byte(asks))
	if err != nil {
		return err
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		return err
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		return err
	}
	x, err := session.New(spec, id, os.Getenv(bridge.TokenVariable))
	if err != nil {
		return err
	}
	return x.Serve(os.Stdin, os.Stdout)
}

const asks = `agentsim: 1
name: asks
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Write., system: {tokens: 3_000}, tools: [Bash]}
  answers:
    - {agent: main, turns: [{run: "echo one > x"}, {run: "echo two > y"}, {say: Both.}, {run: "echo three > z"}, {say: That too.}]}
lab: {permissions: {mode: default}}
`

// recorder keeps the processes that were started.
type recorder struct {
	start bridge.Start
	all   []*child
}

func (r *recorder) run(id, dir, token string) (bridge.Runner, error) {
	x, err := r.start(id, dir, token)
	if err == nil {
		r.all = append(r.all, x.(*child))
	}
	return x, err
}

// left are the processes that were not waited for or go on, those that they started, and
// files of this process that are open and were not before.
func (r *recorder) left(t *testing.T, before int) {
	t.Helper()
	for _, c := range r.all {
		for n := 0; !c.ended || runs(t, c.cmd.Process.Pid); n++ {
			if n == 200 {
				t.Errorf("process %d, or one that it started, is left", c.cmd.Process.Pid)
				break
			}
			time.Sleep(10 * time.Millisecond) // a killed one takes a moment to end
		}
	}
	if now := openFiles(t); now > before {
		t.Errorf("%d files are open, %d were", now, before)
	}
}

// runs reports whether any process of a group does.
func runs(t *testing.T, group int) bool {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		stat, _ := os.ReadFile(name) // it may have ended since
		if f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); len(f) > 2 && f[0] != "Z" && f[2] == strconv.Itoa(group) {
			return true
		}
	}
	return false
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	return len(list)
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &recorder{start: starter(program, "session")}
}

func TestProcesses(t *testing.T) {
	o := bridge.Options{Config: bridge.Config{Mode: bridge.SameDir, Token: "outer", Gates: gate.Default()}, Sessions: 32, Key: rng.Root(1)}
	o.Gates.BridgeMultiSession = true
	o.Messages, o.Thinks, o.Link = []string{"Write.", "And a third."}, 4*vtime.Minute, 50*vtime.Millisecond
	second := vtime.Instant(vtime.Second)
	t.Run("BRG-02 BRG-05 BRG-07 32 sessions in real processes, one killed, a late refresh, a control plane that goes and returns: nothing lost, nothing left running", func(t *testing.T) {
		o, r, before := o, newRecorder(t), openFiles(t)
		o.Life, o.Slow = 6*vtime.Minute, 10*vtime.Minute // requests from 8 to 11 minutes wait
		o.Away = []bridge.Away{{From: 20 * second, To: 90 * second}}
		o.Kill = []vtime.Instant{100 * second}
		out, err := bridge.Play(o, r.run)
		if err != nil {
			t.Fatal(err)
		}
		processes, tokens := 0, 0
		for _, s := range out.Sessions {
			processes, tokens = processes+s.Attempts, tokens+s.Tokens
			if s.Status != bridge.Completed || s.Asked != 3 || s.Refused != 0 || s.Ended != 1 || s.Last.Summary != "That too." {
				t.Errorf("%+v", s)
			}
		}
		if processes != 33 || len(r.all) != 33 || tokens < 32 || out.End < 14*60*second {
			t.Errorf("%d processes, %d tokens, ended at %s\n%s", processes, tokens, out.End, strings.Join(out.Log, "\n"))
		}
		r.left(t, before)
	})
	t.Run("BRG-06 processes of sessions that take too long end by TERM, one that ignores it by KILL", func(t *testing.T) {
		o, r, before := o, newRecorder(t), openFiles(t)
		o.Sessions, o.TimeOut, o.Life = 2, vtime.Minute, vtime.Hour
		deaf := starter("/bin/sh", "-c", `trap "" TERM; read x; echo '{"type":"system","subtype":"session_state_changed"}'; while :; do read x || sleep 0.05; done`)
		start := r.start
		r.start = func(id, dir, token string) (bridge.Runner, error) {
			if id == "s2" {
				return deaf(id, dir, token)
			}
			return start(id, dir, token)
		}
		out, err := bridge.Play(o, r.run)
		if err != nil || out.Sessions[0].Status != bridge.TimedOut || out.Sessions[1].Status != bridge.TimedOut {
			t.Fatal(err, out)
		}
		for i, want := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			if got := r.all[i].cmd.ProcessState.Sys().(syscall.WaitStatus); got.Signal() != want {
				t.Errorf("process %d ended by %s, not %s", i, got.Signal(), want)
			}
		}
		r.left(t, before)
	})
	t.Run("BRG-01 a bridge that fails leaves no process: one that speaks nonsense, one that cannot start, a run that ends early", func(t *testing.T) {
		o, r, before := o, newRecorder(t), openFiles(t)
		o.Sessions, o.Life = 4, vtime.Hour
		start := r.start
		r.start = func(id, dir, token string) (bridge.Runner, error) {
			switch id {
			case "s2":
				return starter("/bin/sh", "-c", "echo hm; sleep 60")(id, dir, token)
			case "s3":
				return starter("/bin/false")(id, dir, token)
			case "s4":
				return starter(filepath.Join(t.TempDir(), "none"))(id, dir, token)
			}
			return start(id, dir, token)
		}
		out, err := bridge.Play(o, r.run)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bridge.Row{{Status: bridge.Completed, Attempts: 1}, {Status: bridge.Failed, Attempts: 3}, {Status: bridge.Failed, Attempts: 3}, {Status: bridge.Failed, Attempts: 3}} {
			if got := out.Sessions[i]; got.Status != want.Status || got.Attempts != want.Attempts {
				t.Errorf("%+v", got)
			}
		}
		r.left(t, before)
		o.Stop = 20 * second
		if _, err := bridge.Play(o, r.run); err != nil {
			t.Fatal(err)
		}
		o.Policy, r.start = broken{}, start
		func() {
			defer func() { _ = recover() }()
			_, err = bridge.Play(o, r.run)
		}()
		if err == nil {
			t.Error("the broken run has no error")
		}
		r.left(t, before)
	})
}

// broken is a policy that fails where a process has been started and others run.
type broken struct{}

func (broken) Name() string     { return "broken" }
func (broken) Choices() []int32 { return nil }
func (broken) Choose(n int, ready func(int) *kernel.Proc) int {
	for i := range n {
		if strings.HasPrefix(ready(i).Name(), "process of s4") {
			panic("broken")
		}
	}
	return 0
}
