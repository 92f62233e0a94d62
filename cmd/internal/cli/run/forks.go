package run

import (
	"fmt"
	"slices"

	"agentsim/cmd/internal/forks"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/rundb"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/crossover"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// forkOrFresh compares the children of the variant with forks with those of the one
// with fresh sub-agents, in the background as forks are where there is one. It is nil
// where one of them is missing or its calls are not recorded.
func (a *answer) forkOrFresh(s *ui.Env) (*forks.Point, error) {
	forked, fresh := a.by(scenarios.Fork), a.by(scenarios.SubagentInBackground)
	if fresh == nil {
		fresh = a.by(scenarios.Subagent)
	}
	if forked == nil || fresh == nil || a.rec.Err != nil {
		return nil, nil
	}
	for _, x := range []*executed{fresh, forked} {
		if o := x.Metrics.Items; o.Done < o.Total {
			a.silent = fmt.Sprintf("not compared with fresh sub-agents: %s did %d of %s", x.Spec.Variant, o.Done, ui.Plural(int(o.Total), "item"))
			return nil, nil
		}
	}
	if !a.inFull() {
		a.silent = "not compared with fresh sub-agents: that needs every call with its content, which --record " + a.record + " does not keep"
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
	if fresh.Spec.Scenario.Structure == scenarios.SubagentInBackground && a.by(scenarios.Subagent) != nil {
		p.Why = "compared with " + fresh.Spec.Variant + ", not with the sub-agents that are waited for: forks run in the background too"
	}
	if fresh.Result.Draws+forked.Result.Draws > 0 {
		p.Seed, p.Over = fmt.Sprint(fresh.Spec.Seed()), a.over([]executed{*fresh, *forked})
	}
	p.Missed = lookBack(forked.Metrics)
	p.Name = fresh.Spec.Scenario.Profile.Name
	p.Profile = scenarios.Taken(a.file, fresh.Spec.Scenario)
	return p, p.Drawn(append([]string{}, fresh.Spec.Scenario.Profile.From...))
}

// lookBack says how many calls of forks found their parents' prompts out of reach, and
// what keeps them in reach; "" for none.
func lookBack(m *metrics.Run) string {
	var n int64
	for _, t := range m.Types {
		if t.Structure == transcript.Fork {
			n += t.Tally.Misses[llm.MissLookBack].Calls
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("look-back in %s; provider: {fourth_mark: true} has none, nor has model: {spawns_per_turn: 8}", ui.Plural(int(n), "call"))
}

// over is the command that bills variants over more seeds.
func (a *answer) over(done []executed) string {
	words := []string{"agentsim", "sweep", a.name, "--seeds", "20"}
	for _, x := range done {
		words = append(words, "--variant", x.Spec.Variant)
	}
	for _, set := range a.sets {
		words = append(words, "--set", set)
	}
	return ui.QuoteAll(append(words, a.project.Words()...))
}

// oneSeed says that other seeds give other figures, where a comparison has drawn ones.
func (a *answer) oneSeed() []string {
	if len(a.done) < 2 || !slices.ContainsFunc(a.done, func(x executed) bool { return x.Result.Draws > 0 }) {
		return nil
	}
	done := a.done
	if len(done) == len(a.file.VariantNames()) {
		done = nil
	}
	return []string{report.OneSeed(a.done[0].Spec.Seed()), a.over(done)}
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
