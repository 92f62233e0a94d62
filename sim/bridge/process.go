package bridge

import (
	"errors"

	"agentsim/sim/kernel"
	"agentsim/sim/vtime"
)

// Runner is a session's process.
type Runner interface {
	// Take gives it a line; what it says to it comes back, a state at last, each line
	// with its instant since the session began. The error is its end.
	Take(line []byte) ([]Line, error)
	// Terminate asks it to end, and reports whether it has.
	Terminate() bool
	// Kill ends it. It leaves nothing behind, and may be called again.
	Kill()
	// Close closes its input and waits for its end.
	Close() error
}

// Start starts the process of a session in a directory, with a token in its environment.
type Start func(session, directory, token string) (Runner, error)

// What ends a process before its input does.
var (
	errTerminated = errors.New("terminated")
	errKilled     = errors.New("killed")
)

// process is a runner on virtual time: what it says, it says at its instants.
type process struct {
	runner Runner
	stdin  *kernel.Mailbox[*Line] // nil is the end of input
	stdout *kernel.Mailbox[*Line] // nil is the end of the process
	proc   *kernel.Proc
	ended  *kernel.Signal
	why    error // nil after the end of its input
}

func newProcess(k *kernel.Kernel, name string, r Runner) *process {
	x := &process{runner: r, stdin: kernel.NewMailbox[*Line](k, "input of "+name), stdout: kernel.NewMailbox[*Line](k, "output of "+name), ended: kernel.NewSignal(k, "end of "+name)}
	x.proc = k.Spawn("process of "+name, func(p *kernel.Proc) error {
		x.why = x.run(p)
		if x.why != nil {
			r.Kill()
		}
		x.ended.Fire()
		return x.stdout.Send(nil)
	})
	return x
}

// run takes lines until the input ends, or the process.
func (x *process) run(p *kernel.Proc) error {
	began := vtime.Instant(-1)
	for {
		l, err := x.stdin.Recv(p)
		if err != nil {
			return err
		}
		if l == nil {
			return x.runner.Close()
		}
		if began < 0 && l.Type == User {
			began = p.Now()
		}
		in := *l
		if began >= 0 {
			in.At = vtime.Instant(p.Now().Sub(began))
		}
		said, gone := x.runner.Take(in.Text())
		for i := range said {
			if at := max(began, 0).Add(vtime.Duration(said[i].At)); at > p.Now() {
				if err := p.SleepUntil(at); err != nil {
					return err
				}
			}
			if err := x.stdout.Send(&said[i]); err != nil {
				return err
			}
		}
		if gone != nil {
			return gone
		}
	}
}

// write gives the process a line; one that has ended does not take it.
func (x *process) write(l *Line) {
	if !x.ended.Fired() {
		_ = x.stdin.Send(l) // a full mailbox ends the run
	}
}

// terminate asks the process to end.
func (x *process) terminate() {
	if !x.ended.Fired() && x.runner.Terminate() {
		x.proc.Abort(errTerminated)
	}
}

// kill ends it.
func (x *process) kill() {
	if !x.ended.Fired() {
		x.runner.Kill()
		x.proc.Abort(errKilled)
	}
}
