package harness

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/workspace"
)

// Carrier carries out runs of a list, several at a time.
type Carrier struct {
	list  *List
	h     *Harness
	files func(hash string) (*workspace.Snapshot, error)

	mu   sync.Mutex
	made map[int]func(at uint64, m Manner) (*Job, error) // by spec
}

// Carry makes the carrier of a list. Directories are asked for by hash.
func (h *Harness) Carry(list *List, files func(hash string) (*workspace.Snapshot, error)) *Carrier {
	return &Carrier{list: list, h: h, files: files, made: map[int]func(uint64, Manner) (*Job, error){}}
}

// Len is how many runs the list has.
func (c *Carrier) Len() int { return c.list.Len() }

// Do carries out a run. While it goes on beat is called now and then; an error of it
// ends the run, which is lost by that. A run that an interrupt ended came to nothing.
func (c *Carrier) Do(run int, beat func() error) *Outcome {
	span, at := c.list.at(run)
	out := &Outcome{Run: run}
	j, err := c.job(span, at)
	if err != nil {
		out.Failure = lost(err)
		return out
	}
	p := &pulse{job: j, beat: beat}
	j.Sinks = append(j.Sinks, p)
	if span.Totals {
		j.row = sqlite.Run{ID: j.Spec.RunID(), Seed: j.Spec.Seed()}
		j.writer = (*sqlite.DB)(nil).Later(&j.row, "", sqlite.Options{Cost: costs(j.Spec)})
		j.Sinks = append(j.Sinks, j.writer)
	}
	if err := c.h.begin(j); err != nil {
		out.Failure = lost(err)
		return out
	}
	c.h.work(j)
	switch {
	case p.err != nil:
		out.Failure = lost(p.err)
		return out
	case j.result != nil && j.result.Outcome == sim.Interrupted:
		return nil
	}
	out.Result, out.Metrics, out.Kept, out.Failure = j.result, j.run, j.kept, failure(j.err)
	if span.Shards && !span.Totals && at > 0 && j.run != nil {
		lean(j.run)
	}
	if j.writer != nil && j.result != nil {
		out.Carried = j.writer.Carry()
	}
	return out
}

// lean leaves of a shard's figures what is summed up, and its roots, which say how it
// ended: of the first one alone all agents are asked for.
func lean(r *metrics.Run) {
	r.Siblings = nil
	r.Agents = slices.DeleteFunc(r.Agents, func(a metrics.Agent) bool { return a.Parent >= 0 })
	for i := range r.Types {
		r.Types[i].Siblings = nil
	}
}

// job makes the job of a run as the process that asks for it does.
func (c *Carrier) job(span *Span, at uint64) (*Job, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made[span.Spec] == nil {
		made, err := c.maker(&c.list.Specs[span.Spec], span.Shards)
		if err != nil {
			return nil, err
		}
		c.made[span.Spec] = made
	}
	return c.made[span.Spec](at, span.Manner)
}

func (c *Carrier) maker(sent *Sent, shards bool) (func(at uint64, m Manner) (*Job, error), error) {
	file, err := scenarios.Parse("sent scenario", []byte(sent.Text), scenarios.ForeignProject)
	if err != nil {
		return nil, err
	}
	sc, err := file.Effective("", nil)
	if err != nil {
		return nil, err
	}
	m := &Maker{Policy: sent.Policy}
	if sent.Files != "" {
		if m.Project, err = c.files(sent.Files); err != nil {
			return nil, err
		}
	}
	var spec *sim.Spec
	var made func(at uint64, with Manner) (*Job, error)
	if shards {
		p, err := NewPopulation(m, sc, sent.Variant)
		if err != nil {
			return nil, err
		}
		spec = p.base().Spec
		made = func(at uint64, with Manner) (*Job, error) { return p.job(int(at), !with.Bare) }
	} else {
		if spec, err = m.Spec(sc, sent.Variant); err != nil {
			return nil, err
		}
		t := sim.NewTemplate(spec)
		made = func(at uint64, with Manner) (*Job, error) {
			spec, err := t.Spec(at)
			return &Job{Spec: spec, Watch: with.Watch, Gather: with.Gather, Brief: with.Brief, Bare: with.Bare}, err
		}
	}
	if got := spec.Hash(); got != sent.Hash {
		return nil, fmt.Errorf("the scenario that arrived has hash %s and not %s", got, sent.Hash)
	}
	return made, nil
}

// pulse calls beat every so many events of a run.
type pulse struct {
	job    *Job
	beat   func() error
	events int
	err    error
}

// Emit counts an event.
func (p *pulse) Emit(*transcript.Event) {
	if p.events++; p.events%ui.PulseEvery == 0 && p.err == nil {
		if p.err = p.beat(); p.err != nil {
			p.job.kernel.Interrupt()
		}
	}
}

func lost(err error) *Failure { return &Failure{Text: err.Error(), Lost: true} }

// failure is an error of a run in a form that travels; nil for none.
func failure(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Text: err.Error()}
	var part *sim.ScenarioError
	var law *sim.LawError
	switch {
	case errors.As(err, &f.Bug):
	case errors.As(err, &part):
		f.Path, f.Text = part.Path, part.Err.Error()
	case errors.As(err, &law):
		f.Law, f.Text = true, law.Error()
	}
	return f
}

// err is the error as it would be here.
func (f *Failure) err(j *Job) error {
	switch {
	case f == nil:
		return nil
	case f.Bug != nil:
		bug := *f.Bug
		bug.Repeat = j.Repeat
		return &bug
	case f.Path != "":
		return &sim.ScenarioError{Path: f.Path, Err: errors.New(f.Text)}
	case f.Law:
		return ui.Failf(ui.Broken, "%s", f.Text)
	}
	return errors.New(f.Text)
}

// Lost is the outcome of a run that could not be brought to an end.
func Lost(run int, why string) *Outcome {
	return &Outcome{Run: run, Failure: &Failure{Text: why, Lost: true}}
}
