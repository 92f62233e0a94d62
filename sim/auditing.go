package sim

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/audit"
	"agentsim/sim/client"
	"agentsim/sim/coordinator"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/minimal"
	"agentsim/sim/rng"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

// AuditOptions is what a run was told beforehand, as an auditor has to know it.
func AuditOptions(spec *Spec) audit.Options {
	sc := spec.Scenario
	return audit.Options{LateExpiry: sc.Provider.Options.LateExpiry, EvictAfter: evictAfter(sc), Rerender: sc.Forks.Rerender || sc.Forks.FreshDecisions,
		Handoffs: auditedHandoffs(spec), OwnPrompts: ownPrompts(sc), TypedChildren: sc.Forks.TypedChildren, Session: timedSession(spec)}
}

// timedSession is a run's session with how long its calls take, which its seed decides.
func timedSession(spec *Spec) *audit.Session {
	var s *audit.Session
	if spec.alike != nil {
		s = spec.alike.session
	} else {
		s = auditedSession(spec)
	}
	l, err := spec.Scenario.Provider.Latency.Whole()
	if s == nil || err != nil {
		return s
	}
	out := *s
	out.Timing = &audit.Timing{Queue: l.Queue, Prefill: l.Prefill, Read: l.Read, Decode: l.Decode, Jitter: l.Jitter, Queued: l.Queued, Jittered: l.Jittered,
		Draws: rng.Root(spec.Seed()).Sub("agents")}
	return &out
}

