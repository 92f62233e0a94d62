package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/agent"
	"agentsim/sim/client"
	"agentsim/sim/definition"
	"agentsim/sim/minimal"
	"agentsim/sim/tool"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
)

// userHome stands for the user's directory in messages.
const userHome = "~"

// DefinitionSources are the places that a run's definitions come from: its
// project, and what the scenario gives beside it.
func DefinitionSources(sc *scenarios.Scenario, project *workspace.Snapshot) []definition.Source {
	a := &sc.Project.Agents
	own := definition.Project(project)
	own.Deep = laid(sc) && sc.Project.Client != client.Seeds // as newer clients do
	out := []definition.Source{own}
	for _, name := range slices.Sorted(maps.Keys(a.Plugins)) {
		out = append(out, definition.Source{From: agent.FromPlugin, Plugin: name, Root: name, Files: a.Plugins[name].Files})
	}
	out = append(out, definition.Source{From: agent.FromUser, Root: userHome, Files: a.User},
		definition.Source{From: agent.FromPolicy, Root: "policy", Files: a.Policy})
	if a.JSON != "" {
		out = append(out, definition.Source{From: agent.FromFlag, JSON: a.JSON})
	}
	return out
}

// Definitions reads a run's definitions and lays them over the built-in ones
// that its scenario lists. Nothing of the scenario's gates that flips later
// counts.
func Definitions(sc *scenarios.Scenario, sources []definition.Source) (*definition.Set, error) {
	gates, err := gatesOf(sc)
	if err != nil {
		return nil, err
	}
	listed := agent.BuiltIns(&gates)
	for _, d := range agent.EveryBuiltIn(&gates) {
		if slices.Contains(sc.Project.Agents.BuiltIns, d.Type) && agent.Nameable(d.Type, &gates) {
			listed = append(listed, d)
		}
	}
	var tools []string
	if sc.Stack == scenarios.MinimalStack {
		for _, t := range tool.Minimal(tool.Catalogue(), nil) {
			tools = append(tools, t.Name)
		}
	}
	set := definition.Load(sources, listed, &gates, tools...)
	warn := func(place, msg string) {
		file, line := located(place)
		set.Problems = append(set.Problems, &definition.Problem{File: file, Line: line, Col: 1, Warning: true, Msg: msg})
	}
	for _, d := range set.Definitions {
		if why := unresolved(d, sc); why != "" {
			warn(cmp.Or(d.Fields["model"], d.Place), "agent "+strconv.Quote(d.Type)+" cannot be started: "+why)
		}
		for _, server := range d.Required {
			if !shares(sc, server) {
				warn(d.Place, "type "+d.Type+" is not offered: there is no MCP server "+server)
			}
		}
	}
	return set, nil
}

// shares reports whether a session may have an MCP server that no agent opens for itself.
func shares(sc *scenarios.Scenario, server string) bool {
	return sc.Project.HasTools(server) || slices.ContainsFunc(sc.Project.Servers, func(x scenarios.ServerSpec) bool {
		return x.Opens != scenarios.ByAgents && slices.Contains(named(&x), server)
	})
}

func located(place string) (file string, line int) {
	at := strings.LastIndexByte(place, ':')
	line, _ = strconv.Atoi(place[at+1:])
	return place[:max(at, 0)], line
}

// unresolved says why a definition's model is none: it loads, and a call of it that
// names no model is refused.
func unresolved(d *agent.Definition, sc *scenarios.Scenario) string {
	switch name := d.Model; {
	case d.BuiltIn() || name == "" || name == "inherit" || sc.Coordinates() || sc.Stack == scenarios.MinimalStack:
	case slices.Contains(scenarios.Aliases, name):
		if sc.Provider.Aliases[name] == "" {
			return standsForNone(name)
		}
	default:
		_, err := Profile(&sc.Provider, name)
		near := scenarios.NearAlias(name)
		switch {
		case err == nil:
		case near != "":
			return "model " + strconv.Quote(name) + " is not in the table, so there is no price for it: " + near
		default:
			return err.Error()
		}
	}
	return ""
}

// standsForNone says so of an alias, and what to write.
func standsForNone(alias string) string {
	return "its model " + alias + " is an alias that stands for no model: write provider: {aliases: {" + alias + ": " + scenarios.Newest(alias) + "}}"
}

// StoredDefinitions are the definitions of a recorded run, from its files.
func StoredDefinitions(sc *scenarios.Scenario, files map[string]string) (*definition.Set, error) {
	project, err := workspace.NewSnapshot(files)
	if err != nil {
		return nil, err
	}
	return Definitions(sc, DefinitionSources(sc, project))
}

// define gives the world its definitions, what their hooks do, and what the
// user's agents remember.
func (r *run) define(cfg *agent.Config) error {
	sc := r.spec.Scenario
	for _, h := range sc.Project.Agents.Hooks {
		cfg.Hooks = append(cfg.Hooks, agent.HookRule{Command: h.Command, Event: agent.HookEvent(h.Event), Tool: h.Tool,
			Block: h.Outcome == "block", Reason: h.Reason, Times: h.Times})
	}
	if sc.Stack == scenarios.MinimalStack {
		return r.chooseMinimal(cfg)
	}
	set := r.alike.defined
	for _, d := range set.Definitions {
		if priced(d) {
			_, _ = r.profile(d.Model) // the run's models are listed
		}
	}
	if err := defines(set.Definitions, sc); err != nil {
		return err
	}
	if err := comesBack(r, set.Definitions); err != nil {
		return err
	}
	r.defined, cfg.Definitions = set, set.Definitions
	return r.remember(set.Definitions)
}

