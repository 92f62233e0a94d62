package metrics

import (
	"slices"
	"strings"

	"agentsim/sim/vtime"
)

// Run is the figures so far. It may be asked for at any time; what it returns
// is a copy.
func (f *Fold) Run() *Run {
	r := f.run
	r.Makespan = f.last.Sub(f.first)
	r.Agents = make([]Agent, len(f.agents))
	for i := range f.agents {
		r.Agents[i] = f.agents[i].Agent
		r.Total.Add(&r.Agents[i].Tally)
		if r.Agents[i].Lineage != "" {
			r.Started++
		}
		r.CriticalPath = max(r.CriticalPath, r.Agents[i].Path)
	}
	rollUp(r.Agents)
	r.Siblings = f.siblings()
	r.Models = f.modelFigures()
	for _, w := range f.watch {
		if w.Tally.Requests > 0 {
			r.Watched = append(r.Watched, w.Watched)
		}
	}
	r.Types = types(r.Agents, r.Siblings)
	f.outcomes(&r)
	f.phases(&r)
	return &r
}

// rollUp adds each agent's consumption to its parent's. A child's ordinal is
// above its parent's, so one pass from the end reaches every ancestor.
func rollUp(agents []Agent) {
	for i := len(agents) - 1; i >= 0; i-- {
		a := &agents[i]
		a.Rolled = a.Rolled.Plus(a.Tally.Usage)
		a.RolledCost += a.Tally.Cost
		if a.Parent >= 0 {
			p := &agents[a.Parent]
			p.Rolled = p.Rolled.Plus(a.Rolled)
			p.RolledCost += a.RolledCost
		}
	}
}

func (f *Fold) modelFigures() []Model {
	out := make([]Model, 0, len(f.models))
	for _, m := range f.models {
		out = append(out, m.Model)
	}
	slices.SortFunc(out, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// types sums agents by type, in the order of the names.
func types(agents []Agent, groups []Siblings) []Type {
	var out []Type
	var from, to []vtime.Instant
	at := map[string]int{}
	for i := range agents {
		a := &agents[i]
		if a.Lineage == "" {
			continue // announced by a child's event, but never started
		}
		n, known := at[a.Type]
		if !known {
			n = len(out)
			at[a.Type] = n
			out = append(out, Type{Name: a.Type, Structure: a.Structure})
			from, to = append(from, a.Started), append(to, a.Ended)
		}
		t := &out[n]
		t.Agents++
		t.Tally.Add(&a.Tally)
		if e := slices.Index(Endings[:], a.Status); a.Parent >= 0 && e >= 0 {
			t.CutShort[e]++
		}
		from[n], to[n] = min(from[n], a.Started), max(to[n], a.Ended)
		t.Span = to[n].Sub(from[n])
	}
	for _, g := range groups {
		t := &out[at[g.Type]]
		t.Siblings = append(t.Siblings, g)
	}
	slices.SortFunc(out, func(a, b Type) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// outcomes counts the latest word about each item, for the run and for the type
// that gave it.
func (f *Fold) outcomes(r *Run) {
	for _, rep := range f.items { // order: counts add up the same in any order
		r.Items.count(rep.outcome)
		r.Items.Total++
		if rep.agent < 0 || int(rep.agent) >= len(r.Agents) {
			continue
		}
		if t, ok := r.Type(r.Agents[rep.agent].Type); ok {
			t.Items.count(rep.outcome)
			t.Items.Total++
		}
	}
	r.Items.Total = max(r.Items.Total, int64(f.opt.Items))
}
