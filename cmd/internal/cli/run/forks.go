package run

import (
	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/crossover"
)

// forkOrFresh compares the children of the variant with forks with those of the one
// with fresh sub-agents, in the background as forks are where there is one. It is nil
// where one of them is missing or its calls are not recorded.
func (a *answer) forkOrFresh(s *ui.Env) (*forks.Point, error) {
	forked, fresh := a.by(scenarios.Fork), a.by(scenarios.SubagentInBackground)
	if fresh == nil {
		fresh = a.by(scenarios.Subagent)
	}
	if forked == nil || fresh == nil || a.rec.Err != nil || a.rec.DB == nil || a.record != "full" {
		return nil, nil
	}
	in := &crossover.Inputs{}
	for _, x := range []*executed{fresh, forked} {
		info, err := rundb.Find(a.rec.DB, x.Result.RunID)
		if err != nil {
			return nil, err
		}
		session, err := loading.Session(a.rec.DB, info)
		if err != nil {
			return nil, err
		}
		in.Add(session)
	}
	if in.Forks == 0 || len(in.Children) == 0 {
		return nil, nil
	}
	runs := ui.Short(fresh.Result.RunID) + " " + ui.Short(forked.Result.RunID)
	p := &forks.Point{In: in, Pair: in.Billed, How: "billed in " + fresh.Spec.Variant + " and " + forked.Spec.Variant,
		Next: "agentsim crossover " + runs + rundb.At(s, a.db)}
	return p, p.Drawn(append([]string{}, fresh.Spec.Scenario.Profile.From...))
}

// by is the variant in which a structure did all the work; nil for none.
func (a *answer) by(structure scenarios.Structure) *executed {
	for i := range a.done {
		if x := &a.done[i]; x.Spec.Scenario.Structure == structure && x.Result.Outcome == sim.Completed {
			return x
		}
	}
	return nil
}
