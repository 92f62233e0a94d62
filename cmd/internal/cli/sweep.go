package cli

import (
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
)

// cell is one place of a scenario's sweep: what was set, and what each variant
// cost there.
type cell struct {
	labels []string       // values as written, one for each axis
	base   bool           // the values that the scenario itself has
	runs   []*metrics.Run // nil for one that did not finish
}

// sweep runs every variant at every place of the scenario's sweep, on all cores
// and without recording. Overrides come last, so a swept path cannot be
// overridden.
func sweep(s *ui.Env, file *scenarios.File, specs []*sim.Spec, o *runOptions) ([]cell, error) {
	if len(file.Sweep) == 0 || len(specs) < 2 {
		return nil, nil
	}
	var cells []cell
	for _, labels := range places(file.Sweep) {
		cells = append(cells, cell{labels: labels, base: true, runs: make([]*metrics.Run, len(specs))})
	}
	stop, bar := listen(s), ui.NewProgress(s, "sweeping", "runs", len(cells)*len(specs))
	defer stop.stop()
	defer bar.Finish()
	jobs, n := make([]*job, len(cells)*len(specs)), len(specs)
	q := queue{
		begin: func(i int) (err error) {
			if jobs[i], err = sweptGrid(s, file, specs[i%n], cells[i/n].labels, o); err == nil {
				jobs[i].sinks = append(jobs[i].sinks, bar.Pulse()...)
			}
			return err
		},
		work: func(i int) { jobs[i].run(stop, "", o.noAudit) },
		end: func(i int) error {
			j, c := jobs[i], &cells[i/n]
			jobs[i] = nil
			bar.Add(1)
			if j.err != nil {
				return located(file, specs[i%n], o.sets, j.err)
			}
			if err := auditErr(j.result.Audit); err != nil {
				return ui.Failf(ui.Broken, "%s at %s: an invariant is broken\n%w", specs[i%n].Variant, strings.Join(c.labels, ", "), err)
			}
			figures := j.fold.Run()
			if endOf(executed{spec: j.spec, result: j.result, metrics: figures}).why == "" {
				c.runs[i%n] = figures
			}
			c.base = c.base && j.result.RunID == specs[i%n].RunID()
			return nil
		},
		more: func() bool { return !stop.has() },
	}
	if err := q.run(len(jobs), cores()); err != nil {
		return nil, err
	}
	if stop.has() {
		return nil, ui.Failf(ui.Interrupted, "interrupted during the sweep; what was recorded until then is whole")
	}
	return cells, nil
}

// swept is one variant at one place, ready to run.
func sweptGrid(s *ui.Env, file *scenarios.File, spec *sim.Spec, labels []string, o *runOptions) (*job, error) {
	sets := append([]string(nil), o.sets...)
	for i, a := range file.Sweep {
		sets = append(sets, a.Path+"="+labels[i])
	}
	sc, err := file.Effective(spec.Variant, sets)
	if err != nil {
		return nil, err
	}
	sc.Seed = spec.Seed()
	there := *spec
	there.Scenario = sc
	return begin(s, &there, &recorder{}, nil, nil)
}

// places lists the combinations of the axes' values, the last one running
// fastest.
func places(axes []scenarios.Axis) [][]string {
	out := [][]string{nil}
	for _, a := range axes {
		var next [][]string
		for _, head := range out {
			for _, v := range a.Values {
				next = append(next, append(append([]string(nil), head...), v))
			}
		}
		out = next
	}
	return out
}

// printSweep prints what each variant costs at each place, the cheapest one
// named, and where the ranking flips.
func printSweep(s *ui.Env, file *scenarios.File, specs []*sim.Spec, cells []cell) error {
	if len(cells) == 0 {
		return nil
	}
	var heads []string
	for _, a := range file.Sweep {
		heads = append(heads, strings.ToUpper(strings.ReplaceAll(a.Short(), "_", " ")))
	}
	for _, spec := range specs {
		heads = append(heads, " "+spec.Variant)
	}
	t := report.NewTable(append(heads, "CHEAPEST")...)
	for _, c := range cells {
		row := append([]string(nil), c.labels...)
		for _, r := range c.runs {
			row = append(row, costCell(r))
		}
		best := ""
		if i := cheapest(c.runs); i >= 0 {
			best = specs[i].Variant
		}
		t.Row(append(row, best)...)
	}
	s.Printf("\n")
	return t.Write(s.Stdout, s.Style())
}

// costCell is a run's cost, marked when not all its work was done: a cheap
// structure that loses facts must not look good.
func costCell(r *metrics.Run) string {
	if r == nil {
		return notFinished
	}
	text := report.Money(r.Total.Cost)
	if o := r.Items; o.Done < o.Total {
		text += fmt.Sprintf(" (%d/%d)", o.Done, o.Total)
	}
	return text
}

// notFinished stands in for the cost of a run that did not finish.
const notFinished = "unfinished"

