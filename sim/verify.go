package sim

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"

	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
)

// A setting of the machine under which a run must not change.
type setting struct {
	name  string
	procs int
	gc    int // percent, as debug.SetGCPercent takes it
}

var settings = []setting{{"one processor, much garbage collection", 1, 5}, {"four processors, none", 4, -1}}

// Verify runs a spec once under each of two settings of the Go runtime and
// compares (KRN-08). The difference is nil when both runs gave the same events;
// an error is a run that could not be made, or one that breaks an invariant.
func Verify(spec *Spec) (*transcript.Difference, error) {
	var digests [2]string
	for i, s := range settings {
		res, err := s.run(spec, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		digests[i] = res.Digest
	}
	if digests[0] == digests[1] {
		return nil, nil
	}
	return settings[1].compare(spec, settings[0].lines(spec))
}

// run runs the spec under the setting and puts the runtime back as it was.
func (s setting) run(spec *Spec, sink transcript.Sink) (*Result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.procs))
	defer debug.SetGCPercent(debug.SetGCPercent(s.gc))
	var opt Options
	if sink != nil {
		opt.Sinks = []transcript.Sink{sink}
	}
	res, err := Run(spec, opt)
	if err == nil {
		err = res.Audit.Err()
	}
	return res, err
}

// lines are a run's canonical lines.
func (s setting) lines(spec *Spec) iter.Seq2[string, error] {
	var all keep
	_, err := s.run(spec, &all)
	return func(yield func(string, error) bool) {
		for _, line := range all.lines {
			if !yield(line, nil) {
				return
			}
		}
		if err != nil {
			yield("", err)
		}
	}
}

func (s setting) compare(spec *Spec, want iter.Seq2[string, error]) (*transcript.Difference, error) {
	check := transcript.NewCheck(want)
	if _, err := s.run(spec, check); err != nil {
		_, _ = check.Finish()
		return nil, err
	}
	return check.Finish()
}

// keep is a sink that holds every line; only a run that has already been found
// to differ pays for it.
type keep struct {
	lines []string
	buf   []byte
}

// Emit keeps the event's line.
func (k *keep) Emit(e *transcript.Event) {
	k.buf = transcript.AppendLine(k.buf[:0], e)
	k.lines = append(k.lines, string(k.buf))
}

// Replay runs a spec and compares it with the recorded lines of an earlier run
// (REC-04). The difference is nil when every event is the same. At a difference,
// also where a record that was cut short ends, the run is interrupted: nothing
// behind it would be compared.
func Replay(spec *Spec, recorded iter.Seq2[string, error], opt Options) (*Result, *transcript.Difference, error) {
	check := &beside{Check: transcript.NewCheck(recorded)}
	opt.Sinks = append([]transcript.Sink{check}, opt.Sinks...)
	listen := opt.OnKernel
	opt.OnKernel = func(k *kernel.Kernel) {
		check.kernel = k
		if listen != nil {
			listen(k)
		}
	}
	res, err := Run(spec, opt)
	diff, readErr := check.Finish()
	if err == nil {
		err = readErr
	}
	return res, diff, err
}

// beside compares a run and interrupts it at the first difference.
type beside struct {
	*transcript.Check
	kernel *kernel.Kernel
}

// Emit compares the event's line.
func (b *beside) Emit(e *transcript.Event) {
	if b.Check.Emit(e); b.Differs() && b.kernel != nil {
		b.kernel.Interrupt()
	}
}
