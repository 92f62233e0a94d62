package sim_test

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"

	"agentsim/sim"
	"agentsim/sim/transcript"
)

// A setting of the machine under which a run must not change.
type setting struct {
	name  string
	procs int
	gc    int // percent, as debug.SetGCPercent takes it
}

var machineSettings = []setting{{"one processor, much garbage collection", 1, 5}, {"four processors, none", 4, -1}}

// verify runs a spec once under each of two settings of the Go runtime and
// compares (KRN-08). The difference is nil when both runs gave the same events;
// an error is a run that could not be made, or one that breaks an invariant.
func verify(spec *sim.Spec) (*transcript.Difference, error) {
	var digests [2]string
	for i, s := range machineSettings {
		res, err := s.run(spec, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		digests[i] = res.Digest
	}
	if digests[0] == digests[1] {
		return nil, nil
	}
	return machineSettings[1].compare(spec, machineSettings[0].lines(spec))
}

// run runs the spec under the setting and puts the runtime back as it was.
func (s setting) run(spec *sim.Spec, sink transcript.Sink) (*sim.Result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(s.procs))
	defer debug.SetGCPercent(debug.SetGCPercent(s.gc))
	var opt sim.Options
	if sink != nil {
		opt.Sinks = []transcript.Sink{sink}
	}
	res, err := sim.Run(spec, opt)
	if err == nil {
		err = res.Audit.Err()
	}
	return res, err
}

// lines are a run's canonical lines.
func (s setting) lines(spec *sim.Spec) iter.Seq2[string, error] {
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

func (s setting) compare(spec *sim.Spec, want iter.Seq2[string, error]) (*transcript.Difference, error) {
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
