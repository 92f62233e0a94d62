package scenarios

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"agentsim/scenarios/document"
)

// AgentFiles are the agent definitions of a run beside the project's own, which
// are its files .claude/agents/*.md and .claude/settings.json (DEF-05). Paths are
// those of the place that the files come from.
type AgentFiles struct {
	BuiltIns []string               `yaml:"built_ins"`
	Plugins  map[string]PluginFiles `yaml:"plugins"` // by the plugin's name
	User     map[string]string      `yaml:"user"`    // path → text, of the user's directory
	JSON     string                 `yaml:"json"`    // what a flag gives: a JSON object of agents
	Policy   map[string]string      `yaml:"policy"`  // path → text, of those who manage the machine
	Hooks    []HookOutcome          `yaml:"hooks"`   // what hooks of definitions do when they run
}

// PluginFiles are the files of one plugin by path.
type PluginFiles struct {
	Files map[string]string `yaml:"files"`
}

// HookOutcome says what a hook's command does, in place of running it. Hooks
// that none speaks of let everything pass.
type HookOutcome struct {
	Command string `yaml:"command"`
	Event   string `yaml:"event"`   // PreToolUse, PostToolUse or Stop; "" is any
	Tool    string `yaml:"tool"`    // pattern of tools; "" is any
	Outcome string `yaml:"outcome"` // block or record
	Reason  string `yaml:"reason"`
	Times   int    `yaml:"times"` // of its first so many runs; 0 is all
}

// moreTypes are the built-in types that are listed only where a scenario says so.
var moreTypes = []string{"Plan", "claude-code-guide", "statusline-setup", "verification", "worker"}

// listedTypes are the built-in types that the scenario's Agent tool lists.
func (s *Scenario) listedTypes() []string {
	return append(append([]string{}, agentTypes...), s.Project.Agents.BuiltIns...)
}

// DefinesAgents reports whether the scenario's files may define agents, whose
// names only a run finds out.
func (s *Scenario) DefinesAgents() bool {
	a := &s.Project.Agents
	return len(a.Plugins)+len(a.User)+len(a.Policy) > 0 || a.JSON != "" || len(s.definitionFiles()) > 0
}

// definitionFiles are the paths of the project's own files that define agents.
func (s *Scenario) definitionFiles() []string {
	var out []string
	for _, p := range filesOf(s).sorted {
		if path.Dir(p) == ".claude/agents" && strings.HasSuffix(p, ".md") || p == ".claude/settings.json" {
			out = append(out, p)
		}
	}
	return out
}

