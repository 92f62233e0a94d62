package scenarios

import "sort"

// Gate is a feature gate a scenario may set (GATE-01).
type Gate struct {
	Name    string
	Default string
	Values  []string // possible values
	What    string   // what it switches, in a few words
	Built   bool     // something reads it; else a scenario may only state its default
}

var booleans = []string{"true", "false"}

// Gates lists all gates by name. They are scenario fields; the process
// environment is never read.
func Gates() []Gate {
	return []Gate{
		{"AGENT_SWARMS", "false", booleans, "teams of agents", true},
		{"CLAUDE_AUTO_BACKGROUND_TASKS", "false", booleans, "as tengu_auto_background_agents", true},
		{"CLAUDE_CODE_COORDINATOR_MODE", "false", booleans, "second half of coordinator mode", true},
		{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "false", booleans, "no background tasks", true},
		{"CLAUDE_CODE_SIMPLE", "false", booleans, "a coordinator's workers have Bash, Read and Edit alone", true},
		{"COORDINATOR_MODE", "false", booleans, "first half of coordinator mode", true},
		{"FORK_SUBAGENT", "false", booleans, "spawns without a type are forks, and all are asynchronous", true},
		{"KAIROS", "false", booleans, "assistant mode", true},
		{"PROACTIVE", "false", booleans, "proactive mode", true},
		{"TRANSCRIPT_CLASSIFIER", "false", booleans, "hand-off classifier over child transcripts", true},
		{"USER_TYPE", "external", []string{"external", "ant"}, "who built it: ant is internal", true},
		{"strictPluginOnlyCustomization", "false", booleans, "definitions from plugins only", false},
		{"tengu_auto_background_agents", "false", booleans, "synchronous agents move to the background after 120 s", true},
		{"tengu_ccr_bridge_multi_session", "false", booleans, "several sessions on one bridge", false},
		{"tengu_scratch", "false", booleans, "a scratchpad shared by workers", true},
		{"tengu_slim_subagent_claudemd", "true", booleans, "Explore and Plan go without CLAUDE.md", true},
	}
}

// Gate is the value of a gate, its default where the scenario does not say, and
// "" for an unknown one.
func (s *Scenario) Gate(name string) string {
	if v, ok := s.Gates[name]; ok {
		return v
	}
	g, _ := findGate(name)
	return g.Default
}

func findGate(name string) (Gate, bool) {
	for _, g := range Gates() {
		if g.Name == name {
			return g, true
		}
	}
	return Gate{}, false
}

func gateNames() []string {
	var out []string
	for _, g := range Gates() {
		out = append(out, g.Name)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
