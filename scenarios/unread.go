package scenarios

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
)

// rule says why nothing in a scenario reads some keys.
type rule struct {
	keys string // paths, with blanks between them; * is any element of a list
	fate fate
	why  func(s *Scenario) string // "" where something reads them
}

// fate is what becomes of a key that nothing reads.
type fate uint8

const (
	quiet   fate = iota // where a variant, a grid or --set gives it, it is refused; in the file itself it may stand for what --set will say
	warned              // likewise, and in the file itself it is told
	refused             // wherever it is given
	trimmed             // likewise; where another variant reads it, this one has its default
)

// byRecord are keys that a recorded session says itself.
const byRecord = "provider.latency provider.breakpoints provider.fourth_mark provider.subagent_ttl settings hidden tools.read tools.grep tools.glob tools.edit fan_out compaction " +
	"provider.plan_limit_at provider.tail_tokens provider.hidden_tokens permissions limits.turns project"

// ofSpawns are gates that decide how agents run that others start.
const ofSpawns = "gates.KAIROS gates.PROACTIVE gates.CLAUDE_AUTO_BACKGROUND_TASKS gates.tengu_auto_background_agents gates.tengu_slim_subagent_claudemd"

// rules are all keys that something may leave unread. The first that fits counts.
var rules = []rule{
	{"work", trimmed, when((*Scenario).allScripted, "every root has a script, so nobody begins it")},
	{"structure", trimmed, when((*Scenario).allScripted, "every root has a script, so nobody follows it")},
	{"scope", trimmed, unless((*Scenario).hasWork, "there is no work for it")},
	{"plan", trimmed, unless((*Scenario).hasWork, "there is no work to plan")},
	{"project.facts", trimmed, unless((*Scenario).hasWork, "only work needs facts")},
	{"model", trimmed, unless((*Scenario).hasWork, "only the policy reads it, and there is no work for it")},
	{"coordinator", trimmed, unless((*Scenario).Coordinates, "nobody coordinates: "+coordinatorGate+" and "+coordinatorEnvGate+" are not both on")},
	{"type", trimmed, when(onlyScripted, "a script says of each agent that it spawns what it is")},
	{"isolation", trimmed, when(func(s *Scenario) bool { return s.Isolation == Isolated && onlyScripted(s) }, "only agents that do work get a worktree so, and scripts start all")},
	{"type", trimmed, unless(func(s *Scenario) bool { return s.hasWork() && s.spawns() }, nobodySpawned)},
	{"type", trimmed, when(func(s *Scenario) bool { return s.Structure.Base() == Coordinated }, "a coordinator starts workers and nobody else")},
	{"isolation", trimmed, when(func(s *Scenario) bool { return s.Isolation == Isolated && !(s.hasWork() && s.spawns()) }, nobodySpawned)},
	{"isolation", trimmed, when(func(s *Scenario) bool { return s.Isolation == Isolated && !editsByChildren(s) }, "nobody who is spawned edits, and only who edits gets a worktree")},
	{"fan_out forks", trimmed, unless((*Scenario).spawns, nobodySpawned)},
	{"minimal", trimmed, unless((*Scenario).minimal, "only stack minimal reads it")},
	{"classifier", trimmed, withoutVerdicts},
	{"coordinator.workers coordinator.synthesis coordinator.broad coordinator.corrections coordinator.approaches coordinator.overlap", trimmed,
		unless((*Scenario).leads, "only structure coordinator reads it")},
	{"coordinator.scratchpad", trimmed, unless(func(s *Scenario) bool { return s.turnsOn(scratchGate) }, "gate "+scratchGate+" is off")},
	{"model.obeys", trimmed, when(func(s *Scenario) bool { return len(s.Injections) == 0 }, "there are no injections")},
	{"permissions.children", trimmed, withoutModes},
	{"gates." + simpleGate + " gates." + scratchGate, trimmed, unless(func(s *Scenario) bool { return s.Coordinates() || s.minimal() }, forWorkers)},
	{"gates." + coordinatorGate + " gates." + coordinatorEnvGate, warned, when(halfCoordinates, "a coordinator takes both "+coordinatorGate+" and "+coordinatorEnvGate)},
	{"permissions.timeout", warned, unless(mayTimeOut, "every prompt is answered: no answer is reply: never")},
	{"permissions.classifier", refused, unless(func(s *Scenario) bool { return s.Permissions.Mode == "auto" }, "the classifier is asked in mode auto only")},

	{"project.tool_search", refused, unless(func(s *Scenario) bool {
		return s.Project.HasServers() || s.Project.Client != "" || s.Project.Directory != ""
	}, "there are no MCP servers")},
	{"provider.subagent_model", warned, withoutSubagents},
	{"provider.subagent_ttl", warned, withoutFresh},
	{"provider.plan_limit_at", warned, unless(func(s *Scenario) bool { return s.Provider.TTL == llm.TTL1h }, "provider.ttl is not 1h, and 5m is what there is over the limit")},
	{"provider.account_created provider.options.thinking_rendered_first model.think_tokens work.*.think", warned, withoutThinking},
	{"provider.counter", warned, unless(counted, "no scripted turn has counts")},
	{"settings.effort main.settings.effort", warned, withoutEffort},
	{"model.prompt_budget model.gist_tokens model.report_budget project.facts.*.gist project.facts.*.grade work.*.about", warned, withoutPrompts},
	{"model.prompt_budget", warned, unless(func(s *Scenario) bool { return relays(s) || relaysPlaces(s) }, "no item knows, yields or reads anything that a prompt could pass on")},
	{"model.report_budget", warned, unless(relays, "no item knows or yields anything that a report could pass on")},
	{"model.gist_tokens", warned, unless(relays, "nothing is passed on: no item knows or yields anything")},
	{"compaction.window compaction.budget", warned, when(func(s *Scenario) bool { return s.CompactionShare() == 0 }, "compaction.share is 0, so no history is summed up")},
	{"model.prompting work.*.prompting", warned, withoutOrders},
	{"model.wander.uses", warned, unless((*Scenario).hasWork, "there is no work")},
	{"model.wander.near model.wander.may_learn", warned, unless(func(s *Scenario) bool { return s.hasWork() && s.Model.Wander.Uses.Set }, "model.wander.uses is not given")},
	{"work.*.by", warned, withoutLead},
	{"work.*.agent", warned, func(s *Scenario) string { why, _ := s.AgentsUnused(); return why }},
	{"heads", warned, when((*Scenario).minimal, "stack minimal has heads of its own")},
	{"model.spawns_per_turn model.at_once.spawns", warned, unless((*Scenario).delegates, nobodySpawned)},
	{"model.spawns_per_turn", warned, when(func(s *Scenario) bool { return ownAtOnce(s, &s.Model.AtOnce.Spawns) }, "model.at_once.spawns takes its place")},
	{"model.reads_per_turn", warned, when(readsAtOnce, "model.at_once takes its place")},
	{"project.linked", warned, unless(mayLink, "nobody gets a worktree, and nobody runs git")},
	{"retry", warned, unless(mayFail, "nothing fails: there are no faults and no rate limits")},
	{"tools.preview", warned, unless(func(s *Scenario) bool { return s.Tools.ReplaceOver > 0 || len(s.ReplaceFlips) > 0 }, "tools.replace_over is 0, so no result is replaced")},
	{"fan_out.cap", warned, unless(func(s *Scenario) bool { return s.FanOut.Hold == "first-response" }, "fan_out.hold is none")},
	{"fan_out", warned, when(func(s *Scenario) bool { return s.minimal() && !s.Minimal.SideBySide }, "stack minimal runs one sub-agent after the other")},
	{"forks", warned, withoutForks},
	{"gates." + forkGate, warned, withoutUntyped},
	{"forks.rerender", warned, when(func(s *Scenario) bool { return s.Forks.FreshDecisions }, "forks.fresh_decisions renders anew, too")},
	{"gates." + gate.StrictPlugins, warned, unless((*Scenario).DefinesAgents, "there are no definitions, and so none that brings MCP servers")},
	{"forks.typed_children", warned, unless(func(s *Scenario) bool { return s.scriptsSpawn(func(typ string) bool { return typ != "" }) }, "no fork starts an agent whose type it names")},
	{"interactive", warned, withoutTerminal},
	{"gates.CLAUDE_AUTO_BACKGROUND_TASKS", warned, when(func(s *Scenario) bool { return s.turnsOn("tengu_auto_background_agents") }, "gate tengu_auto_background_agents is on, which does the same")},
	{"minimal.side_by_side limits.evict_after permissions.allowed_tools model.at_once.sub_agent gates." + classifierGate + " " + ofSpawns, warned, unless((*Scenario).spawns, nobodySpawned)},
	{ofSpawns, warned, when(func(s *Scenario) bool { return strings.HasPrefix(withoutFresh(s), allForks) }, allForks+", which run in the background with what their parent has")},
	{"minimal.read_only_shell", warned, unless(readsOnly, "no agent of type explore or plan is started")},
	{"limits.evict_after", warned, when((*Scenario).minimal, "stack minimal has no background agents")},
	{"teams.mode teams.inside teams.installed", warned, withoutPanes},
	{"teams.start_up", warned, withoutStartUp},
	{"hidden", warned, when((*Scenario).minimal, "stack minimal sends nothing on its own")},
	{"permissions.deny permissions.ask permissions.allow permissions.cli_allow permissions.allowed_tools permissions.answers permissions.timeout", warned,
		when((*Scenario).minimal, "stack minimal asks nobody")},
	{"project.heads", warned, when((*Scenario).minimal, "stack minimal has a prompt and tools of its own")},
	{"project.parts", quiet, when(memoryAlone, "project.claude_md takes the place of memory")},
	{"project.agents.hooks", warned, unless((*Scenario).DefinesAgents, "there are no definitions, and so no hooks")},
	{byRecord, warned, when(func(s *Scenario) bool { return len(s.Recorded) > 0 }, "the recorded calls say it")},
	{"gates.CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", warned, when((*Scenario).waitsForAll, "no recorded thread is in the background")},
	{"structure type", warned, when((*Scenario).keeps, allByLead)},
}

