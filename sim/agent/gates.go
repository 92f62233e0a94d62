package agent

import (
	"fmt"
	"strconv"

	"agentsim/sim/vtime"
)

// Gates are the feature gates of the stack, by their exact names (GATE-01).
// They are part of a scenario; nothing reads the process environment.
type Gates struct {
	ForkSubagent         bool   // FORK_SUBAGENT
	CoordinatorMode      bool   // COORDINATOR_MODE: the build half
	CoordinatorEnv       bool   // CLAUDE_CODE_COORDINATOR_MODE: the environment half
	Simple               bool   // CLAUDE_CODE_SIMPLE
	AutoBackground       bool   // tengu_auto_background_agents
	AutoBackgroundEnv    bool   // CLAUDE_AUTO_BACKGROUND_TASKS
	Scratch              bool   // tengu_scratch
	TranscriptClassifier bool   // TRANSCRIPT_CLASSIFIER
	SlimSubagentClaudeMd bool   // tengu_slim_subagent_claudemd
	BridgeMultiSession   bool   // tengu_ccr_bridge_multi_session
	UserType             string // USER_TYPE: external or ant
	AssistantMode        bool   // KAIROS
	Proactive            bool   // PROACTIVE
	AgentSwarms          bool   // AGENT_SWARMS
	StrictPluginOnly     bool   // strictPluginOnlyCustomization
	DisableBackground    bool   // CLAUDE_CODE_DISABLE_BACKGROUND_TASKS
}

// UserTypeInternal is the USER_TYPE of internal builds; everything else is
// external.
const UserTypeInternal = "ant"

// DefaultGates are the gates of a plain external build.
func DefaultGates() Gates { return Gates{SlimSubagentClaudeMd: true, UserType: "external"} }

// field returns the gate that bears a name, or nil. USER_TYPE is not boolean
// and is handled apart.
func (g *Gates) field(name string) *bool {
	switch name {
	case "FORK_SUBAGENT":
		return &g.ForkSubagent
	case "COORDINATOR_MODE":
		return &g.CoordinatorMode
	case "CLAUDE_CODE_COORDINATOR_MODE":
		return &g.CoordinatorEnv
	case "CLAUDE_CODE_SIMPLE":
		return &g.Simple
	case "tengu_auto_background_agents":
		return &g.AutoBackground
	case "CLAUDE_AUTO_BACKGROUND_TASKS":
		return &g.AutoBackgroundEnv
	case "tengu_scratch":
		return &g.Scratch
	case "TRANSCRIPT_CLASSIFIER":
		return &g.TranscriptClassifier
	case "tengu_slim_subagent_claudemd":
		return &g.SlimSubagentClaudeMd
	case "tengu_ccr_bridge_multi_session":
		return &g.BridgeMultiSession
	case "KAIROS":
		return &g.AssistantMode
	case "PROACTIVE":
		return &g.Proactive
	case "AGENT_SWARMS":
		return &g.AgentSwarms
	case "strictPluginOnlyCustomization":
		return &g.StrictPluginOnly
	case "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":
		return &g.DisableBackground
	}
	return nil
}

// Set gives a gate a value: "true" or "false", for USER_TYPE a word.
func (g *Gates) Set(name, value string) error {
	if name == "USER_TYPE" {
		g.UserType = value
		return nil
	}
	f := g.field(name)
	if f == nil {
		return fmt.Errorf("unknown gate %q", name)
	}
	v, err := strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("gate %s is true or false, not %q", name, value)
	}
	*f = v
	return nil
}

// Get prints a gate's value as Set takes it.
func (g *Gates) Get(name string) (string, bool) {
	if name == "USER_TYPE" {
		return g.UserType, true
	}
	if f := g.field(name); f != nil {
		return strconv.FormatBool(*f), true
	}
	return "", false
}

// Coordinator reports whether coordinator mode is on: both of its halves are.
func (g *Gates) Coordinator() bool { return g.CoordinatorMode && g.CoordinatorEnv }

// AutoBackgroundAfter is how long a synchronous agent may run before it moves
// to the background; 0 is never.
func (g *Gates) AutoBackgroundAfter() vtime.Duration {
	if (g.AutoBackground || g.AutoBackgroundEnv) && !g.DisableBackground {
		return 120 * vtime.Second
	}
	return 0
}
