// Package gate is the feature gates of the stack, by their exact names (GATE-01).
//
// Rules:
//   - A gate's name, default and meaning are in one row.
//   - Gates are part of a scenario; nothing reads the process environment.
package gate

import (
	"fmt"
	"slices"
	"strconv"

	"agentsim/sim/vtime"
)

// Set is a value for each gate.
type Set struct {
	ForkSubagent         bool
	CoordinatorMode      bool // the build half
	CoordinatorEnv       bool // the environment half
	Simple               bool
	AutoBackground       bool
	AutoBackgroundEnv    bool
	Scratch              bool
	TranscriptClassifier bool
	SlimSubagentClaudeMd bool
	BridgeMultiSession   bool
	UserType             string // external or ant
	AssistantMode        bool
	Proactive            bool
	AgentSwarms          bool
	StrictPluginOnly     bool
	DisableBackground    bool
	Workflows            bool
}

// Internal is the USER_TYPE of internal builds; everything else is external.
const Internal = "ant"

// AutoBackground is how long a synchronous agent runs before it moves to the
// background by itself, where a gate says so.
const AutoBackground = 120 * vtime.Second

// BridgeMultiSession is the gate of bridges that run several sessions.
const BridgeMultiSession = "tengu_ccr_bridge_multi_session"

// Gate is one gate that a scenario may set.
type Gate struct {
	Name    string
	Default string
	What    string // what it switches, in a few words
	Built   bool   // a run reads it; else a scenario may only state its default
	field   func(*Set) *bool
}

var all = [...]Gate{
	{"AGENT_SWARMS", "false", "teams of agents", true, func(s *Set) *bool { return &s.AgentSwarms }},
	{"CLAUDE_AUTO_BACKGROUND_TASKS", "false", "as tengu_auto_background_agents", true, func(s *Set) *bool { return &s.AutoBackgroundEnv }},
	{"CLAUDE_CODE_COORDINATOR_MODE", "false", "second half of coordinator mode", true, func(s *Set) *bool { return &s.CoordinatorEnv }},
	{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "false", "no background tasks", true, func(s *Set) *bool { return &s.DisableBackground }},
	{"CLAUDE_CODE_SIMPLE", "false", "a coordinator's workers have Bash, Read and Edit alone", true, func(s *Set) *bool { return &s.Simple }},
	{"COORDINATOR_MODE", "false", "first half of coordinator mode", true, func(s *Set) *bool { return &s.CoordinatorMode }},
	{"FORK_SUBAGENT", "false", "spawns without a type are forks, and all are asynchronous", true, func(s *Set) *bool { return &s.ForkSubagent }},
	{"KAIROS", "false", "assistant mode", true, func(s *Set) *bool { return &s.AssistantMode }},
	{"PROACTIVE", "false", "proactive mode", true, func(s *Set) *bool { return &s.Proactive }},
	{"TRANSCRIPT_CLASSIFIER", "false", "hand-off classifier over child transcripts", true, func(s *Set) *bool { return &s.TranscriptClassifier }},
	{userType, "external", "who built it: ant is internal", true, nil},
	{"WORKFLOWS", "false", "workflows, whose tool no agent has here", false, func(s *Set) *bool { return &s.Workflows }},
	{StrictPlugins, "false", "definitions of users and projects bring no MCP servers", true, func(s *Set) *bool { return &s.StrictPluginOnly }},
	{"tengu_auto_background_agents", "false", "synchronous agents move to the background after " + strconv.Itoa(int(AutoBackground/vtime.Second)) + " s", true, func(s *Set) *bool { return &s.AutoBackground }},
	{BridgeMultiSession, "false", "several sessions on one bridge, behind which no run is", false, func(s *Set) *bool { return &s.BridgeMultiSession }},
	{"tengu_scratch", "false", "a scratchpad shared by workers", true, func(s *Set) *bool { return &s.Scratch }},
	{"tengu_slim_subagent_claudemd", "true", "Explore and Plan go without CLAUDE.md", true, func(s *Set) *bool { return &s.SlimSubagentClaudeMd }},
}

// StrictPlugins is the gate of those who manage the machine, which holds for a whole run.
const StrictPlugins = "strictPluginOnlyCustomization"

// userType is the one gate that is not true or false.
const userType = "USER_TYPE"

// All lists the gates by name.
func All() []Gate { return all[:] }

// Names lists their names.
func Names() []string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// Find is the gate of a name, nil for none.
func Find(name string) *Gate {
	if i := slices.IndexFunc(all[:], func(g Gate) bool { return g.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Boolean reports whether the gate is true or false.
func (g *Gate) Boolean() bool { return g.field != nil }

// Values are the values that the gate can have.
func (g *Gate) Values() []string {
	if g.Boolean() {
		return []string{"true", "false"}
	}
	return []string{g.Default, Internal}
}

// Default is a plain external build.
func Default() Set {
	var s Set
	for i := range all {
		_ = s.Set(all[i].Name, all[i].Default) // the table's own
	}
	return s
}

// Set gives a gate a value.
func (s *Set) Set(name, value string) error {
	g := Find(name)
	switch {
	case g == nil:
		return fmt.Errorf("unknown gate %q", name)
	case !g.Boolean():
		s.UserType = value
		return nil
	}
	v, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("gate %s is true or false, not %q", name, value)
	}
	*g.field(s) = v
	return nil
}

// Coordinator reports whether coordinator mode is on: both of its halves are.
func (s *Set) Coordinator() bool { return s.CoordinatorMode && s.CoordinatorEnv }

// AutoBackgroundAfter is how long a synchronous agent may run before it moves
// to the background; 0 is never.
func (s *Set) AutoBackgroundAfter() vtime.Duration {
	if (s.AutoBackground || s.AutoBackgroundEnv) && !s.DisableBackground {
		return AutoBackground
	}
	return 0
}
