package harness

import (
	"cmp"
	"errors"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// manyAgents is how many processes alive, each some 25 KB, make a run that goes on alone
// among those that have as many. Two at the limit of processes would not fit where
// one does.
const manyAgents = 5_000

// MaxSeeds bounds how many seeds one command runs.
const MaxSeeds = 1_000_000

// CheckSeeds refuses a number of seeds that cannot be run.
func CheckSeeds(n int) error {
	if n < 1 || n > MaxSeeds {
		return ui.Failf(ui.Usage, "--seeds %d: write a number from 1 to %d", n, MaxSeeds)
	}
	return nil
}

// Harness runs jobs.
type Harness struct {
	Stop     *Interrupt
	Progress *ui.Progress
	Now      func() time.Time
	Workers  int                    // runs at a time; 0 for one on each core
	Repeat   func(*sim.Spec) string // the line that repeats a run, for what is said of a bug
	NoAudit  bool
	Recorder Recorder // nil: nothing is recorded
	Fleet    Fleet    // nil: all runs go on here

	many int        // in place of manyAgents, in tests
	wide sync.Mutex // of the run that has as many
	met  []*met     // by file, in the order of its first run
}

// New makes a harness that listens to signals and shows its progress; Close must
// be called before anything is printed.
func New(s *ui.Env, doing string, jobs int) *Harness {
	return &Harness{Stop: Listen(s), Progress: ui.NewProgress(s, doing, "runs", jobs), Now: s.Now,
		Repeat: func(*sim.Spec) string { return s.CommandLine() }}
}

// Close ends the listening and takes the progress away.
func (h *Harness) Close() {
	h.Progress.Finish()
	h.Stop.Stop()
}

// Job is one spec on its way: into its figures and, where there is a recorder,
// into its record.
type Job struct {
	Spec   *sim.Spec
	Watch  []string          // calls whose figures are kept one by one
	Sinks  []transcript.Sink // of the caller
	Gather Gather            // what is kept beside the figures
	Again  bool              // also if it is stored already
	Brief  bool              // nobody asks what its run rests on
	Bare   bool              // without the auditor
	Repeat string            // the line that repeats it; "" for the harness's

	maker  *Maker // that made the spec; nil where nobody asks for places in a file
	more   []string
	id     string
	known  bool       // the database has its run
	row    sqlite.Run // where the record is written at the end
	fold   *metrics.Fold
	keeps  gathering
	run    *metrics.Run   // its figures, once it is over
	kept   Gathered       // likewise
	writer *sqlite.Writer // nil when nothing is recorded
	kernel *kernel.Kernel
	result *sim.Result
	err    error
}

// Run is what became of a job.
type Run struct {
	ID      string
	Spec    *sim.Spec
	Known   bool            // the database had it
	Result  *sim.Result     // nil of a run that was known, and not run again
	Metrics *metrics.Run    // likewise
	Stored  []sqlite.Metric // the figures of the whole run, where many are stored together
	Kept    Gathered        // as the job's Gather asks
}

// Run runs n jobs, each in a kernel of its own, and hands over what became of
// those that began, in their order. After an interrupt no further one begins; limits
// and deadlocks are results like others.
func (h *Harness) Run(n int, job func(i int) (*Job, error), end func(i int, r *Run) error) error {
	return h.batch(batch{n: n, job: job}, end)
}

// batch is jobs, and where from another process makes the same.
type batch struct {
	n    int
	job  func(i int) (*Job, error)
	from func(i int) (Origin, error) // nil for jobs that only this process can do
}

func (h *Harness) batch(b batch, end func(i int, r *Run) error) error {
	if h.Fleet != nil && b.from != nil {
		return h.elsewhere(b, end)
	}
	workers := h.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return Ordered(b.n, workers, func() bool { return !h.Stop.Has() }, func(i int) (Task, error) {
		j, err := b.job(i)
		if err == nil {
			err = h.begin(j)
		}
		return Task{func() { h.work(j) }, func() error {
			r, err := h.end(j)
			if err != nil {
				return err
			}
			return end(i, r)
		}}, err
	})
}

// begin opens a job's figures and its record.
func (h *Harness) begin(j *Job) error {
	j.fold = newFold(j.Spec, j.Watch)
	j.Sinks = append(append(append(j.Sinks, j.fold), j.keeps.sinks(j.Gather)...), h.Progress.Pulse()...)
	if h.Recorder == nil {
		return nil
	}
	return h.Recorder.begin(j, Wall(h.Now()))
}

// work runs the job's spec.
func (h *Harness) work(j *Job) {
	if j.known && !j.Again {
		return
	}
	if j.Repeat == "" {
		j.Repeat = h.Repeat(j.Spec)
	}
	wide := false
	defer func() {
		if wide {
			j.kernel = nil
			debug.FreeOSMemory() // before the next one grows
			h.wide.Unlock()
		}
	}()
	j.result, j.err = h.Stop.Run(j.Spec, sim.Options{Sinks: j.Sinks, Repeat: j.Repeat, NoAudit: h.NoAudit || j.Bare, NoAssumed: j.Brief,
		OnKernel: func(k *kernel.Kernel) {
			j.kernel = k
			k.Many(cmp.Or(h.many, manyAgents), func() {
				h.wide.Lock()
				wide = true
			})
		}})
	if j.result != nil {
		j.run, j.kept = j.fold.Run(), j.keeps.done()
	}
}

// end closes the record of a job that has run.
func (h *Harness) end(j *Job) (*Run, error) {
	r := &Run{ID: j.id, Spec: j.Spec, Known: j.known, Result: j.result}
	if j.result != nil {
		r.ID, r.Metrics, r.Kept = j.result.RunID, j.run, j.kept
	}
	h.Progress.Add(1)
	if h.Recorder != nil {
		if err := h.Recorder.end(j, r, Wall(h.Now())); err != nil {
			return nil, err
		}
	}
	h.meet(j, r)
	return r, j.maker.located(j.Spec.Variant, j.err, j.more)
}

// newFold makes the figures of a run.
func newFold(spec *sim.Spec, watch []string) *metrics.Fold {
	return metrics.New(metrics.Options{Items: len(spec.Scenario.Work), Watch: watch, Tokens: CountTokens,
		Assigned: spec.Assigned(), Price: spec.Priced})
}

// CountTokens counts a prefix as the model's approximate counter does, hidden
// tool tokens included.
func CountTokens(model string, n *llm.Node) int64 {
	var o tokens.Options
	if p, err := cachemodel.Lookup(model); err == nil {
		o.Hidden = tokens.Hidden{Auto: p.HiddenAuto, Forced: p.HiddenForced}
	}
	return tokens.For(model, o).At(n)
}

// guard records, and ends a run that cannot be recorded any more. Where others
// only did not let go of the database the run goes on.
type guard struct{ job *Job }

// Emit records the event.
func (g *guard) Emit(e *transcript.Event) {
	g.job.writer.Emit(e)
	if err := g.job.writer.Err(); err != nil && !errors.Is(err, sqlite.ErrLocked) && g.job.kernel != nil {
		g.job.kernel.Interrupt()
	}
}

// met is what there was in the runs of one file.
type met struct {
	maker   *Maker
	runs    []scenarios.Ran
	altered bool // something beside the file decides them
	known   bool // the database had one: what agents there were in it is not known
}

// meet keeps what there was in a run of a file.
func (h *Harness) meet(j *Job, r *Run) {
	mk := j.maker
	if mk == nil {
		return
	}
	i := slices.IndexFunc(h.met, func(m *met) bool { return m.maker.File == mk.File })
	if i < 0 {
		i = len(h.met)
		h.met = append(h.met, &met{maker: mk})
	}
	m := h.met[i]
	m.altered = m.altered || len(mk.Sets)+len(j.more) > 0 || mk.Seed != nil || mk.Elsewhere || j.Spec.Policy != kernel.FIFO().Name()
	if r.Metrics == nil {
		m.known = m.known || j.known
		return
	}
	ran := scenarios.Ran{Variant: j.Spec.Variant, Sets: scenarios.Striking(j.more), Whole: r.Result.Outcome == sim.Completed,
		Tools: r.Metrics.Tools, Idled: r.Metrics.Idled, Unmet: r.Result.Unmet, Reached: r.Result.Reached}
	for i := range r.Metrics.Agents {
		ran.Lineages = append(ran.Lineages, r.Metrics.Agents[i].Lineage)
	}
	if mk.Sessions && j.Spec.Scenario.Main == nil {
		ran.Lineages = scenarios.OfSession(ran.Lineages)
	}
	ran.Casts = []scenarios.Cast{{Lineages: ran.Lineages, Unstruck: r.Result.Unstruck, Unmet: r.Result.Unmet, Runs: 1, Seed: j.Spec.Scenario.Seed}}
	m.runs = scenarios.Join(m.runs, ran)
}

// Unstruck lists what the files of the runs that are over say for agents and tools
// that there were not. The error is a mistake in a file.
func (h *Harness) Unstruck() (told []scenarios.Idle, mistake error) {
	for _, m := range h.met {
		if m.known {
			continue
		}
		more, err := m.maker.File.Unstruck(m.maker.Sets, m.runs, !m.altered)
		told = append(told, more...)
		if mistake == nil {
			mistake = err
		}
	}
	return told, mistake
}
