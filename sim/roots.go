package sim

import (
	"cmp"
	"fmt"
	"slices"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/coordinator"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

// startRoots starts every root conversation of the scenario.
func (r *run) startRoots() error {
	roots := Roots(r.spec.Scenario)
	if r.session != nil {
		roots = r.session.roots()
	}
	for i := range roots {
		spec, err := r.root(&roots[i])
		if err != nil {
			return err
		}
		r.world.Start(spec)
	}
	return nil
}

// root turns a root of the scenario into what the agent layer starts.
func (r *run) root(s *scenarios.Root) (agent.RootSpec, error) {
	sc := r.spec.Scenario
	name := RootLineage(s)
	out := agent.RootSpec{
		Lineage: name, Start: s.At, Model: r.model(sc.Provider.Model), Workspace: sc.Provider.Workspace, Offered: r.offered,
		Bare: s.Context != nil && !*s.Context, Plan: Plan(&sc.Provider, s), MaxTurns: s.MaxTurns, Warms: s.Settings.Warms(),
	}
	if s.Workspace != "" {
		out.Workspace = s.Workspace
	}
	out.Workspace = sc.Provider.Scope(out.Workspace)
	if s.Tools == nil && sc.Coordinates() {
		var err error
		if out.Offered, err = tool.Pick(r.offered, tool.CoordinatorTools[:3]); err != nil {
			return out, err
		}
	}
	if s.Tools != nil {
		picked, err := tool.Pick(r.offered, *s.Tools)
		if err != nil {
			return out, noTool(r, s, name, err)
		}
		out.Offered = picked
	}
	if own := r.headPrompt(); own != nil && !sc.Coordinates() {
		out.System, out.Static = own, max(len(own)-1, 1)
	}
	if s.System != nil {
		out.System, out.Static = r.texts(*s.System, name+"/system"), 1
		if len(out.System) == 1 && out.System[0] == "" {
			out.System = []string{}
		}
	}
	settings := sc.Settings
	if s.Settings != nil {
		settings = s.Settings.Over(settings)
	}
	out.Settings = requestSettings(sc, settings)
	if s.User != nil {
		out.First = r.blocks(*s.User, name+"/user")
		if r.within != "" {
			out.First = append(out.First, llm.Block{Kind: llm.Text, Content: llm.NewText(llm.Prose, "All of it is in "+r.within+".")})
		}
	}
	var steps []user.Step
	for i, st := range s.Then {
		steps = append(steps, r.step(st, fmt.Sprintf("%s/then/%d", name, i), &settings))
	}
	out.User = user.New(steps)
	return out, nil
}

// noTool is the error of a root that names a tool which is none, with its place and what it
// may mean.
func noTool(r *run, s *scenarios.Root, name string, err error) error {
	i := slices.IndexFunc(*s.Tools, func(n string) bool { return tool.Find(r.offered, n) == nil })
	if i < 0 {
		return fmt.Errorf("root %s: %w", name, err)
	}
	at := "main"
	if k := slices.IndexFunc(r.spec.Scenario.Roots, func(x scenarios.Root) bool { return x.Name == s.Name }); k >= 0 && s.Name != "" {
		at = fmt.Sprintf("roots[%d]", k)
	}
	names := tool.Names(r.offered)
	for _, t := range r.alike.tools {
		if r.spec.Scenario.Stack != scenarios.MinimalStack && t.Implemented() && tool.Find(r.offered, t.Name) == nil {
			names = append(names, t.Name)
		}
	}
	return &ScenarioError{fmt.Sprintf("%s.tools[%d]", at, i), scenarios.NoTool((*s.Tools)[i], names)}
}

// step turns a step of the user into what the agent layer does. Settings are
// what holds until then, and afterwards what holds from then on.
func (r *run) step(s scenarios.UserStep, name string, settings *scenarios.SettingsSpec) user.Step {
	out := user.Step{Act: agent.Act{Interrupt: s.Interrupt, KillAgents: s.KillAgents, Background: s.Background, Show: s.Show, To: s.To, Warms: s.Settings.Warms()}}
	if s.On != nil {
		out.On = &user.Trigger{Kind: s.On.Event, Agent: s.On.Agent, Tool: s.On.Tool, Nth: s.On.Nth}
	}
	out.Met = awaits(r, name, &s)
	if s.After != nil {
		out.After = vtime.Duration(s.After.Draw(r.key.Sub("user").Sub(name)))
	}
	if s.At != nil {
		out.Timed, out.At = true, *s.At
	}
	if s.Message != nil {
		out.Message = r.blocks(*s.Message, name)
	}
	if q := s.Aside; q != nil {
		out.Aside = &agent.Aside{Question: r.blocks(q.Ask, name+"/aside"), Fresh: q.Context == "none", Tools: q.Tools, Turns: q.Turns}
	}
	if s.Settings != nil {
		*settings = s.Settings.Over(*settings)
		set := requestSettings(r.spec.Scenario, *settings)
		out.Settings = &set
	}
	return out
}

// awaits notes what a step is to act on as late, and gives what notes that it has. What
// waits for an event is to act on something once that has come.
func awaits(r *run, name string, s *scenarios.UserStep) func(what string) {
	act := func() {
		for _, x := range s.Acts() {
			r.late = append(r.late, name+"."+x)
		}
	}
	if s.On == nil {
		act()
	} else {
		r.late = append(r.late, name+"."+agent.MetEvent)
	}
	return func(what string) {
		was := len(r.late)
		r.late = slices.DeleteFunc(r.late, func(x string) bool { return x == name+"."+what })
		if what == agent.MetEvent && len(r.late) < was {
			act()
		}
	}
}

// requestSettings translates settings of a scenario. The provider's speed is that
// of every request.
func requestSettings(sc *scenarios.Scenario, s scenarios.SettingsSpec) llm.Settings {
	modes := map[string]llm.ThinkingMode{"enabled": llm.ThinkingEnabled, "adaptive": llm.ThinkingAdaptive}
	return llm.Settings{Effort: s.Effort, Thinking: modes[s.Thinking], ThinkingBudget: s.ThinkingBudget, ToolChoice: s.ToolChoice,
		Speed: sc.Provider.Speed}
}

// model is the id of a model that the scenario names.
func (r *run) model(name string) string { return r.spec.Scenario.Provider.ModelID(name) }

// remote is what the scenario's remote environments are like.
func remote(sc *scenarios.Scenario) agent.Remote {
	r := sc.Remote
	if r == nil {
		return agent.Remote{}
	}
	return agent.Remote{Offered: true, Latency: *r.Latency, Loss: r.Loss, Reconnect: *r.Reconnect, Scope: sc.Provider.Scope}
}

// teams is where teammates of the scenario run.
func teams(sc *scenarios.Scenario) agent.Teams {
	out := agent.Teams{Environment: sc.Environment()}
	if t := sc.Teams.StartUp; t != nil {
		out.StartUp = *t
	}
	return out
}

// linked are the directories that git does not track where a scenario names none.
var linked = []string{"node_modules"}

// repository is what the scenario's project is in.
func repository(sc *scenarios.Scenario) agent.Repository {
	p := &sc.Project
	r := agent.Repository{None: p.Repository == scenarios.NoRepository, Empty: p.Repository == scenarios.Uncommitted, Linked: linked}
	if p.Linked != nil {
		r.Linked = *p.Linked
	}
	if scenarios.SharesScratchpad(sc) {
		r.Linked = append(slices.Clone(r.Linked), cmp.Or(sc.Coordinator.Scratchpad, coordinator.DefaultScratchpad)) // one for all workers
	}
	return r
}
