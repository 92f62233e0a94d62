package agent_test

import (
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/vtime"
)

func TestGates(t *testing.T) {
	t.Run("GATE-01 each gate has its exact name and default, and setting one changes that one", testGateNames)
	t.Run("GATE-01 coordinator mode needs both its halves, automatic background one of its two and then 120 s", testGateRules)
	t.Run("GATE-02 a gate that does not exist or a value it cannot have is refused, and nothing flips", testGateErrors)
}

var gateDefaults = map[string]string{
	"FORK_SUBAGENT": "false", "COORDINATOR_MODE": "false", "CLAUDE_CODE_COORDINATOR_MODE": "false", "CLAUDE_CODE_SIMPLE": "false",
	"tengu_auto_background_agents": "false", "CLAUDE_AUTO_BACKGROUND_TASKS": "false", "tengu_scratch": "false",
	"TRANSCRIPT_CLASSIFIER": "false", "tengu_slim_subagent_claudemd": "true", "tengu_ccr_bridge_multi_session": "false",
	"USER_TYPE": "external", "KAIROS": "false", "PROACTIVE": "false", "AGENT_SWARMS": "false",
	"strictPluginOnlyCustomization": "false", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "false",
}

func testGateNames(t *testing.T) {
	for name, want := range gateDefaults {
		g := agent.DefaultGates()
		if got, ok := g.Get(name); !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		flipped := map[string]string{"true": "false", "false": "true", "external": "ant"}[want]
		if err := g.Set(name, flipped); err != nil {
			t.Fatal(err)
		}
		for other, kept := range gateDefaults {
			if got, _ := g.Get(other); other != name && got != kept || other == name && got != flipped {
				t.Errorf("after setting %s, %s is %s", name, other, got)
			}
		}
	}
}

func testGateRules(t *testing.T) {
	for _, c := range []struct{ build, env, both bool }{{true, false, false}, {false, true, false}, {true, true, true}} {
		g := agent.Gates{CoordinatorMode: c.build, CoordinatorEnv: c.env}
		if g.Coordinator() != c.both {
			t.Errorf("%+v", c)
		}
	}
	for _, g := range []agent.Gates{{AutoBackground: true}, {AutoBackgroundEnv: true}} {
		if g.AutoBackgroundAfter() != 120*vtime.Second {
			t.Error(g.AutoBackgroundAfter())
		}
	}
	if g := agent.DefaultGates(); g.AutoBackgroundAfter() != 0 {
		t.Error("automatic background is on by default")
	}
}

func testGateErrors(t *testing.T) {
	s := newStory(t)
	s.root("go")
	s.at(0, func(w *agent.World) error {
		for name, value := range map[string]string{"NO_SUCH_GATE": "true", "KAIROS": "perhaps"} {
			if err := w.FlipGate(name, value); err == nil {
				t.Errorf("%s=%s was accepted", name, value)
			}
		}
		return nil
	})
	s.run()
	if n := len(s.eventsOf("gate")); n != 0 || *s.world.Gates() != agent.DefaultGates() {
		t.Error(n, "flips recorded")
	}
}
