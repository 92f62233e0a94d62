package agent_test

import (
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/permission"
)

func TestPrompts(t *testing.T) {
	t.Run("PRM-02 whose definition bubbles asks at its parent's terminal also where that is a sub-agent; others ask at the session's", testBubble)
}

func testBubble(t *testing.T) {
	for mode, want := range map[permission.Mode]string{permission.Bubble: "main/1.1", permission.Default: "main"} {
		s := one(t, `{"description":"d","prompt":"p","subagent_type":"general-purpose"}`, func(s *story) {
			s.cfg.Mode = permission.Default
			s.cfg.Definitions = append(s.cfg.Definitions, &agent.Definition{Type: "asks", Source: agent.FromProject, Mode: mode,
				Description: "d", Prompt: func(*gate.Set) string { return "p" }})
			s.script("main/1.1", `use Agent {"description":"d","prompt":"p","subagent_type":"asks"}`, "text done")
			s.script("main/1.1/1.1", `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`, "text done")
		})
		asked := 0
		for _, e := range s.eventsOf("permission") {
			if e["tool"] != "Edit" {
				continue
			}
			if asked++; e["terminal"] != want {
				t.Errorf("mode %s: the prompt stands at %q, want %q", mode, e["terminal"], want)
			}
		}
		if asked != 2 { // the question and its answer
			t.Errorf("mode %s: %d events", mode, asked)
		}
	}
}
