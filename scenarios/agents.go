package scenarios

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// AgentFiles are the agent definitions of a run beside the project's own, which
// are its files .claude/agents/*.md and .claude/settings.json (DEF-05). Paths are
// those of the place that the files come from.
type AgentFiles struct {
	// BuiltIns are built-in types that the Agent tool lists beside general-purpose
	// and Explore. Each one more changes the tool's bytes.
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

// definesAgents reports whether the scenario's files may define agents, whose
// names only a run finds out.
func (s *Scenario) definesAgents() bool {
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
func knowsTypes(f *File, s *Scenario) bool { return !f.foreign && !f.defined && !s.definesAgents() }

// leadType checks the type that the lead names. Whether a type that the
// scenario's files may define is there, the run finds out.
func (c *checker) leadType() {
	s := c.s
	types, readOnly := c.agentTypes()
	if knowsTypes(c.file, s) {
		c.oneOf("type", "agent type", s.Type, types...)
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
		c.oneOf(p+".event", "event", h.Event, "PreToolUse", "PostToolUse", "Stop")
		if h.Outcome == "" {
			c.bad(p, "outcome: block, or record", "hook %q has no outcome", h.Command)
		}
		c.oneOf(p+".outcome", "outcome", h.Outcome, "block", "record")
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
