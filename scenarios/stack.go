package scenarios

// The stacks: the whole one, and the minimal one of a few hundred lines (MIN).
const (
	FullStack    = "full"
	MinimalStack = "minimal"
)

// MinimalSpec are the options of the minimal stack.
type MinimalSpec struct {
	// ReadOnlyShell puts run_shell among the tools of explore and plan; true
	// unless it is said otherwise.
	ReadOnlyShell *bool `yaml:"read_only_shell"`
}

// minimalTypes are the types that the lead of the minimal stack may name.
var minimalTypes = []string{"explore", "plan", "general"}

// agentTypes are the types that the lead may name, and which of them cannot
// change a file.
func (s *Scenario) agentTypes() (types, readOnly []string) {
	if s.Stack == MinimalStack {
		return minimalTypes, []string{"explore", "plan"}
	}
	return agentTypes, []string{"Explore"}
}

// defaultType is the type of a call that names none.
func (s *Scenario) defaultType() string {
	if s.Stack == MinimalStack {
		return "general"
	}
	return "general-purpose"
}

// spawnTools are the names under which a script can call the tool that starts
// agents.
func (s *Scenario) spawnTools() []string {
	if s.Stack == MinimalStack {
		return []string{"agent"}
	}
	return []string{"Agent", "Task"}
}

// stack holds a scenario against what the minimal stack has not got.
func (c *checker) stack() {
	s := c.s
	c.oneOf("stack", "stack", s.Stack, FullStack, MinimalStack)
	if s.Stack != MinimalStack {
		return
	}
	if s.Strategy == "fork" {
		c.bad("strategy", "strategy: subagent or inline", "stack minimal has no forks")
	}
	for _, name := range sortedKeys(s.Gates) {
		if g, ok := findGate(name); ok && g.Built && s.Gates[name] != g.Default {
			c.bad("gates."+name, "leave it at "+g.Default, "stack minimal has no gate %s", name)
		}
	}
	if len(s.GateFlips) > 0 {
		c.badKey("gate_flips", "take it away", "stack minimal has no gates")
	}
	if s.Background {
		c.bad("background", "take it away", "stack minimal has no background agents")
	}
	if s.Provider.SubagentModel != "" {
		c.bad("provider.subagent_model", "take it away", "in stack minimal a sub-agent has its parent's model")
	}
}

// trimStack gives one meaning one text.
func (s *Scenario) trimStack() {
	switch {
	case s.Stack == FullStack:
		s.Stack = ""
	case s.Stack == MinimalStack && s.Minimal.ReadOnlyShell == nil:
		s.Minimal.ReadOnlyShell = ptr(true)
	}
}