// definedNames are names that the scenario's definitions may have: those of
// their files.
func (s *Scenario) definedNames() []string {
	var out []string
	add := func(paths []string) {
		for _, p := range paths {
			if name, ok := strings.CutSuffix(path.Base(p), ".md"); ok && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	a := &s.Project.Agents
	add(s.definitionFiles())
	add(slices.Sorted(maps.Keys(a.User)))
	add(slices.Sorted(maps.Keys(a.Policy)))
	for _, name := range slices.Sorted(maps.Keys(a.Plugins)) {
		add(slices.Sorted(maps.Keys(a.Plugins[name].Files)))
	}
	return out
}

// knowsTypes reports whether no file that is not read yet defines types of agents.
func knowsTypes(f *File, s *Scenario) bool { return !f.foreign && !f.defined && !s.DefinesAgents() }

// leadType checks the type that the lead names. Whether a type that the
// scenario's files may define is there, the run finds out.
func (c *checker) leadType() {
	s := c.s
	types, readOnly := c.agentTypes()
	if knowsTypes(c.file, s) {
		agentType(c, "type", s.Type, types)
	}
	if s.exploresOnHaiku() && s.Provider.Aliases["haiku"] == "" {
		c.bad("type", "provider: {aliases: {haiku: "+Newest("haiku")+"}}", "type Explore runs on haiku, an alias that stands for no model")
	}
	for i, it := range s.Work {
		if slices.Contains(readOnly, s.Type) && len(it.Edits) > 0 && it.By == "" {
			c.bad("work["+itoa(i)+"].edits", "by: lead, or agents: {type: "+s.defaultType()+"}", "work item %q edits, which type %s cannot", it.ID, s.Type)
		}
	}
}

// agentType reports a type that is none of a list. One of the user's own has a file.
func agentType(c *checker, path, typ string, types []string) {
	if typ == "" || slices.Contains(types, typ) {
		return
	}
	hint := document.DidYouMean(typ, types)
	if hint == "" {
		hint = document.OneOf(types) + "; a type of your own is a file: project: {files: {.claude/agents/" + typ + ".md: …}}, or run --agents DIR"
	}
	c.bad(path, hint, "unknown agent type %q", typ)
}

func (c *checker) agents() {
	a, at := &c.s.Project.Agents, "project.agents"
	if c.s.Stack == MinimalStack && len(a.BuiltIns)+len(a.Plugins)+len(a.Policy)+len(a.Hooks)+len(a.JSON) > 0 {
		c.badKey(at, "leave all but user out", "stack minimal has the definitions of user and project alone")
		return
	}
	seen := map[string]bool{}
	for i, typ := range a.BuiltIns {
		p := at + ".built_ins[" + itoa(i) + "]"
		switch {
		case slices.Contains(agentTypes, typ) || seen[typ]:
			c.bad(p, "leave it out", "type %q is listed anyway", typ)
		case typ == "worker" && !(c.s.Gate("COORDINATOR_MODE") == "true" && c.s.Gate("CLAUDE_CODE_COORDINATOR_MODE") == "true"):
			c.bad(p, "leave it out", "type worker is a coordinator's alone")
		default:
			c.oneOf(p, "built-in type", typ, moreTypes...)
		}
		seen[typ] = true
	}
	c.treePaths(at+".user", a.User)
	c.treePaths(at+".policy", a.Policy)
	for _, name := range slices.Sorted(maps.Keys(a.Plugins)) {
		c.treePaths(at+".plugins."+name+".files", a.Plugins[name].Files)
	}
	for i, h := range a.Hooks {
		p := at + ".hooks[" + itoa(i) + "]"
		if h.Command == "" {
			c.bad(p, "command: ./check.sh, as the definition has it", "a hook's outcome without its command")
		}
		if h.Outcome == "" {
			c.bad(p, "outcome: block, or record", "hook %q has no outcome", h.Command)
		}
		if _, err := path.Match(h.Tool, ""); err != nil {
			c.bad(p+".tool", "such as Bash or mcp__*", "bad pattern %q", h.Tool)
		}
	}
}

func (c *checker) treePaths(at string, files map[string]string) {
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if why := badPath(p); why != "" {
			c.badKey(at+"."+p, "a path inside the directory, such as .claude/agents/reviewer.md", "file %q %s", p, why)
		}
	}
}

// typeOf is the agent type that an item's child is started with, "" for none.
func (s *Scenario) typeOf(it *Item) string { return cmp.Or(it.Agent.Type, s.Type) }

// itemAgent checks the child that an item names. Whether a type that the
// scenario's files may define is there, the run finds out.
func (c *checker) itemAgent(path string, it *Item) {
	a, s := &it.Agent, c.s
	if *a == (ItemAgent{}) {
		return
	}
	if it.By == "lead" {
		c.bad(path, "take it away, or by: lead", "work item %q is the lead's own, and names an agent", it.ID)
	}
	types, readOnly := c.agentTypes()
	if knowsTypes(c.file, s) {
		agentType(c, path+".type", a.Type, types)
	}
	if slices.Contains(readOnly, a.Type) && len(it.Edits) > 0 {
		c.bad(path+".type", "type: "+s.defaultType(), "work item %q edits, which type %s cannot", it.ID, a.Type)
	}
	c.itemModel(path, it)
}

// itemModel checks the model of an item's child: the call takes the three names
// alone, and each must stand for a model.
func (c *checker) itemModel(path string, it *Item) {
	model, at, what := it.Agent.Model, path+".model", "alias %q stands for no model"
	switch {
	case model != "" && c.s.Stack == MinimalStack:
		c.bad(at, "take it away", "stack minimal starts agents without naming a model")
		return
	case model != "" && !slices.Contains(Aliases, model):
		c.bad(at, document.DidYouMeanOr(model, Aliases)+"; provider: {aliases: {haiku: MODEL}} says which model that is", "an agent is given a model by its family's name, not as %q", model)
		return
	case model == "" && c.s.onHaiku(it.Agent.Type):
		model, at, what = "haiku", path+".type", "type Explore runs on %s, an alias that stands for no model"
	}
	if model != "" && c.s.Provider.Aliases[model] == "" {
		c.bad(at, "provider: {aliases: {"+model+": "+Newest(model)+"}}", what, model)
	}
}

// Start is what a scenario says of an agent that is started in its run.
type Start struct {
	Path        string // of the place that says it
	Type, Model string // Model is "" for the type's own
	Edits       bool   // it is to change files
	Scripted    bool   // an exact turn starts it, which may be a mistake of the model's
}

// Starts are the agents that the scenario has started by their type, forks aside.
func (s *Scenario) Starts() (out []Start) {
	edits := slices.ContainsFunc(s.Work, func(it Item) bool { return len(it.Edits) > 0 })
	if s.Structure.Base() == Coordinated && s.hasWork() {
		out = append(out, Start{Path: "structure", Type: "worker", Edits: edits})
	}
	if s.teams() {
		at := "structure"
		if s.Type != "" {
			at = "type"
		}
		out = append(out, Start{Path: at, Type: cmp.Or(s.Type, s.defaultType()), Edits: edits})
	}
	for i := range s.Work {
		it, at := &s.Work[i], "structure"
		if it.By == "lead" || s.Structure.Base() != Subagent {
			continue
		}
		switch {
		case it.Agent.Type != "":
			at = "work[" + itoa(i) + "].agent.type"
		case s.Type != "":
			at = "type"
		}
		out = append(out, Start{Path: at, Type: cmp.Or(s.typeOf(it), s.defaultType()), Model: it.Agent.Model, Edits: len(it.Edits) > 0})
	}
	for i, sc := range s.Scripts {
		for j, t := range sc.Turns {
			for k := range t.Tools {
				if in := s.call(&t.Tools[k]); in != nil && in.Type != "" {
					out = append(out, Start{"answers[" + itoa(i) + "].turns[" + itoa(j) + "].tools[" + itoa(k) + "]", in.Type, in.Model, false, true})
				}
			}
		}
	}
	return out
}

// AgentsUnused is why the agents that items name are not used, "" where they are,
// and the items.
func (s *Scenario) AgentsUnused() (why string, items []string) {
	switch s.Structure.Base() {
	case Fork:
		why = "forks keep their parent's type and model"
	case Coordinated:
		why = "a coordinator starts only agents of type worker; a definition worker under project.agents.policy, or of --managed-dir, gives them other tools and another model"
	case Teamed:
		why = "a teammate takes any item"
	case Inline:
		why = "nobody is spawned"
	default:
		return "", nil
	}
	for i := range s.Work {
		if s.Work[i].Agent != (ItemAgent{}) {
			items = append(items, s.Work[i].ID)
		}
	}
	return why, items
}