// instead is what to write for some keys that nothing reads.
var instead = map[string]string{
	"provider.subagent_model": "take it away; structure: subagent has children of another model",
	"permissions.children":    "take it away, or lab: {permissions: {mode: default}}",
	"permissions.classifier":  "mode: auto, or take it away",
	"model.obeys":             "take it away, or give injections",
	"gates." + simpleGate:     "structure: coordinator, or take it away",
	"gates." + scratchGate:    "structure: coordinator, or take it away",
}

const (
	nobodySpawned = "nobody is spawned"
	nobodyThinks  = "nobody thinks: no settings turn thinking on"
	allByLead     = "every item of the work is by: lead"
	allForks      = "all children are forks"
	forWorkers    = "it is for a coordinator's workers, and there is no coordinator"
)

func when(is func(s *Scenario) bool, why string) func(s *Scenario) string {
	return func(s *Scenario) string {
		if is(s) {
			return why
		}
		return ""
	}
}

func unless(is func(s *Scenario) bool, why string) func(s *Scenario) string {
	return when(func(s *Scenario) bool { return !is(s) }, why)
}

// section is a key of a scenario that nothing reads, and why.
type section struct {
	key, why string
	fate     fate
}

// unread lists what nothing in this scenario reads, given or not.
func (s *Scenario) unread() []section {
	return slices.Concat(ruled(s, func(fate) bool { return true }), unusedParts(s), s.unusedAliases(), unusedHeads(s), unopened(s))
}

