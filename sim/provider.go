package sim

import (
	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/agent"
)

// What a scenario says of its provider, made into what the cache, the server and
// the agents are made of. A run is built of it, and so is what recomputes a run
// from its record.

// CacheOptions are the cache's with the scenario's over them.
func CacheOptions(p *scenarios.Provider) cachemodel.AnthropicOptions {
	opt, x := cachemodel.DefaultAnthropicOptions(), &p.Options
	if x.LookbackCrossesLevels != nil {
		opt.LookbackCrossesLevels = *x.LookbackCrossesLevels
	}
	if x.CheckpointsCapped != nil {
		opt.CheckpointsCapped = *x.CheckpointsCapped
	}
	if x.BatchHits != nil {
		opt.BatchHits = *x.BatchHits
	}
	if l := x.VisibilityLag; l != nil {
		opt.VisibilityLag = *l
	}
	if n := x.CollapseNoise; n != nil {
		opt.CollapseNoise = cachemodel.CollapseNoise{Share: n.Share, ToNothing: n.To == "nothing"}
	}
	opt.LateExpiry, opt.Batch, opt.AccountCreated = x.LateExpiry, p.Batch, p.AccountCreated
	return opt
}

// Profile is a model's profile with the scenario's overrides, and others' figures
// for those that no source gives. A model without prices is refused.
func Profile(prov *scenarios.Provider, id string) (*cachemodel.Profile, error) {
	row, err := prov.Priced(id)
	if err != nil {
		return nil, err
	}
	if err := row.Require(false); err != nil {
		return nil, err
	}
	p, _ := row.Assume(prov.CountsHidden())
	if prov.TailTokens != nil {
		p.Tail = *prov.TailTokens
	}
	if first := prov.Options.ThinkingRenderedFirst; first != nil {
		p.Salts.ThinkingRenderedFirst = *first
	}
	return p, nil
}

// Roots are the scenario's roots, whichever way it gives them.
func Roots(sc *scenarios.Scenario) []scenarios.Root {
	if sc.Main == nil {
		return sc.Roots
	}
	return []scenarios.Root{*sc.Main}
}

// RootLineage is the lineage of a root.
func RootLineage(s *scenarios.Root) string {
	if s.Name == "" {
		return "main"
	}
	return s.Name
}

// Plan is a root's breakpoint plan: its own, else the provider's.
func Plan(p *scenarios.Provider, s *scenarios.Root) *agent.Plan {
	from := p.Breakpoints
	if s.Plan != nil {
		from = *s.Plan
	}
	return &agent.Plan{Name: agent.PlanName(from.Name), TTL: p.TTL, ShortAt: p.PlanLimitAt, Fourth: p.FourthMark, Explicit: from.Explicit}
}
