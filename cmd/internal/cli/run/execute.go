package run

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/hostdir"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/sim"
	"agentsim/sim/agent"
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
	watched, courses := make([]seen, len(specs)), make([]*course, len(specs))
	err = h.Run(len(specs), func(i int) (*harness.Job, error) {
		j := m.Job(specs[i])
		watched[i] = seen{items: map[string]verdict{}, lineages: map[int32]string{}}
		courses[i] = newCourse(specs[i].Scenario)
		j.Sinks = []transcript.Sink{&watched[i], courses[i]}
		if events != nil {
			j.Sinks = append(j.Sinks, events.text)
		}
		return j, nil
	}, func(i int, r *harness.Run) error {
		done = append(done, executed{r, watched[i].left(), watched[i].verdicts(r.Spec.Scenario), watched[i].causes, courses[i]})
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

// recall gives the one run what the memory directory holds. A directory that is
// not there yet holds nothing.
func (o *options) recall(specs []*sim.Spec) error {
	if o.memory == "" {
		return nil
	}
	if len(specs) != 1 {
		return ui.Failf(ui.Usage, "--memory is for one run, and there are %d variants: name one with --variant", len(specs))
	}
	files, err := readMemory(o.memory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	if specs[0].Project, err = sim.WithMemory(specs[0].Project, files); err != nil {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	return nil
}

// readMemory reads the memories of a directory.
func readMemory(dir string) (map[string]string, error) {
	in, err := hostdir.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	files := map[string]string{}
	return files, fs.WalkDir(in, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !agent.IsMemory(p) {
			return err
		}
		text, err := in.ReadFile(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		files[p] = string(text)
		return nil
	})
}

// keep writes what agents remember into the memory directory. A run that did not
// complete leaves it as it was.
func (o *options) keep(done []executed) error {
	if o.memory == "" || len(done) != 1 || done[0].Result.Outcome != sim.Completed || len(done[0].Result.Memory) == 0 {
		return nil
	}
	if err := os.MkdirAll(o.memory, 0o777); err != nil {
		return ui.Failf(ui.Operating, "--memory: %w", err)
	}
	in, err := hostdir.OpenDir(o.memory)
	if err != nil {
		return ui.Failf(ui.Operating, "--memory %s: %w", o.memory, err)
	}
	defer in.Close()
	memory := done[0].Result.Memory
	for _, p := range slices.Sorted(maps.Keys(memory)) {
		if err := in.Write(p, []byte(memory[p])); err != nil {
			return ui.Failf(ui.Operating, "--memory %s: %s: %w", o.memory, p, err)
		}
	}
	return nil
}
