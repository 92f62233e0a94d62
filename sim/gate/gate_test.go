package gate_test

import (
	"testing"

	"agentsim/sim/gate"
	"agentsim/sim/vtime"
)

func TestGates(t *testing.T) {
	t.Run("GATE-01 each gate has its exact name and default, and setting one changes that one", testGateNames)
	t.Run("GATE-01 coordinator mode needs both its halves, automatic background one of its two and then 120 s", testGateRules)
}

var gateDefaults = map[string]string{
	"FORK_SUBAGENT": "false", "COORDINATOR_MODE": "false", "CLAUDE_CODE_COORDINATOR_MODE": "false", "CLAUDE_CODE_SIMPLE": "false",
	"tengu_auto_background_agents": "false", "CLAUDE_AUTO_BACKGROUND_TASKS": "false", "tengu_scratch": "false",
	"TRANSCRIPT_CLASSIFIER": "false", "tengu_slim_subagent_claudemd": "true", "tengu_ccr_bridge_multi_session": "false",
	"USER_TYPE": "external", "KAIROS": "false", "PROACTIVE": "false", "AGENT_SWARMS": "false",
	"strictPluginOnlyCustomization": "false", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "false", "WORKFLOWS": "false",
}

func testGateNames(t *testing.T) {
	seen := map[gate.Set]string{}
	for _, g := range gate.All() {
		if want, ok := gateDefaults[g.Name]; !ok || g.Default != want {
			t.Errorf("%s is %q, want %q", g.Name, g.Default, want)
		}
		s := gate.Default()
		if err := s.Set(g.Name, map[string]string{"true": "false", "false": "true", "external": "ant"}[g.Default]); err != nil {
			t.Fatal(err)
		}
		if seen[s] != "" || s == gate.Default() {
			t.Errorf("setting %s changes what %q does", g.Name, seen[s])
		}
		seen[s] = g.Name
		if err := s.Set(g.Name, g.Default); err != nil || s != gate.Default() {
			t.Errorf("%s set and set back leaves %+v, %v", g.Name, s, err)
		}
	}
	if len(seen) != len(gateDefaults) {
		t.Errorf("%d gates, want %d", len(seen), len(gateDefaults))
	}
}

func testGateRules(t *testing.T) {
	for _, c := range []struct{ build, env, both bool }{{true, false, false}, {false, true, false}, {true, true, true}} {
		g := gate.Set{CoordinatorMode: c.build, CoordinatorEnv: c.env}
		if g.Coordinator() != c.both {
			t.Errorf("%+v", c)
		}
	}
	for _, g := range []gate.Set{{AutoBackground: true}, {AutoBackgroundEnv: true}} {
		if g.AutoBackgroundAfter() != 120*vtime.Second {
			t.Error(g.AutoBackgroundAfter())
		}
	}
	if g := gate.Default(); g.AutoBackgroundAfter() != 0 {
		t.Error("automatic background is on by default")
	}
}