// ruled lists what rules of some fates leave unread.
func ruled(s *Scenario, of func(fate) bool) (out []section) {
	for _, r := range rules {
		if !of(r.fate) {
			continue
		}
		if why := r.why(s); why != "" {
			for key := range strings.FieldsSeq(r.keys) {
				out = append(out, section{key, why, r.fate})
			}
		}
	}
	return out
}

// unusedParts are entries of lists that nobody uses, each of which is left out.
func unusedParts(s *Scenario) []section {
	return slices.Concat(s.unusedFacts(), s.unusedTests(), s.unusedFlips())
}

// fits reports whether a path is that of the section or of something in it.
func (x *section) fits(path string) bool {
	if !strings.Contains(x.key, "*") {
		rest, ok := strings.CutPrefix(path, x.key)
		return ok && (rest == "" || rest[0] == '.')
	}
	for key := x.key; key != ""; {
		if path == "" {
			return false
		}
		var want, step string
		want, key, _ = strings.Cut(key, ".")
		if step, path, _ = strings.Cut(path, "."); want != step && want != "*" {
			return false
		}
	}
	return true
}

// idle finds why nothing reads what stands at a path; nil where something does.
func idle(list []section, path string) *section {
	for i := range list {
		if list[i].fits(path) {
			return &list[i]
		}
	}
	return nil
}

// kept are the elements of a list that are not gone; nil for none.
func kept[T any](list []T, gone func(i int) bool) (out []T) {
	for i := range list {
		if !gone(i) {
			out = append(out, list[i])
		}
	}
	return out
}

// fieldAt is the field of a scenario at a path, as far as it leads through sections,
// and what is left of the path; none where a section has no such key.
func fieldAt(s *Scenario, path string) (v reflect.Value, rest string) {
	v, rest = reflect.ValueOf(s).Elem(), path
	for rest != "" {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() != reflect.Struct {
			break
		}
		var key string
		key, rest = document.CutPath(rest)
		v, _ = document.Reach(v, key)
	}
	return v, rest
}