// cheapest is the index of the run that cost least among those that did all
// their work; among all that finished when none did, and -1 when none finished.
func cheapest(runs []*metrics.Run) int {
	best, bestCost, bestDone := -1, cachemodel.Picodollars(0), false
	for i, r := range runs {
		if r == nil {
			continue
		}
		o := r.Items
		done := o.Done == o.Total
		if best < 0 || done && !bestDone || done == bestDone && r.Total.Cost < bestCost {
			best, bestCost, bestDone = i, r.Total.Cost, done
		}
	}
	return best
}

// flips says along which single steps of an axis one structure becomes cheaper
// than another, the other axes standing still, and where; the changes of the
// cheapest one stand first.
func flips(file *scenarios.File, specs []*sim.Spec, cells []cell) []string {
	var top, rest changes
	for i := range cells {
		for j := i + 1; j < len(cells); j++ {
			axis, ok := step(file.Sweep, cells[i].labels, cells[j].labels)
			if !ok {
				continue
			}
			at := fmt.Sprintf("from %s %s to %s", file.Sweep[axis].Short(), cells[i].labels[axis], cells[j].labels[axis])
			if from, to := cheapest(cells[i].runs), cheapest(cells[j].runs); from != to && from >= 0 && to >= 0 {
				top.add(specs[to].Variant+" is the cheapest instead of "+specs[from].Variant, at, axis, cells[i].labels)
			}
			for _, p := range passes(cells[i].runs, cells[j].runs) {
				rest.add(specs[p[0]].Variant+" becomes cheaper than "+specs[p[1]].Variant, at, axis, cells[i].labels)
			}
		}
	}
	return append(top.lines(file.Sweep), rest.lines(file.Sweep)...)
}

// passes lists the pairs of runs of which the first was not cheaper before and
// is after.
func passes(before, after []*metrics.Run) (out [][2]int) {
	for a := range before {
		for b := range before {
			if before[a] == nil || before[b] == nil || after[a] == nil || after[b] == nil {
				continue
			}
			if before[a].Total.Cost >= before[b].Total.Cost && after[a].Total.Cost < after[b].Total.Cost {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// changes collects what happens at the same step in several places.
type changes struct {
	order []string
	found map[string]*change
}

// change is one thing that happens at a step along an axis.
type change struct {
	axis   int
	places [][]string // labels of where the step begins
}

func (c *changes) add(what, step string, axis int, place []string) {
	key := what + " " + step
	if c.found == nil {
		c.found = map[string]*change{}
	}
	if c.found[key] == nil {
		c.order = append(c.order, key)
		c.found[key] = &change{axis: axis}
	}
	c.found[key].places = append(c.found[key].places, place)
}

func (c *changes) lines(axes []scenarios.Axis) (out []string) {
	for _, key := range c.order {
		line := key
		if where := c.found[key].where(axes); where != "" {
			line += " (" + where + ")"
		}
		out = append(out, line)
	}
	return out
}

// maxPlaces is how many places are listed one by one.
const maxPlaces = 4

// where says at which places of the other axes a change happens: everywhere; at
// all combinations of some values, of which axes with all their values are not
// named; or at single ones. It is "" when there is no other axis.
func (c *change) where(axes []scenarios.Axis) string {
	var parts []string
	combinations, all := 1, 1
	for i, a := range axes {
		if i == c.axis {
			continue
		}
		values := c.values(i)
		combinations, all = combinations*len(values), all*len(a.Values)
		if len(values) < len(a.Values) {
			parts = append(parts, a.Short()+" "+strings.Join(values, ", "))
		}
	}
	switch {
	case len(axes) == 1:
		return ""
	case len(c.places) == all:
		return "everywhere"
	case len(c.places) == combinations:
		return strings.Join(parts, "; ")
	}
	return c.single(axes)
}

// values are those of an axis at which the change happens, in its order.
func (c *change) values(axis int) (out []string) {
	for _, p := range c.places {
		if !contains(out, p[axis]) {
			out = append(out, p[axis])
		}
	}
	return out
}

// single lists places one by one.
func (c *change) single(axes []scenarios.Axis) string {
	var parts []string
	for _, p := range c.places[:min(maxPlaces, len(c.places))] {
		var at []string
		for i, a := range axes {
			if i != c.axis {
				at = append(at, a.Short()+" "+p[i])
			}
		}
		parts = append(parts, strings.Join(at, " and "))
	}
	if n := len(c.places) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, "; ")
}

// step reports the axis along which two places are neighbours.
func step(axes []scenarios.Axis, a, b []string) (axis int, ok bool) {
	axis = -1
	for i := range axes {
		if a[i] == b[i] {
			continue
		}
		if axis >= 0 || valueIndex(axes[i], b[i]) != valueIndex(axes[i], a[i])+1 {
			return -1, false
		}
		axis = i
	}
	return axis, axis >= 0
}

// valueIndex is a value's place on its axis.
func valueIndex(a scenarios.Axis, v string) int {
	for i, x := range a.Values {
		if x == v {
			return i
		}
	}
	return -1
}
