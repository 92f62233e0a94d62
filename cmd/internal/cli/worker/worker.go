// Package worker is the command that carries out runs which others ask for.
package worker

import (
	"context"
	"runtime"
	"time"

	"agentsim/cmd/internal/cluster"
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"

	"github.com/spf13/cobra"
)

// options are the flags of worker.
type options struct {
	server  cluster.Server
	workers int
	given   bool // how many
	longest time.Duration
	clear   bool
}

// New makes the command.
func New(s *ui.Env) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "carry out runs that sweep, bench and run ask for on a NATS server",
		Long: `Takes runs from a queue and carries them out, on all cores, until it is interrupted. The queue is NATS with JetStream;
sweep, bench and run put runs there with --nats and collect what they come to, which is to the last digit what they come to on
one machine. Scenarios and projects come from the server, by hash. A worker takes only runs that a program of the same
build asks for, and says so where others wait. It listens to nothing, and may be killed at any time: what it had in
hand is another's after 10 seconds.`,
		Example: `  agentsim worker --nats nats://queue:4222
  agentsim sweep fork-vs-subagent --seeds 200 --nats nats://queue:4222`,
		Args: ui.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = cmd.Flags().Changed("workers")
			return run(s, o)
		},
	}
	f := cmd.Flags()
	o.server.AllFlags(f, "take runs from")
	f.IntVar(&o.workers, "workers", 0, "how many runs go on at a time, each on a core (default: one for each core)")
	f.BoolVar(&o.clear, "clear", false, "remove all lists of runs that lie at the server, and end: who still waits for one asks for it again")
	f.DurationVar(&o.longest, "longest", 10*time.Minute, "how long one run may take before it is given up")
	return cmd
}

func run(s *ui.Env, o *options) error {
	if err := o.server.Check(); err != nil {
		return err
	}
	switch {
	case o.server.URL == "":
		return ui.Failf(ui.Usage, "agentsim worker needs a server: --nats nats://HOST:4222")
	case o.workers < 0 || o.workers == 0 && o.given:
		return ui.Failf(ui.Usage, "--workers %d: write a number from 1 on, or leave it out", o.workers)
	case o.longest <= 0:
		return ui.Failf(ui.Usage, "--longest %s: write a duration, such as 10m", o.longest)
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	runtime.GOMAXPROCS(min(o.workers, runtime.GOMAXPROCS(0))) // other workers have the other cores
	h := harness.New(s, "working", 1)
	defer h.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := h.Stop.On(cancel)
	q, err := cluster.Connect(ctx, s, &o.server)
	done()
	if err != nil {
		return err
	}
	defer q.Close()
	if o.clear {
		n, err := q.Clear(context.Background())
		if err == nil {
			s.Tell("%s removed from %s", ui.Things(int64(n), "list"), o.server.Name())
		}
		return err
	}
	s.Tell("worker at %s: semantics %d, %s, %s at a time", o.server.Name(), sim.Semantics, q.Build(), ui.Things(int64(o.workers), "run"))
	w := &cluster.Worker{Queue: q, Harness: h, Slots: o.workers, Longest: o.longest}
	err = w.Work()
	s.Tell("%s carried out, in %s", ui.Things(w.Runs, "run"), ui.Things(w.Parts, "part"))
	if err == nil && h.Stop.Has() {
		err = ui.Said(ui.Interrupted)
	}
	return err
}