func typeNames(defs []*agent.Definition) string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = d.Type
	}
	return strings.Join(names, ", ")
}

// priced reports whether a definition names a model that has to have prices.
func priced(d *agent.Definition) bool {
	return !d.BuiltIn() && d.Model != "" && d.Model != "inherit" && !slices.Contains(scenarios.Aliases, d.Model)
}

// remember lays what the user's agents know already where the tools reach it.
func (r *run) remember(defs []*agent.Definition) error {
	user := r.spec.Scenario.Project.Agents.User
	for _, d := range defs {
		if d.Memory != agent.MemoryUser {
			continue
		}
		to := d.MemoryPath()
		if _, later := r.fs.Stat(to); later {
			continue // an earlier run's agents wrote it
		}
		kept := to[strings.Index(to, "agent-memory/"):]
		for _, from := range []string{kept, ".claude/" + kept} {
			if text, ok := user[from]; ok {
				if _, err := r.fs.Write(to, text, -1); err != nil {
					return fmt.Errorf("project.agents.user: %w", err)
				}
			}
		}
	}
	return nil
}

// tellDefinitions records what the run's files define, and what is wrong with
// them. A run without such files records nothing.
func (r *run) tellDefinitions() {
	if r.defined == nil {
		return
	}
	for _, d := range r.defined.Rows {
		r.world.Record(&transcript.Definition{Type: d.Type, Source: string(d.Source), Place: d.Place, Outcome: string(d.Outcome), By: d.By})
	}
	for _, p := range r.defined.Problems {
		rule := "definition"
		if p.Warning {
			rule = "definition-warning"
		}
		r.world.Record(&transcript.Finding{Rule: rule, Detail: p.String()})
	}
}

// chooseMinimal makes the world one of the minimal stack: what user and project
// define before the built-in types, and of the eight tools those that act, in the
// scenario's times.
func (r *run) chooseMinimal(cfg *agent.Config) error {
	sc := r.spec.Scenario
	o := minimal.Options{ReadOnlyShell: *sc.Minimal.ReadOnlyShell, SideBySide: sc.Minimal.SideBySide}
	cfg.Stack, cfg.Coordinator = minimal.New(o, cfg.UserContext, cfg.SystemContext), nil
	set := definition.Load(DefinitionSources(sc, r.spec.Project), nil, &cfg.Gates)
	r.problems = set.Errors()
	var custom []*agent.Definition
	for _, row := range set.Rows {
		if row.Outcome != definition.Refused {
			custom = append(custom, row.Definition)
		}
	}
	cfg.Definitions = minimal.Definitions(o, custom)
	if err := defines(cfg.Definitions, sc); err != nil {
		return err
	}
	cfg.Offered = slices.DeleteFunc(tool.Minimal(cfg.Catalogue, minimal.Types(cfg.Definitions)), func(t *tool.Tool) bool { return !t.Implemented() })
	r.offered, cfg.Catalogue = cfg.Offered, cfg.Offered
	return nil
}

// defines refuses a type that the scenario has agents started of and nobody
// defines, and one of which none can be started. What exact turns call may be a
// mistake of the model's: only a definition that is there and of no use is refused.
func defines(defs []*agent.Definition, sc *scenarios.Scenario) error {
	for _, x := range sc.Starts() {
		i := slices.IndexFunc(defs, func(d *agent.Definition) bool { return d.Type == x.Type })
		switch {
		case i < 0 && !x.Scripted:
			return &ScenarioError{x.Path, fmt.Errorf("no agent of type %q is defined; there are %s", x.Type, typeNames(defs))}
		case i >= 0:
			if why := unserved(defs[i], x.Model, sc.Isolation, sc); why != "" {
				return &ScenarioError{x.Path, fmt.Errorf("agent type %q cannot be started: %s", x.Type, why)}
			}
		}
	}
	return nil
}

// unserved is why no agent of a definition can be started, with its place, "" where
// one can. A call that names a model does not ask for the definition's.
func unserved(d *agent.Definition, model, isolation string, sc *scenarios.Scenario) string {
	if why := d.Unserved(isolation, sc.Remote != nil); len(why) > 0 {
		return strings.Join(why, "; ") + "; leave it out there, or name another type"
	}
	if why := unresolved(d, sc); model == "" && why != "" {
		return d.Place + ": " + why
	}
	return ""
}

// tellProblems records the definitions that could not be read.
func (r *run) tellProblems() {
	for _, p := range r.problems {
		r.world.Record(&transcript.Finding{Rule: "definition", Detail: p.String()})
	}
}

// Departure is what the minimal stack does otherwise, by the statement that it leaves.
func Departure(id string) string { return minimal.Departure(id) }
