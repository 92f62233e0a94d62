package harness

import (
	"slices"
	"strconv"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/grid"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
)

// Sweep is a grid to run: the file's variants at every point of its axes, with
// several seeds each.
type Sweep struct {
	*grid.Grid
	Maker *Maker // its file's Sweep is the axes
	Known int    // runs that the store had

	Assumed []report.Said // what the runs of the first place with the first seed rest on
	Plain   []*sim.Spec   // of the variants as the scenario has them; nil where nobody asks

	made  []*scenarios.Scenario // by point and variant, with the first seed
	as    []int                 // by point and variant, the first cell whose scenario reads the same
	cell  int                   // that seeds makes runs of
	seeds *sim.Template         // nil before the first
	base  *Base                 // what it is the template of
}

// NewSweep makes the scenario of every cell: what is wrong with one is reported
// before anything runs.
func NewSweep(m *Maker, variants []string, seeds int) (*Sweep, error) {
	var axes []grid.Axis
	for _, a := range m.File.Sweep {
		axes = append(axes, grid.Axis{Path: a.Path, Values: a.Values})
	}
	w := &Sweep{Grid: grid.New(m.File.Name, axes, variants, seeds), Maker: m}
	first := map[string]int{}
	for i := range w.Cells {
		c := &w.Cells[i]
		sc, err := m.Scenario(c.Variant, w.sets(c)...)
		if err != nil {
			return nil, err
		}
		c.Seed = sc.Seed
		w.made = append(w.made, sc)
		read := c.Variant
		for n, a := range m.File.Sweep {
			if scenarios.Reads(m.File, sc, a.Path) {
				read += "\n" + strconv.Itoa(n) + "=" + c.Point[n]
			}
		}
		if _, known := first[read]; !known {
			first[read] = i
		}
		w.as = append(w.as, first[read])
	}
	return w, nil
}

// sets are the overrides of a cell's point.
func (w *Sweep) sets(c *grid.Cell) (out []string) {
	for i, a := range w.Axes {
		out = append(out, a.Path+"="+c.Point[i])
	}
	return out
}

// Spec is run n of a cell.
func (w *Sweep) Spec(cell, n int) (*sim.Spec, error) {
	if w.seeds == nil || w.cell != cell {
		spec, err := w.Maker.Spec(w.made[cell], w.Cells[cell].Variant)
		if err != nil {
			return nil, err
		}
		w.cell, w.seeds, w.base = cell, sim.NewTemplate(spec), &Base{Spec: spec, Own: w.Maker.Project == nil}
	}
	return w.seeds.Spec(w.made[cell].Seed + uint64(n))
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

// Sweep runs one: each cell with its first seed and, where that run draws anything,
// with the others. Cells that differ in nothing that is read run once where nothing is
// recorded. A run that breaks an invariant ends it.
func (h *Harness) Sweep(w *Sweep) error {
	var first, others [][2]int
	for i, as := range w.as {
		if as == i || h.Recorder != nil {
			first = append(first, [2]int{i, 0})
		}
	}
	h.Progress.Add((len(w.as) - len(first)) * w.Seeds)
	if err := h.sweep(w, first); err != nil || h.Stop.Has() {
		return err
	}
	for _, at := range first {
		c := &w.Cells[at[0]]
		if !c.Drawn {
			c.Runs = c.Runs[:1]
		}
		for n := 1; n < len(c.Runs); n++ {
			others = append(others, [2]int{at[0], n})
		}
	}
	if err := h.sweep(w, others); err != nil || h.Recorder != nil {
		return err
	}
	return w.share()
}

// share gives what the first of cells that are read alike came to to the others.
func (w *Sweep) share() error {
	for i, as := range w.as {
		if c := &w.Cells[i]; as != i {
			c.Drawn, c.Runs = w.Cells[as].Drawn, w.Cells[as].Runs
			spec, err := w.Spec(i, 0)
			if err != nil {
				return err
			}
			c.Same = w.plain(i, spec.RunID())
		}
	}
	return nil
}

// plain reports whether a run is that of a cell's variant as the scenario has it.
func (w *Sweep) plain(cell int, id string) bool {
	return w.Plain != nil && id == w.Plain[cell%len(w.Plain)].RunID()
}

// sweep runs runs of a sweep.
func (h *Harness) sweep(w *Sweep, runs [][2]int) error {
	return h.cells(w, runs, func(j *Job, cell, n int) {
		j.Brief = n > 0 || cell >= len(w.Variants)
		j.Watch, j.Again = nil, n == 0 && (w.Seeds > 1 || !j.Brief) // to see whether it draws, and what it assumes
	}, w.take)
}

// Each runs every cell of a sweep with every seed. Jobs can be changed before they begin.
func (h *Harness) Each(w *Sweep, change func(j *Job, cell, n int), end func(cell, n int, r *Run) error) error {
	var runs [][2]int
	for i := range w.Cells {
		for n := range w.Seeds {
			runs = append(runs, [2]int{i, n})
		}
	}
	return h.cells(w, runs, change, end)
}

// cells runs runs of a sweep, each a cell and which of its seeds.
func (h *Harness) cells(w *Sweep, runs [][2]int, change func(j *Job, cell, n int), end func(cell, n int, r *Run) error) error {
	job := func(i int) (*Job, error) {
		cell, n := runs[i][0], runs[i][1]
		spec, err := w.Spec(cell, n)
		if err != nil {
			return nil, err
		}
		j := w.Maker.Job(spec, w.sets(&w.Cells[cell])...)
		change(j, cell, n)
		return j, nil
	}
	return h.batch(batch{n: len(runs), job: job, from: func(i int) (Origin, error) {
		j, err := job(i)
		if err != nil {
			return Origin{}, err
		}
		return Origin{Base: w.base, At: j.Spec.Seed(), Manner: j.manner()}, nil
	}}, func(i int, r *Run) error { return end(runs[i][0], runs[i][1], r) })
}

// take keeps what became of run n of a cell.
func (w *Sweep) take(cell, n int, r *Run) error {
	c := &w.Cells[cell]
	to := &c.Runs[n]
	if r.Result != nil {
		if r.Result.Outcome == sim.Interrupted {
			return nil
		}
		if err := Broken(r.Result); err != nil {
			return ui.Failf(ui.Broken, "%s with seed %d at %s: an invariant is broken\n%w", c.Variant, r.Spec.Seed(), w.Describe(c.Point), err)
		}
		if cell < len(w.Variants) && n == 0 { // of the first place
			w.Assumed = append(w.Assumed, report.Said{Variant: c.Variant, Texts: slices.Concat(r.Result.Assumed, r.Result.Kept)})
		}
		c.Drawn = c.Drawn || r.Result.Draws > 0
		c.Same = w.plain(cell, r.ID)
		to.Outcome, to.Open = string(r.Result.Outcome), r.Open()
	}
	if r.Known {
		w.Known++
		to.Outcome, to.Open = string(sim.Completed), ""
	}
	if r.Stored == nil {
		r.Stored = stored(nil, r.Metrics, "run", "")
	}
	if to.Open == "" {
		keep(to, r.Stored)
	}
	return nil
}

func keep(to *grid.Run, list []sqlite.Metric) {
	for _, m := range list {
		if m.Scope == "run" {
			to.Set(m.Name, m.Value)
		}
	}
}