// auditedSession is what a run's session allows, and what its agents are to be, alike
// with every seed that draws no files.
func auditedSession(spec *Spec) *audit.Session {
	sc := spec.Scenario
	p := &sc.Permissions
	out := &audit.Session{Deny: p.Deny, Ask: p.Ask, Allow: slices.Concat(p.Allow, p.CliAllow), Allowed: p.Allowed, Everyone: p.CliAllow, Took: fixedTimes(sc), Children: p.Children,
		Depth: sc.Limits.Depth, Turns: sc.Limits.Turns, Minimal: sc.Stack == scenarios.MinimalStack, Elsewhere: sc.Forks.Directory != "",
		Model: sc.Provider.SubagentModel, Aliases: maps.Clone(sc.Provider.Aliases), Interactive: sc.Interactive, Gates: map[string]bool{},
		TTL: sc.Provider.TTL, ChildTTL: sc.Provider.SubagentTTL, ShortAt: sc.Provider.PlanLimitAt, HeadMarked: planned(sc, agent.PlanAgent, agent.PlanLast), Retries: sc.Retry.Max, SideBySide: sc.Minimal.SideBySide,
		Full: fullAt(sc), Interrupts: interrupts(sc), SharedMarked: planned(sc, agent.PlanAgent), Scratchpad: cmp.Or(sc.Coordinator.Scratchpad, coordinator.DefaultScratchpad), MaxTokens: sc.Settings.Tokens(), Over: sc.Tools.ReplaceOver, Preview: sc.Tools.Preview,
		RetryBase: sc.Retry.Base, RetryCap: sc.Retry.Cap, File: projectFile(spec)}
	for _, g := range gate.All() {
		v := sc.Gate(g.Name)
		out.Gates[g.Name] = v == "true" || v == gate.Internal
	}
	gates, err := gatesOf(sc)
	if err != nil {
		return nil // the run says so
	}
	out.Heads, out.PluginsOnly = len(sc.Heads) > 0, pluginsOnly(sc)
	auditedTools(out, sc, &gates)
	auditedRoots(out, sc)
	out.ClaudeMd = hasKind(sc, client.Memory, sc.Project.ClaudeMd)
	out.GitStatus = hasKind(sc, client.Git, sc.Project.GitStatus)
	out.Linked = repository(sc).Linked
	if sc.Remote != nil {
		out.Link = sc.Remote.Latency
	}
	if r := repository(sc); r.None || r.Empty {
		out.NoCommit = sc.Project.Repository
	}
	for _, a := range p.Answers {
		reply := strings.Replace(a.Reply, "always", "allow", 1)
		if a.Nth > 0 {
			reply = ""
		}
		out.Answers = append(out.Answers, audit.Answer{Agent: a.Agent, Rule: a.Rule, Reply: reply})
	}
	listed, others := definitionsOf(sc, spec, &gates)
	for i, d := range append(listed, others...) {
		if out.Types == nil {
			out.Types = map[string]audit.Type{}
		}
		t := audit.Type{Model: d.Model, Mode: string(d.Mode), MaxTurns: d.MaxTurns, OmitClaude: d.OmitClaude, OmitGit: d.OmitGit, Background: d.Background, TTL: d.CacheTTL, Brings: d.Memory != "" || d.InitialPrompt != "" || d.Skills != nil}
		t.Listed, t.BuiltIn, t.About, t.Tools, t.Disallowed, t.Skills, t.Initial, t.Memory, t.Effort, t.Refused = i < len(listed), d.BuiltIn(), d.Description, d.Tools, d.Disallowed, d.Skills, d.InitialPrompt, string(d.Memory), d.Effort, d.Refused != nil
		t.Isolation = d.Isolation
		t.Servers, t.Inline, t.Required, t.Trusted = d.Servers, d.Inline, d.Required, d.Source == agent.FromPlugin || d.Source == agent.FromPolicy || d.BuiltIn()
		for _, h := range d.Hooks {
			t.Hooks = append(t.Hooks, audit.Hook{Event: string(h.Event), Matcher: h.Matcher, Command: h.Command})
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

// auditedTools tells an auditor of a run's tools, by name: what their definitions say does
// not matter to it.
func auditedTools(out *audit.Session, sc *scenarios.Scenario, gates *gate.Set) {
	unsaid := func(*scenarios.FrontPart) string { return "" }
	all := headTools(sc, tool.Catalogue(), unsaid)
	out.Laid = laid(sc)
	out.OwnAgentTool = slices.ContainsFunc(headParts(sc, client.Tool), func(x *scenarios.FrontPart) bool { return x.Name == tool.AgentName })
	offered, err := sessionTools(sc, gates, all, len(headParts(sc, client.Skills)) > 0)
	if err != nil {
		return // the run says so
	}
	out.Offered, out.Catalogue = tool.Names(offered), tool.Names(all)
	for _, t := range all {
		if t.Raw != "" {
			out.Own = append(out.Own, t.Name)
		}
	}
	out.Servers = auditedServers(sc, all)
}

// auditedRoots tells an auditor of a run's roots and their users.
func auditedRoots(out *audit.Session, sc *scenarios.Scenario) {
	out.Roots = map[string]audit.Root{}
	for _, r := range Roots(sc) {
		settings := sc.Settings
		if r.Settings != nil {
			settings = r.Settings.Over(settings)
		}
		is := audit.Root{Model: sc.Provider.ModelID(sc.Provider.Model), MaxTurns: r.MaxTurns, Warms: r.Settings.Warms(), Bare: r.Context != nil && !*r.Context,
			Settings: []llm.Settings{requestSettings(sc, settings)}}
		if r.User != nil {
			is.Messages++
		}
		if r.Tools != nil {
			is.Tools = append([]string{}, *r.Tools...)
		}
		for _, s := range r.Then {
			if is.Warms = is.Warms || s.Settings.Warms(); s.Settings != nil {
				settings = s.Settings.Over(settings)
				is.Settings = append(is.Settings, requestSettings(sc, settings))
			}
			if s.Message != nil && s.On == nil && s.To == "" {
				is.Messages++
			}
			if on := s.On; on != nil {
				is.Acts = append(is.Acts, audit.Act{Kind: on.Event, Agent: on.Agent, Tool: on.Tool, Nth: max(1, on.Nth), Speaks: s.Message != nil && s.To == "",
					Interrupt: s.Interrupt, Background: s.Background, Kill: s.KillAgents})
			}
			if s.At != nil && s.KillAgents {
				is.Kills = append(is.Kills, vtime.Instant(*s.At))
			}
			if s.At != nil && s.Background {
				is.Backgrounds = append(is.Backgrounds, vtime.Instant(*s.At))
			}
		}
		out.Roots[RootLineage(&r)] = is
	}
}

// projectFile reads a file of a project as it is before a run: not one into which the
// scenario writes facts or instructions.
func projectFile(spec *Spec) func(name string) (string, bool) {
	changed := map[string]bool{}
	for _, f := range spec.Scenario.Project.Facts {
		changed[f.File] = true
	}
	for _, i := range spec.Scenario.Injections {
		changed[i.File] = true
	}
	return func(name string) (string, bool) {
		if changed[name] {
			return "", false
		}
		return spec.Project.Content(name)
	}
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

// definitionsOf are the definitions that the agents of a run can have: those that
// calls may name, and the built-in ones.
func definitionsOf(sc *scenarios.Scenario, spec *Spec, gates *gate.Set) (listed, others []*agent.Definition) {
	sources := DefinitionSources(sc, spec.Project)
	if sc.Stack == scenarios.MinimalStack {
		var custom []*agent.Definition
		for _, row := range definition.Load(sources, nil, gates).Rows {
			if row.Outcome != definition.Refused {
				custom = append(custom, row.Definition)
			}
		}
		return minimal.Definitions(minimal.Options{ReadOnlyShell: *sc.Minimal.ReadOnlyShell}, custom), nil
	}
	set, err := Definitions(sc, sources)
	if err != nil {
		return nil, nil
	}
	return set.Definitions, agent.EveryBuiltIn(gates)
}
