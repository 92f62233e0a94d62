package cli

import (
	"bufio"
	"fmt"
	"os"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
)

// hostProject reads a directory of this machine, nil for none.
func (s *State) hostProject(dir string) (*workspace.Snapshot, error) {
	if dir == "" {
		return nil, nil
	}
	files, refused, err := hostdir.Read(dir, hostdir.Limits{})
	if err != nil {
		return nil, &Failure{Operating, err}
	}
	if refused.Total() > 0 {
		fmt.Fprintf(s.Stderr, "%s: %s taken, left out: %s\n", dir, plural(files.Len(), "file"), refused)
	}
	return files, nil
}

// runAll runs the variants one after another. It stops at one that did not
// finish because of an interrupt; limits and deadlocks are results like others.
func (s *State) runAll(file *scenarios.File, specs []*sim.Spec, rec *recorder, o *runOptions) ([]executed, error) {
	events, err := createEvents(o.events)
	if err != nil {
		return nil, err
	}
	defer events.close()
	watch := watched(file)
	var done []executed
	for _, spec := range specs {
		x, err := s.execute(spec, rec, watch, events, o)
		if err != nil {
			return nil, err
		}
		done = append(done, x)
		if x.result.Outcome == sim.Interrupted {
			break
		}
	}
	return done, events.close()
}

// watched lists the single calls that expectations speak of.
func watched(file *scenarios.File) (out []string) {
	for _, x := range file.Expect {
		for _, side := range [...]scenarios.Side{x.Left, x.Right} {
			if side.Subject != "" {
				out = append(out, side.Subject)
			}
		}
	}
	return out
}

// execute runs one spec into the fold, the record and the list of events.
func (s *State) execute(spec *sim.Spec, rec *recorder, watch []string, events *eventFile, o *runOptions) (executed, error) {
	fold := metrics.New(metrics.Options{Items: len(spec.Scenario.Work), Watch: watch, Tokens: countTokens})
	sinks := []transcript.Sink{fold}
	w, err := rec.begin(spec, s.Now())
	if err != nil {
		return executed{}, err
	}
	if w != nil {
		sinks = append(sinks, w)
	}
	if events != nil {
		sinks = append(sinks, transcript.Lines(events.text))
	}
	opt, stop := s.underInterrupt(o.repeat(spec))
	opt.Sinks = sinks
	res, err := sim.Run(spec, opt)
	stop()
	if err != nil {
		rec.crashed(w, err, s.Now())
		return executed{}, err
	}
	x := executed{spec, res, fold.Run()}
	return x, rec.finish(w, x, s.Now())
}

// onInterrupt calls interrupt once SIGINT arrives, until stop is called.
func (s *State) onInterrupt(interrupt func()) (stop func()) {
	if s.Interrupt == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		select {
		case <-s.Interrupt:
			interrupt()
		case <-done:
		}
	}()
	return func() { close(done) }
}

// countTokens counts a prefix as the model's approximate counter does, hidden
// tool tokens included.
func countTokens(model string, n *llm.Node) int64 {
	var o tokens.Options
	if p, err := cachemodel.Lookup(model); err == nil {
		o.Hidden = tokens.Hidden{Auto: p.HiddenAuto, Forced: p.HiddenForced}
	}
	return tokens.For(model, o).At(n)
}

// eventFile takes the canonical text of events.
type eventFile struct {
	name string
	file *os.File
	buf  *bufio.Writer
	text *transcript.Text
}

// createEvents opens the file that --events names; nil for none.
func createEvents(name string) (*eventFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, failf(Operating, "--events %s: %w", name, err)
	}
	buf := bufio.NewWriter(f)
	return &eventFile{name, f, buf, transcript.NewText(buf)}, nil
}

// close writes what is left; it may be called twice.
func (e *eventFile) close() error {
	if e == nil || e.file == nil {
		return nil
	}
	err := e.text.Err()
	if flush := e.buf.Flush(); err == nil {
		err = flush
	}
	if shut := e.file.Close(); err == nil {
		err = shut
	}
	e.file = nil
	if err != nil {
		return failf(Operating, "--events %s: %w", e.name, err)
	}
	return nil
}
