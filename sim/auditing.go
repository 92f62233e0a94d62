package sim

import (
	"maps"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/minimal"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// AuditOptions is what a run was told beforehand, as an auditor has to know it.
func AuditOptions(spec *Spec) audit.Options {
	sc := spec.Scenario
	return audit.Options{LateExpiry: sc.Provider.Options.LateExpiry, EvictAfter: evictAfter(sc), Rerender: sc.Forks.Rerender || sc.Forks.FreshDecisions,
		Handoffs: auditedHandoffs(spec), OwnPrompts: ownPrompts(sc), TypedChildren: sc.Forks.TypedChildren, Session: auditedSession(spec)}
}

// auditedSession is what a run's session allows, and what its agents are to be.
func auditedSession(spec *Spec) *audit.Session {
	sc := spec.Scenario
	p := &sc.Permissions
	out := &audit.Session{Deny: p.Deny, Ask: p.Ask, Allow: slices.Concat(p.Allow, p.CliAllow), Allowed: p.Allowed, Everyone: p.CliAllow, Took: fixedTimes(sc), Children: p.Children,
		Depth: sc.Limits.Depth, Turns: sc.Limits.Turns, Minimal: sc.Stack == scenarios.MinimalStack, Elsewhere: sc.Forks.Directory != "",
		Model: sc.Provider.SubagentModel, Aliases: maps.Clone(sc.Provider.Aliases), Interactive: sc.Interactive, Gates: map[string]bool{},
		TTL: sc.Provider.TTL, ChildTTL: sc.Provider.SubagentTTL, ShortAt: sc.Provider.PlanLimitAt, HeadMarked: planned(sc, agent.PlanAgent, agent.PlanLast), Retries: *sc.Retry.Max, SideBySide: sc.Minimal.SideBySide,
		Full: fullAt(sc), Interrupts: interrupts(sc), SharedMarked: planned(sc, agent.PlanAgent)}
	for _, g := range gate.All() {
		out.Gates[g.Name] = sc.Gate(g.Name) == "true"
	}
	gates, err := gatesOf(sc)
	if err != nil {
		return nil // the run says so
	}
	for _, d := range definitionsOf(sc, spec, &gates) {
		if out.Types == nil {
			out.Types = map[string]audit.Type{}
		}
		t := audit.Type{Model: d.Model, Mode: string(d.Mode), MaxTurns: d.MaxTurns, OmitClaude: d.OmitClaude, OmitGit: d.OmitGit, Background: d.Background, TTL: d.CacheTTL, Brings: d.Memory != "" || d.InitialPrompt != "" || d.Skills != nil}
		for _, h := range d.Hooks {
			t.Hooks = append(t.Hooks, string(h.Event)+" "+h.Command)
		}
		if render := d.Prompt; render != nil {
			t.Prompt = func() string { return render(&gates) }
		}
		if _, found := out.Types[d.Type]; !found {
			out.Types[d.Type] = t
		}
	}
	return out
}

// planned reports whether every root of a run has one of some plans.
func planned(sc *scenarios.Scenario, plans ...agent.PlanName) bool {
	return !slices.ContainsFunc(Roots(sc), func(s scenarios.Root) bool { return !slices.Contains(plans, Plan(&sc.Provider, &s).Name) })
}

// fullAt is how many tokens fill a model's window, nil where no history becomes a
// summary.
func fullAt(sc *scenarios.Scenario) func(model string) int64 {
	share := sc.CompactionShare()
	if share == 0 {
		return nil
	}
	return func(model string) int64 {
		p, err := Profile(&sc.Provider, model)
		if err != nil {
			return 0
		}
		return sc.ContextWindow(p.Window) * share / 100
	}
}

// interrupts are the instants at which the users interrupt their roots.
func interrupts(sc *scenarios.Scenario) map[string][]vtime.Instant {
	out := map[string][]vtime.Instant{}
	for _, r := range Roots(sc) {
		name := RootLineage(&r)
		for _, s := range r.Then {
			if s.At != nil && s.Interrupt {
				out[name] = append(out[name], vtime.Instant(*s.At))
			}
		}
		slices.Sort(out[name])
	}
	return out
}

// fixedTimes are how long calls of those tools take that always take as long.
func fixedTimes(sc *scenarios.Scenario) map[string]vtime.Duration {
	all, out := tool.Catalogue(), map[string]vtime.Duration{}
	setTimes(sc, all)
	for _, t := range all {
		if t.Took > 0 && t.Drawn == nil {
			out[t.Name] = t.Took
		}
	}
	return out
}

// gatesOf are the gates as a run begins.
func gatesOf(sc *scenarios.Scenario) (gate.Set, error) {
	gates := gate.Default()
	for _, g := range gate.All() {
		if err := gates.Set(g.Name, sc.Gate(g.Name)); err != nil {
			return gates, err
		}
	}
	return gates, nil
}

// definitionsOf are the definitions that the agents of a run can have.
func definitionsOf(sc *scenarios.Scenario, spec *Spec, gates *gate.Set) []*agent.Definition {
	sources := DefinitionSources(sc, spec.Project)
	if sc.Stack == scenarios.MinimalStack {
		var custom []*agent.Definition
		for _, row := range definition.Load(sources, nil, gates).Rows {
			if row.Outcome != definition.Refused {
				custom = append(custom, row.Definition)
			}
		}
		return minimal.Definitions(minimal.Options{}, custom)
	}
	set, err := Definitions(sc, sources)
	if err != nil {
		return nil
	}
	return append(set.Definitions, agent.EveryBuiltIn(gates)...)
}
