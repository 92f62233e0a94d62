package scenarios

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"agentsim/sim/gate"
)

// The stacks: the whole one, and the minimal one of a few hundred lines (MIN).
const (
	FullStack    = "full"
	MinimalStack = "minimal"
)

// MinimalSpec are the options of the minimal stack.
type MinimalSpec struct {
	ReadOnlyShell *bool `yaml:"read_only_shell"`
	SideBySide    bool  `yaml:"side_by_side"`
}

// minimalTypes are the types that the lead of the minimal stack may name.
var minimalTypes = []string{"explore", "plan", "general"}

// agentTypes are the types that the lead may name, those that the scenario's files
// define by the names of the files, and which of them cannot change a file. In the
// minimal stack one that bears a built-in's name takes its place.
func (c *checker) agentTypes() (types, readOnly []string) {
	own := c.s.definedNames()
	if c.s.Stack != MinimalStack {
		return append(c.s.listedTypes(), own...), []string{"Explore", "Plan", "verification"}
	}
	for _, t := range []string{"explore", "plan"} {
		if !slices.Contains(own, t) {
			readOnly = append(readOnly, t)
		}
	}
	return slices.Concat(minimalTypes, own), readOnly
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

// spawnCall is what a call of that tool asks for.
type spawnCall struct {
	Type    string `json:"subagent_type"`
	Minimal string `json:"type"`
	Model   string `json:"model"`
	unread  bool   // its input is no object of these
}

// call is a scripted call that starts an agent, nil for any other.
func (s *Scenario) call(u *ToolTurn) *spawnCall {
	if !slices.Contains(s.spawnTools(), u.Name) {
		return nil
	}
	in := &spawnCall{}
	in.unread = json.Unmarshal([]byte(u.Raw), in) != nil
	in.Type = cmp.Or(in.Type, in.Minimal)
	return in
}

// stack holds a scenario against what the minimal stack has not got.
func (c *checker) stack() {
	s := c.s
	if s.Stack != MinimalStack {
		return
	}
	if s.Structure.Base() == Fork {
		c.bad("structure", "structure: subagent or inline", "stack minimal has no forks")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Gates)) {
		if g := gate.Find(name); g != nil && g.Built && s.Gates[name] != g.Default {
			c.bad("gates."+name, "leave it at "+g.Default, "stack minimal has no gate %s", name)
		}
	}
	if len(s.GateFlips) > 0 {
		c.badKey("gate_flips", "take it away", "stack minimal has no gates")
	}
	if s.Background() {
		c.bad("structure", "structure: subagent", "stack minimal has no background agents")
	}
	if s.Provider.SubagentModel != "" {
		c.bad("provider.subagent_model", "take it away", "in stack minimal a sub-agent has its parent's model")
	}
	s.eachRoot(c.minimalSteps)
}

// minimalSteps refuses what a user of the minimal stack cannot do.
func (c *checker) minimalSteps(at string, r *Root) {
	for i, t := range r.Then {
		if t.Background {
			c.bad(at+".then["+itoa(i)+"].background", "take it away", "stack minimal has no background agents")
		}
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
