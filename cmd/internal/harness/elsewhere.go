package harness

import (
	"iter"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// Fleet is other processes that carry out runs.
type Fleet interface {
	// Build names the program; only processes of the same one take its runs.
	Build() string
	// Do has runs of a list carried out, those of the ranges from and up to, which are in
	// order, and yields what they came to in their order. It ends early when stop says so;
	// then, and after an error, what was done is kept: the same list goes on from there.
	// Runs beside the ranges may be yielded too.
	Do(list *List, wanted [][2]int, stop *Interrupt) iter.Seq2[*Outcome, error]
	// WentOn reports whether an earlier command had asked for runs of a list.
	WentOn() bool
}

// Outcome is what a run came to, on its way to the process that asked for it.
type Outcome struct {
	Run     int // of its list
	Result  *sim.Result
	Metrics *metrics.Run
	Kept    Gathered
	Carried *sqlite.Carried // what a database keeps; nil where nobody asks
	Failure *Failure        // nil where it ended like a run
}

// Failure is the error of a run.
type Failure struct {
	Text string
	Path string // in its scenario, of what is wrong there
	Law  bool   // a bill breaks a law
	Bug  *sim.BugError
	Lost bool // no process could bring it to an end; Text says why
}

// elsewhere runs jobs in other processes, and hands over what became of them in order.
func (h *Harness) elsewhere(b batch, end func(i int, r *Run) error) error {
	list, wanted, err := h.list(b)
	if err != nil {
		return err
	}
	next, done := iter.Pull2(h.Fleet.Do(list, wanted, h.Stop))
	defer done()
	for i := range b.n {
		j, err := b.job(i)
		if err == nil {
			err = h.begin(j)
		}
		if err != nil {
			return err
		}
		if !j.known || j.Again {
			o, ok, err := outcome(next, i)
			if err != nil || !ok {
				return err
			}
			if j.Repeat == "" {
				j.Repeat = h.Repeat(j.Spec)
			}
			if err := j.arrives(o); err != nil {
				return err
			}
		}
		r, err := h.end(j)
		if err == nil {
			err = end(i, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outcome is that of a run; false after an interrupt.
func outcome(next func() (*Outcome, error, bool), i int) (*Outcome, bool, error) {
	for {
		o, err, ok := next()
		if err != nil || !ok || o.Run == i {
			return o, ok, err
		}
		if o.Run > i {
			return nil, false, ui.Failf(ui.Operating, "the queue has no result of run %d of its list", i)
		}
	}
}

// list is the list of a batch, and which of its runs are wanted: those that the recorder
// does not have.
func (h *Harness) list(b batch) (*List, [][2]int, error) {
	l := &List{Semantics: sim.Semantics, Build: h.Fleet.Build()}
	store, totals := h.Recorder.(*Store)
	specs, wanted := map[*Base]int{}, [][2]int(nil)
	for i := range b.n {
		o, err := b.from(i)
		if err != nil {
			return nil, nil, err
		}
		o.Totals, o.Bare = totals, o.Bare || h.NoAudit
		if i == 0 {
			l.Name = o.Spec.Scenario.Name
		}
		l.add(o, specs)
		if totals && len(store.finished) > 0 {
			j, err := b.job(i)
			if err != nil {
				return nil, nil, err
			}
			if !j.Again && store.finished[j.Spec.RunID()] {
				continue
			}
		}
		if n := len(wanted); n > 0 && wanted[n-1][1] == i {
			wanted[n-1][1]++
			continue
		}
		wanted = append(wanted, [2]int{i, i + 1})
	}
	return l, wanted, nil
}

// manner is what a job asks for beside its spec.
func (j *Job) manner() Manner {
	return Manner{Bare: j.Bare, Brief: j.Brief, Watch: j.Watch, Gather: j.Gather}
}

// arrives takes what another process made of the job. The error is of what that is not.
func (j *Job) arrives(o *Outcome) error {
	if f := o.Failure; f != nil && f.Lost {
		name := strings.TrimSuffix(j.Spec.Scenario.Name+"/"+j.Spec.Variant, "/")
		return ui.Failf(ui.Operating, "%s with seed %d: %s", name, j.Spec.Seed(), f.Text)
	}
	j.result, j.run, j.kept, j.err = o.Result, o.Metrics, o.Kept, o.Failure.err(j)
	if id := j.Spec.RunID(); j.result != nil && j.result.RunID != id {
		return ui.Failf(ui.Operating, "run %s was carried out as run %s: the process that did it read another scenario", id, j.result.RunID)
	}
	if o.Carried != nil && j.writer != nil {
		if err := j.writer.Bring(o.Carried); err != nil {
			return ui.Fail(ui.Operating, err)
		}
	}
	return nil
}
