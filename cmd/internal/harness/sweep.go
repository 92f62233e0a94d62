package harness

import (
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/compare"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// Sweep is a grid to run: the file's variants at every point of its axes, with
// several seeds each.
type Sweep struct {
	*compare.Grid
	Maker *Maker      // its file's Sweep is the axes
	Known int         // runs that the store had
	Plain []*sim.Spec // of the variants as the scenario has them; nil where nobody asks

	made []*scenarios.Scenario // by point and variant, with the first seed
}

// NewSweep makes the scenario of every cell: what is wrong with one is reported
// before anything runs.
func NewSweep(m *Maker, variants []string, seeds int) (*Sweep, error) {
	var axes []compare.Axis
	for _, a := range m.File.Sweep {
		axes = append(axes, compare.Axis{Path: a.Path, Values: a.Values})
	}
	w := &Sweep{Grid: compare.NewGrid(m.File.Name, axes, variants, seeds), Maker: m}
	for i := range w.Cells {
		c := &w.Cells[i]
		sc, err := m.Scenario(c.Variant, w.sets(c)...)
		if err != nil {
			return nil, err
		}
		c.Seed = sc.Seed
		w.made = append(w.made, sc)
	}
	return w, nil
}

// sets are the overrides of a cell's point.
func (w *Sweep) sets(c *compare.Cell) (out []string) {
	for i, a := range w.Axes {
		out = append(out, a.Path+"="+c.Point[i])
	}
	return out
}

// Spec is run n of a cell.
func (w *Sweep) Spec(cell, n int) (*sim.Spec, error) {
	sc := *w.made[cell]
	sc.Seed += uint64(n)
	return w.Maker.Spec(&sc, w.Cells[cell].Variant)
}

// Distinct refuses two values of an axis that are one: their points would be the
// same runs.
func (w *Sweep) Distinct() error {
	step := len(w.Cells)
	for _, a := range w.Axes {
		step /= len(a.Values) // the last axis runs fastest
		seen := map[string]string{}
		for i, value := range a.Values {
			spec, err := w.Spec(i*step, 0)
			if err != nil {
				return err
			}
			id := spec.RunID()
			if first, there := seen[id]; there {
				return ui.Failf(ui.Usage, "%s: %s and %s are the same value; leave one of them out", a.Path, first, value)
			}
			seen[id] = value
		}
	}
	return nil
}

// Sweep runs one, the first n of its runs. A run that breaks an invariant ends it.
func (h *Harness) Sweep(w *Sweep) error {
	return h.Run(len(w.Cells)*w.Seeds, func(i int) (*Job, error) {
		spec, err := w.Spec(i/w.Seeds, i%w.Seeds)
		if err != nil {
			return nil, err
		}
		j := w.Maker.Job(spec, w.sets(&w.Cells[i/w.Seeds])...)
		j.Watch = nil
		return j, nil
	}, func(i int, r *Run) error { return w.take(i/w.Seeds, i%w.Seeds, r) })
}

// take keeps what became of run n of a cell.
func (w *Sweep) take(cell, n int, r *Run) error {
	c := &w.Cells[cell]
	to := &c.Runs[n]
	switch {
	case r.Result == nil:
		w.Known++
		to.Outcome = string(sim.Completed)
		keep(to, r.Stored)
		return nil
	case r.Result.Outcome == sim.Interrupted:
		return nil
	}
	if err := Broken(r.Result); err != nil {
		return ui.Failf(ui.Broken, "%s with seed %d at %s: an invariant is broken\n%w", c.Variant, r.Spec.Seed(), w.Describe(c.Point), err)
	}
	c.Same = w.Plain != nil && r.ID == w.Plain[cell%len(w.Plain)].RunID()
	if to.Outcome, to.Open = string(r.Result.Outcome), r.Open(); to.Open == "" {
		keep(to, stored(nil, r.Metrics, "run", ""))
	}
	return nil
}

func keep(to *compare.GridRun, list []sqlite.Metric) {
	for _, m := range list {
		if m.Scope == "run" {
			to.Set(m.Name, m.Value)
		}
	}
}
