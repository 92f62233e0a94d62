package run

import (
	"bufio"
	"maps"
	"slices"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// runAll runs the variants and returns what came of those that began, in their
// order. A list of events is one file, so with it the variants run one after
// another. What the scenario says about agents that there were not is told, or a
// mistake in it.
func runAll(s *ui.Env, m *harness.Maker, specs []*sim.Spec, rec *harness.Record, o *options) (done []executed, err error) {
	events, err := createEvents(o.events)
	if err != nil {
		return nil, err
	}
	defer events.close()
	h := harness.New(s, "running", len(specs))
	defer h.Close()
	h.Repeat, h.NoAudit = o.repeat, o.noAudit
	if rec.DB != nil {
		h.Recorder = rec
	}
	if events != nil {
		h.Workers = 1
	}
	watched := make([]seen, len(specs))
	err = h.Run(len(specs), func(i int) (*harness.Job, error) {
		j := m.Job(specs[i])
		watched[i] = seen{items: map[string]verdict{}, left: map[string]bool{}}
		j.Sinks = []transcript.Sink{&watched[i]}
		if events != nil {
			j.Sinks = append(j.Sinks, events.text)
		}
		return j, nil
	}, func(i int, r *harness.Run) error {
		done = append(done, executed{r, slices.Sorted(maps.Keys(watched[i].left)), watched[i].verdicts(r.Spec.Scenario)})
		return nil
	})
	if err == nil && len(done) == len(specs) && !interrupted(done) {
		err = events.commit() // else the list would be a part of one
	}
	if err == nil {
		err = o.keep(done)
	}
	if err == nil {
		err = loading.WarnUnstruck(s, h)
	}
	return done, err
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