// editsByChildren reports whether some item that edits is not the lead's own.
func editsByChildren(s *Scenario) bool {
	return slices.ContainsFunc(s.Work, func(it Item) bool { return len(it.Edits) > 0 && it.By != "lead" })
}

func (s *Scenario) minimal() bool { return s.Stack == MinimalStack }

func (s *Scenario) hasWork() bool { return len(s.Work) > 0 && !s.allScripted() }

// allScripted tells whether scripts speak for every root.
func (s *Scenario) allScripted() bool {
	if len(s.Recorded) > 0 {
		return true
	}
	for _, r := range s.RootNames() {
		if !speaksFor(s, r) {
			return false
		}
	}
	return true
}

// speaksFor tells whether a script speaks for a root.
func speaksFor(s *Scenario, root string) bool {
	return slices.ContainsFunc(s.Scripts, func(sc Script) bool { ok, err := path.Match(sc.Agent, root); return err == nil && ok })
}

// spawns tells whether agents may spawn others: by the structure, or by a script
// that calls Agent.
func (s *Scenario) spawns() bool {
	return s.hasWork() && s.Structure.Base() != Inline || s.scriptsSpawn(func(string) bool { return true })
}

// onlyScripted reports whether scripts alone spawn agents.
func onlyScripted(s *Scenario) bool { return !s.hasWork() && s.spawns() }

// delegates reports whether a lead gives work to children.
func (s *Scenario) delegates() bool { return s.hasWork() && s.Structure.Base() != Inline && !s.keeps() }

// keeps reports whether a lead that may spawn does every item itself.
func (s *Scenario) keeps() bool {
	return (s.Structure.Base() == Subagent || s.Structure.Base() == Fork) && s.hasWork() && !slices.ContainsFunc(s.Work, func(it Item) bool { return it.By != "lead" })
}

// memoryAlone reports whether all parts are memory, for which the scenario has a text.
func memoryAlone(s *Scenario) bool {
	return s.Project.ClaudeMd != nil && !slices.ContainsFunc(s.Project.Parts, func(p FrontPart) bool { return p.Kind != "memory" })
}

// mayFail reports whether a request may be tried again.
func mayFail(s *Scenario) bool {
	return len(s.Faults) > 0 || s.Provider.RateLimits != nil
}

// counted reports whether a scripted turn has counts.
func counted(s *Scenario) bool {
	return len(s.Recorded) > 0 || slices.ContainsFunc(s.Scripts, func(sc Script) bool {
		return slices.ContainsFunc(sc.Turns, func(t Turn) bool { return len(t.Counts) > 0 || t.Output != nil })
	})
}

// readsOnly reports whether an agent of the minimal stack may be of a type that
// cannot change a file.
func readsOnly(s *Scenario) bool {
	only := func(typ string) bool { return typ == "explore" || typ == "plan" }
	return s.hasWork() && (only(s.Type) || slices.ContainsFunc(s.Work, func(it Item) bool { return only(it.Agent.Type) })) || s.scriptsSpawn(only)
}

// withoutThinking is why nobody thinks, "" where somebody does.
func withoutThinking(s *Scenario) string {
	if len(s.thinkers()) > 0 {
		return ""
	}
	return nobodyThinks
}

// withoutEffort is why effort decides nothing: it changes no answer of the mock
// model, only what is cached where it changes or others think.
func withoutEffort(s *Scenario) string {
	changes := s.Main == nil || slices.ContainsFunc(s.Main.Then, func(t UserStep) bool { return t.Settings != nil })
	if changes || len(s.thinkers()) > 0 || s.DefinesAgents() {
		return ""
	}
	return "nobody thinks, and effort that never changes decides nothing else"
}

// withoutPrompts is why nobody writes a prompt that tells or points, "" where
// somebody does.
func withoutPrompts(s *Scenario) string {
	switch {
	case s.keeps():
		return allByLead
	case !s.hasWork() || s.Structure.Base() != Inline:
		return ""
	}
	return nobodySpawned
}

// withoutOrders is why nobody writes a prompt for somebody who knows nothing, ""
// where somebody does.
func withoutOrders(s *Scenario) string {
	if s.hasWork() && s.Structure.Base() == Fork && !s.keeps() {
		return "forks know what their parent knows"
	}
	return withoutPrompts(s)
}

// withoutLead is why by: lead decides nothing.
func withoutLead(s *Scenario) string {
	switch s.Structure.Base() {
	case Inline:
		return "the lead does every item"
	case Coordinated:
		return "a coordinator does no item itself"
	case Teamed:
		return "the lead of a team does no item itself"
	}
	return ""
}

