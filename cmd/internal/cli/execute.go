package cli

import (
	"bufio"
	"errors"
	"fmt"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/workspace"
)

// hostProject reads a directory of this machine, nil for none.
func hostProject(s *ui.Env, dir string) (*workspace.Snapshot, error) {
	if dir == "" {
		return nil, nil
	}
	files, refused, err := hostdir.Read(dir, hostdir.Limits{})
	if err != nil {
		return nil, ui.Fail(ui.Operating, err)
	}
	if refused.Total() > 0 {
		fmt.Fprintf(s.Stderr, "%s: %s taken, left out: %s\n", dir, ui.Plural(files.Len(), "file"), refused)
	}
	tellProblems(s, leftOut(dir, refused))
	return files, nil
}

// runAll runs the variants, each in a kernel of its own, on all cores, and
// returns what came of those that began, in their order. After an interrupt no
// further one begins; limits and deadlocks are results like others. A list of
// events is one file, so with it the variants run one after another.
func runAll(s *ui.Env, file *scenarios.File, specs []*sim.Spec, rec *recorder, o *runOptions) ([]executed, error) {
	events, err := createEvents(o.events)
	if err != nil {
		return nil, err
	}
	defer events.close()
	stop, bar := listen(s), ui.NewProgress(s, "running", "runs", len(specs))
	defer stop.stop()
	defer bar.Finish()
	jobs, done, watch := make([]*job, len(specs)), []executed(nil), watched(file)
	q := queue{
		begin: func(i int) (err error) {
			if jobs[i], err = begin(s, specs[i], rec, watch, events); err == nil {
				jobs[i].sinks = append(jobs[i].sinks, bar.Pulse()...)
			}
			return err
		},
		work: func(i int) { jobs[i].run(stop, o.repeat(specs[i]), o.noAudit) },
		end: func(i int) error {
			x, err := end(s, jobs[i], rec)
			jobs[i] = nil
			if err != nil {
				return located(file, specs[i], o.sets, err)
			}
			done = append(done, x)
			bar.Add(1)
			return nil
		},
		more: func() bool { return !stop.has() },
	}
	atOnce := cores()
	if events != nil {
		atOnce = 1
	}
	if err := q.run(len(specs), atOnce); err != nil {
		return nil, err
	}
	if len(done) < len(specs) || wasInterrupted(done) {
		return done, nil // the list would be a part of one
	}
	return done, events.commit()
}

// located gives an error about a part of the scenario its place in the file.
func located(file *scenarios.File, spec *sim.Spec, sets []string, err error) error {
	var part *sim.ScenarioError
	if errors.As(err, &part) {
		return file.Locate(spec.Variant, sets, part.Path, part.Err.Error())
	}
	return err
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

// job is one spec on its way: into the fold, the record and the list of events.
type job struct {
	spec   *sim.Spec
	fold   *metrics.Fold
	left   departures
	items  verdicts
	writer *sqlite.Writer // nil when nothing is recorded
	kernel *kernel.Kernel
	sinks  []transcript.Sink
	result *sim.Result
	err    error
}

// begin opens the record of a spec.
func begin(s *ui.Env, spec *sim.Spec, rec *recorder, watch []string, events *eventFile) (*job, error) {
	j := &job{spec: spec, fold: newFold(spec, watch)}
	j.sinks = []transcript.Sink{j.fold, &j.left, &j.items}
	w, err := rec.begin(spec, s.Now())
	if err != nil {
		return nil, err
	}
	if w != nil {
		j.writer = w
		j.sinks = append(j.sinks, &guard{writer: w, job: j})
	}
	if events != nil {
		j.sinks = append(j.sinks, transcript.Lines(events.text))
	}
	return j, nil
}

// run runs the job's spec.
func (j *job) run(stop *interrupts, repeat string, noAudit bool) {
	stop.around(sim.Options{Sinks: j.sinks, Repeat: repeat, NoAudit: noAudit}, func(opt sim.Options) {
		listen := opt.OnKernel
		opt.OnKernel = func(k *kernel.Kernel) {
			j.kernel = k
			listen(k)
		}
		j.result, j.err = sim.Run(j.spec, opt)
	})
}

// guard records, and ends a run that cannot be recorded any more. Where others
// only did not let go of the database the run goes on.
type guard struct {
	writer *sqlite.Writer
	job    *job
}

// Emit records the event.
func (g *guard) Emit(e *transcript.Event) {
	g.writer.Emit(e)
	if err := g.writer.Err(); err != nil && !errors.Is(err, sqlite.ErrLocked) && g.job.kernel != nil {
		g.job.kernel.Interrupt()
	}
}

// end closes the record of a job that has run.
func end(s *ui.Env, j *job, rec *recorder) (executed, error) {
	if j.err != nil {
		rec.crashed(j.writer, j.err, s.Now())
		return executed{}, j.err
	}
	x := executed{j.spec, j.result, j.fold.Run(), j.left.ids, j.items.items}
	return x, rec.finish(j.writer, x, s.Now())
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
	file *ui.OutFile
	buf  *bufio.Writer
	text *transcript.Text
}

// createEvents begins the file that --events names; nil for none.
func createEvents(name string) (*eventFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := ui.NewOutFile(name)
	if err != nil {
		return nil, ui.Unusable("--events", name, err)
	}
	buf := bufio.NewWriter(f)
	return &eventFile{name, f, buf, transcript.NewText(buf)}, nil
}

// commit writes what is left and puts the file into its place.
func (e *eventFile) commit() error {
	if e == nil {
		return nil
	}
	err := e.text.Err()
	if flush := e.buf.Flush(); err == nil {
		err = flush
	}
	if err == nil {
		err = e.file.Commit()
	}
	if err != nil {
		return ui.Unusable("--events", e.name, err)
	}
	return nil
}

// close forgets what was not committed.
func (e *eventFile) close() {
	if e != nil {
		e.file.Abandon()
	}
}
