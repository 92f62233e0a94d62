package kernel

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/sim/vtime"
)

// TestConformance tells the stories of testdata. Commands:
//
//	kernel [policy=P] [seed=N] [steps=N] [time=D] [procs=N] [queue=N]   a new world
//	program NAME      define a program for a later spawn
//	start NAME        define a program and spawn it
//	run               run; print the trace and how the run ended
//	close             tear down; print what the processes still did
//	timers | choices  print what the heap holds, what the policy chose
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			w := newWorld(Options{})
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				if d.Cmd == "kernel" {
					w = worldOf(t, d)
					return ""
				}
				return w.command(t, d)
			})
		})
	}
}

func worldOf(t *testing.T, d *datadriven.TestData) *world {
	policy, seed, span := "fifo", uint64(0), "0s"
	var l Limits
	d.MaybeScanArgs(t, "policy", &policy)
	d.MaybeScanArgs(t, "seed", &seed)
	d.MaybeScanArgs(t, "steps", &l.Steps)
	d.MaybeScanArgs(t, "procs", &l.Procs)
	d.MaybeScanArgs(t, "queue", &l.Queue)
	d.MaybeScanArgs(t, "time", &span)
	var err error
	if l.Time, err = vtime.ParseDuration(span); err != nil {
		d.Fatalf(t, "%v", err)
	}
	return newWorldNamed(policy, seed, l)
}

func (w *world) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "program":
		w.define(d.CmdArgs[0].Key, d.Input)
		return ""
	case "start":
		w.define(d.CmdArgs[0].Key, d.Input)
		w.spawn(d.CmdArgs[0].Key)
		return ""
	case "run":
		return w.outcome(w.k.Run())
	case "close":
		w.k.Close()
		return w.take()
	case "timers":
		return fmt.Sprintln(w.k.timers.len())
	case "choices":
		return fmt.Sprintln(w.k.policy.Choices())
	}
	d.Fatalf(t, "no such command: %s", d.Cmd)
	return ""
}

func (w *world) outcome(err error) string {
	if err == nil {
		return w.take() + "= ok\n"
	}
	return w.take() + "= " + err.Error() + "\n"
}