// withoutForks is why no child is a fork, "" where one may be.
func withoutForks(s *Scenario) string {
	switch {
	case s.minimal():
		return "stack minimal has no forks"
	case s.Coordinates():
		return "a coordinator starts workers and no forks"
	case !s.Interactive && s.turnsOn(forkGate):
		return "interactive is false, without which there are no forks"
	case s.Structure.Base() == Fork, !s.turnsOn(forkGate) && !s.spawns(), s.scriptsSpawn(func(typ string) bool { return typ == "" && s.mayFork() }):
		return ""
	}
	return "no child is a fork"
}

// withoutUntyped is why it is all the same whether forks are asked for, "" where it is
// not: under a coordinator a call without a type falls back.
func withoutUntyped(s *Scenario) string {
	if s.Coordinates() && s.scriptsSpawn(func(typ string) bool { return typ == "" }) {
		return ""
	}
	return withoutForks(s)
}

// withoutTerminal is why nobody asks whether somebody is at the terminal.
func withoutTerminal(s *Scenario) string {
	switch {
	case s.turnsOn(forkGate) && !s.Coordinates() && !s.minimal():
		return ""
	case s.turnsOn(swarmsGate) || s.teams():
		return inOneProcess(s)
	case s.minimal():
		return "stack minimal has no forks"
	case s.Coordinates():
		return "a coordinator starts workers and no forks"
	}
	return "only forks need it, and gate " + forkGate + " is off"
}

// withoutFresh is why there are no children but forks, "" where there may be
// others.
func withoutFresh(s *Scenario) string {
	switch {
	case s.scriptsSpawn(func(typ string) bool { return typ != "" || !s.turnsOn(forkGate) }):
		return ""
	case s.delegates() && s.Structure.Base() != Fork:
		return ""
	case s.keeps():
		return allByLead
	case s.spawns():
		return allForks + ", which live by provider.ttl"
	}
	return nobodySpawned
}

// withoutSubagents is why no child takes the default model of sub-agents, "" where
// one may.
func withoutSubagents(s *Scenario) string {
	own := s.exploresOnHaiku()
	switch {
	case s.scriptsSpawn(func(typ string) bool { return (typ != "" || !s.turnsOn(forkGate)) && !s.Coordinates() }):
		return ""
	case s.delegates() && (s.Structure.Base() == Subagent && !own || s.teams()):
		return ""
	case s.delegates() && s.Structure.Base() == Subagent:
		return "type Explore has a model of its own: provider.aliases says what haiku stands for"
	case s.keeps():
		return allByLead
	case s.Coordinates() && s.spawns():
		return "workers have their coordinator's model"
	case s.spawns():
		return "forks keep their parent's model"
	}
	return nobodySpawned
}

// withoutModes is why no child has a mode of its own.
func withoutModes(s *Scenario) string {
	switch {
	case s.minimal():
		return "in stack minimal a sub-agent asks nobody"
	case !s.spawns():
		return nobodySpawned
	case s.Permissions.HoldsChildren():
		return "no child escapes mode " + s.Permissions.RootMode() + ", which its parent is in"
	case withoutFresh(s) != "" && !s.keeps():
		return "forks keep their parent's mode"
	}
	return ""
}

// withoutVerdicts is why the classifier of hand-offs judges nothing.
func withoutVerdicts(s *Scenario) string {
	switch {
	case !s.turnsOn(classifierGate):
		return "gate " + classifierGate + " is off"
	case !s.spawns():
		return nobodySpawned
	case len(s.Injections) == 0:
		return "there are no injections to judge"
	}
	return ""
}

// asks reports whether a scripted call names a model.
func (s *Scenario) asks(model string) bool {
	return s.scripted(func(u *ToolTurn) bool { return strings.Contains(u.Raw, `"model":`+document.JSONText(model)) })
}

// scriptsSpawn reports whether a script spawns an agent of such a type, "" for a
// call without one.
func (s *Scenario) scriptsSpawn(of func(typ string) bool) bool {
	return s.scripted(func(u *ToolTurn) bool {
		in := s.call(u)
		return in != nil && (in.unread || of(in.Type))
	})
}

// scripted reports whether a script has such a tool use.
func (s *Scenario) scripted(is func(u *ToolTurn) bool) bool {
	for _, sc := range s.Scripts {
		for _, t := range sc.Turns {
			for i := range t.Tools {
				if is(&t.Tools[i]) {
					return true
				}
			}
		}
	}
	return false
}
