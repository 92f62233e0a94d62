package profile

import (
	"os"
	"path/filepath"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/sim/recording/profile"
	"agentsim/sim/transcript"
	"agentsim/sim/transcript/sqlite"
)

// simulated is what the runs of a scenario come to, measured as sessions are.
type simulated struct {
	all      *profile.Measure
	variants []variantRuns
	runs     int
	open     int // that did not finish
}

// variantRuns are the runs of one variant.
type variantRuns struct {
	name           string
	measure        *profile.Measure
	offered, taken int64 // detours
}

// detours counts those that agents make.
type detours struct{ taken int64 }

// Emit counts one.
func (d *detours) Emit(e *transcript.Event) {
	if c, ok := e.Body.(*transcript.ToolCall); ok && c.Cause == "detour" {
		d.taken++
	}
}

// simulation is a scenario to run and measure.
type simulation struct {
	on       *loading.Loaded
	variants []string
	seeds    int
	opt      profile.Options
	told     bool // what it says for agents that there are not
}

// run runs every variant with every seed, recorded in a database that is thrown away,
// and measures the runs.
func (x *simulation) run(s *ui.Env) (out *simulated, err error) {
	dir, err := os.MkdirTemp("", "agentsim-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := sqlite.Create(filepath.Join(dir, "runs.db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	w, err := harness.NewSweep(x.on.Maker(nil), x.variants, x.seeds)
	if err != nil {
		return nil, err
	}
	x.opt.Joined = true
	out = &simulated{all: profile.New(x.opt)}
	for _, name := range x.variants {
		out.variants = append(out.variants, variantRuns{name: name, measure: profile.New(x.opt)})
	}
	h := harness.New(s, "simulating", len(w.Cells)*x.seeds)
	defer h.Close()
	h.Recorder, h.NoAudit = &harness.Record{DB: db, Level: sqlite.Full}, true
	made := make([]detours, len(w.Cells)*x.seeds)
	err = h.Each(w, func(j *harness.Job, cell, n int) {
		j.Watch, j.Sinks = nil, []transcript.Sink{&made[cell*x.seeds+n]}
	}, func(cell, n int, r *harness.Run) error {
		v := &out.variants[cell]
		v.offered += int64(r.Result.Detours)
		v.taken += made[cell*x.seeds+n].taken
		return out.take(db, v, r)
	})
	if err == nil && h.Stop.Has() {
		err = ui.Failf(ui.Interrupted, "interrupted; nothing was measured")
	}
	if err == nil && !x.told {
		x.told, err = true, loading.WarnUnstruck(s, h)
	}
	return out, err
}

// take measures one run that has ended.
func (x *simulated) take(db *sqlite.DB, v *variantRuns, r *harness.Run) error {
	x.runs++
	if r.Open() != "" {
		x.open++
	}
	session, err := loading.Session(db, sqlite.RunInfo{ID: r.ID})
	if err != nil {
		return err
	}
	x.all.Add("", session)
	v.measure.Add("", session)
	return nil
}
