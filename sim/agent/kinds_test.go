package agent_test

import (
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/tool"
)

func TestKinds(t *testing.T) {
	t.Run("LEAN-02 a git status of 40 KB stands in general-purpose's request and in neither Explore's nor Plan's", testGitStatus)
	t.Run("FLT-11 a worker's pool lacks the internal tools, and its calls of them name why; its coordinator keeps SendMessage, and an agent that is no worker all", testInternalTools)
	t.Run("SUB-05 PRM-01 rules that deny types leave what they do not name, also where forks are on, and none left is said", testDeniedTypes)
	t.Run("GATE-02 SUB-14 a gate of automatic background that flips while an agent runs moves only those that start later", testFlippedWhileRunning)
}

// withBuiltIn adds a built-in definition to the two that are there.
func withBuiltIn(s *story, typ string) {
	gates := gate.Default()
	for _, d := range agent.EveryBuiltIn(&gates) {
		if d.Type == typ {
			s.cfg.Definitions = append(s.cfg.Definitions, d)
		}
	}
}

func testGitStatus(t *testing.T) {
	status := strings.Repeat(" M internal/orders/submit.go\n", 40<<10/28+1)
	for typ, has := range map[string]bool{"general-purpose": true, "Explore": false, "Plan": false} {
		s := one(t, `{"description":"d","prompt":"p","subagent_type":"`+typ+`"}`, func(s *story) {
			withBuiltIn(s, "Plan")
			s.cfg.SystemContext = []agent.Part{{Name: agent.PartGitStatus, Text: status}}
		})
		flat := s.flat("main/1.1", 1)
		if got := strings.Contains(flat, "internal/orders/submit.go"); got != has || has != (len(flat) > 40<<10) {
			t.Errorf("%s: git status %v in %d bytes", typ, got, len(flat))
		}
	}
}

func testInternalTools(t *testing.T) {
	internal := []string{"SendMessage", "TeamCreate", "TeamDelete", "SyntheticOutput"}
	s := led(t, research, func(s *story) {
		s.offered = internal
		s.script("main/1.1", `use SyntheticOutput {"output":{}}`, "text done")
	})
	for _, name := range internal {
		if s.agent("main/1.1").Context().Pool.Has(name) || s.agent("main").Context().Pool.Has(name) != (name == "SendMessage") {
			t.Errorf("%s: the worker has it, or its coordinator has another one than SendMessage", name)
		}
	}
	if e := s.eventsOf("tool_result"); !strings.Contains(s.flat("main/1.1", 2), "removed by "+string(tool.LayerWorker)) {
		t.Error("why the tool is missing is not said", e)
	}
	s = one(t, plain, func(s *story) { s.offered, s.gates["AGENT_SWARMS"] = internal, "true" })
	if !s.agent("main/1.1").Context().Pool.Has("SendMessage") {
		t.Error("an agent that is no worker lost an internal tool")
	}
}

func testDeniedTypes(t *testing.T) {
	for _, c := range []struct {
		rules []string
		gates string
		input string
		want  string
	}{
		{[]string{"deny Agent(general-purpose)"}, "KAIROS=false", plain, `agent type "general-purpose" is denied by the permission rule Agent(general-purpose); available: Explore`},
		{[]string{"deny Task(Explore)", "deny Agent(general-purpose)"}, "KAIROS=false", `{"description":"d","prompt":"p","subagent_type":"Explore"}`,
			`agent type "Explore" is denied by the permission rule Task(Explore); available: none`},
		{[]string{"deny Agent(fork)"}, "FORK_SUBAGENT=true", plain, `agent type "fork" is denied by the permission rule Agent(fork); available: general-purpose, Explore`},
		{[]string{"deny Agent"}, "KAIROS=false", plain, `Permission to use Agent was denied: deny rule Agent.`},
	} {
		s := one(t, c.input, func(s *story) { setGates(c.gates)(s); s.rules(c.rules) })
		if got := s.block("main", 2, -1).Block.Content.Raw(); got != c.want {
			t.Errorf("%v: %q", c.rules, got)
		}
		if len(s.world.Agents()) != 1 {
			t.Errorf("%v: an agent started", c.rules)
		}
	}
	s := one(t, plain, func(s *story) { s.rules([]string{"deny Agent(Explore)"}) })
	if flat := s.flat("main", 1); strings.Contains(flat, "- Explore:") || !strings.Contains(flat, "- general-purpose:") {
		t.Error("the Agent tool lists other types than are left")
	}
}

func testFlippedWhileRunning(t *testing.T) {
	s := newStory(t)
	s.script("main", "use Agent "+plain, "use Agent "+plain, "text waiting", "text done")
	s.script("main/1.1", "take 200s; text done")
	s.script("main/2.1", "take 200s; text done")
	s.root("go")
	s.at(50_000_000_000, func(w *agent.World) error { return w.FlipGate("tengu_auto_background_agents", "true") })
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if all := s.world.Tasks().All(); len(all) != 1 || all[0].ID != s.agent("main/2.1").Context().ID.String() {
		t.Error(all)
	}
}
