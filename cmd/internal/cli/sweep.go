package cli

import (
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// cell is one place of a scenario's sweep: what was set, and what each variant
// cost there.
type cell struct {
	labels []string // values as written, one for each axis
	base   bool     // the values that the scenario itself has
	runs   []*metrics.Run
}

// sweep runs every variant at every place of the scenario's sweep, without
// recording. Overrides come last, so a swept path cannot be overridden.
func (s *State) sweep(file *scenarios.File, specs []*sim.Spec, o *runOptions) ([]cell, error) {
	var cells []cell
	if len(file.Sweep) == 0 || len(specs) < 2 {
		return nil, nil
	}
	for _, labels := range places(file.Sweep) {
		c := cell{labels: labels, base: true}
		sets := append([]string(nil), o.sets...)
		for i, a := range file.Sweep {
			sets = append(sets, a.Path+"="+labels[i])
		}
		for _, spec := range specs {
			run, same, err := s.sweepRun(file, spec, sets)
			if err != nil {
				return nil, err
			}
			c.runs, c.base = append(c.runs, run), c.base && same
		}
		cells = append(cells, c)
	}
	return cells, nil
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

// sweepRun runs one variant at one place and says whether that is the place
// where the comparison itself stands.
func (s *State) sweepRun(file *scenarios.File, spec *sim.Spec, sets []string) (*metrics.Run, bool, error) {
	sc, err := file.Effective(spec.Variant, sets)
	if err != nil {
		return nil, false, err
	}
	sc.Seed = spec.Seed
	there := *spec
	there.Scenario = sc
	fold := metrics.New(metrics.Options{Items: len(sc.Work), Tokens: countTokens})
	opt, stop := s.underInterrupt("")
	opt.Sinks = []transcript.Sink{fold}
	_, err = sim.Run(&there, opt)
	stop()
	return fold.Run(), there.RunID() == spec.RunID(), err
}

// printSweep prints what each variant costs at each place, the cheapest one
// named, and where the ranking flips.
func (s *State) printSweep(file *scenarios.File, specs []*sim.Spec, cells []cell) error {
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
		t.Row(append(row, specs[cheapest(c.runs)].Variant)...)
	}
	s.printf("\n")
	return t.Write(s.Stdout, s.style())
}

// costCell is a run's cost, marked when not all its work was done: a cheap
// structure that loses facts must not look good.
func costCell(r *metrics.Run) string {
	text := report.Money(r.Total.Cost)
	if o := r.Items; o.Done < o.Total {
		text += fmt.Sprintf(" (%d/%d)", o.Done, o.Total)
	}
	return text
}

// cheapest is the index of the run that cost least among those that did all
// their work; among all of them when none did.
func cheapest(runs []*metrics.Run) int {
	best, bestCost, bestDone := 0, cachemodel.Picodollars(0), false
	for i, r := range runs {
		o := r.Items
		done := o.Done == o.Total
		if i == 0 || done && !bestDone || done == bestDone && r.Total.Cost < bestCost {
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
			where := others(file.Sweep, cells[i].labels, axis)
			if from, to := cheapest(cells[i].runs), cheapest(cells[j].runs); from != to {
				top.add(specs[to].Variant+" is the cheapest instead of "+specs[from].Variant, at, where)
			}
			for _, p := range passes(cells[i].runs, cells[j].runs) {
				rest.add(specs[p[0]].Variant+" becomes cheaper than "+specs[p[1]].Variant, at, where)
			}
		}
	}
	return append(top.lines(), rest.lines()...)
}

// passes lists the pairs of runs of which the first was not cheaper before and
// is after.
func passes(before, after []*metrics.Run) (out [][2]int) {
	for a := range before {
		for b := range before {
			if before[a].Total.Cost >= before[b].Total.Cost && after[a].Total.Cost < after[b].Total.Cost {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// changes collects what happens at the same step in several places.
type changes struct {
	order  []string
	places map[string][]string
}

func (c *changes) add(what, step, where string) {
	key := what + " " + step
	if c.places == nil {
		c.places = map[string][]string{}
	}
	if _, known := c.places[key]; !known {
		c.order = append(c.order, key)
	}
	c.places[key] = append(c.places[key], where)
}

func (c *changes) lines() (out []string) {
	for _, key := range c.order {
		line := key
		if places := c.places[key]; places[0] != "" {
			line += " (" + strings.Join(places, "; ") + ")"
		}
		out = append(out, line)
	}
	return out
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

// others says where the other axes stand.
func others(axes []scenarios.Axis, labels []string, axis int) string {
	var at []string
	for i, a := range axes {
		if i != axis {
			at = append(at, a.Short()+" "+labels[i])
		}
	}
	return strings.Join(at, ", ")
}
