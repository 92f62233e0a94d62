package agent_test

import (
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/tool"
)

// everything is the whole catalogue, so that the layers have work.
func everything(s *story) {
	s.gates["AGENT_SWARMS"] = "true"
	s.offered = tool.Names(tool.Catalogue())
}

func testPools(t *testing.T) {
	// The root holds two tools; its child holds what its own definition gives it.
	s := newStory(t)
	offered, err := tool.Pick(tool.Catalogue(), []string{"Agent", "Glob"})
	if err != nil {
		t.Fatal(err)
	}
	s.script("main", "use Agent "+plain, "text done")
	s.root("go").Offered = offered
	s.run()
	starts := s.eventsOf("agent_start")
	if starts[0]["tools"] != "Agent,Glob" || starts[1]["tools"] != "Agent,Read,Grep,Glob,Edit" {
		t.Error("root and child hold", starts[0]["tools"], starts[1]["tools"])
	}

	// What a definition names its agents have, though no session offers it; what it
	// only takes away, and what layers keep from all, it does not.
	own := &agent.Definition{Type: "it", Tools: []string{"Write", "Bash", "WebFetch", "TaskOutput", "Read"}, Disallowed: []string{"Write"}, Prompt: func(*gate.Set) string { return "x" }}
	s = one(t, `{"description":"d","prompt":"p","subagent_type":"it"}`, func(s *story) { s.cfg.Definitions = []*agent.Definition{own} })
	if got := s.eventsOf("agent_start"); got[0]["tools"] != "Agent,TaskStop,Read,Grep,Glob,Edit" || got[1]["tools"] != "Read,Bash,WebFetch" {
		t.Error("root and its child hold", got[0]["tools"], got[1]["tools"])
	}

	s = one(t, plain, func(s *story) { everything(s); s.gates["FORK_SUBAGENT"] = "true" })
	all := strings.Join(tool.Names(tool.Catalogue()), ",")
	for _, e := range s.eventsOf("agent_start") {
		if e["tools"] != all {
			t.Errorf("%s holds %s", e["lineage"], e["tools"])
		}
	}
	if s.agent("main/1.1").Context().Pool != s.agent("main").Context().Pool {
		t.Error("a fork's tools are not the parent's own")
	}
}

func testLayers(t *testing.T) {
	pool := func(input string, defs ...*agent.Definition) string {
		s := one(t, input, func(s *story) { everything(s); s.cfg.Definitions = defs })
		return s.eventsOf("agent_start")[1]["tools"]
	}
	const layer1 = "Agent,Read,Grep,Glob,Edit,Write,NotebookEdit,Bash,Skill,WebFetch,WebSearch,TodoWrite,subscribe_pr_activity,SyntheticOutput,SendMessage,TeamCreate,TeamDelete,TaskCreate,TaskGet,TaskList,TaskUpdate"
	if got := pool(plain); got != layer1 {
		t.Error("a built-in synchronous agent holds", got)
	}
	const layer3 = "Read,Grep,Glob,Edit,Write,NotebookEdit,Bash,Skill,WebFetch,WebSearch,TodoWrite,SyntheticOutput"
	if got := pool(`{"description":"d","prompt":"p","run_in_background":true}`); got != layer3 {
		t.Error("an asynchronous agent holds", got)
	}
	prompt := func(*gate.Set) string { return "x" }
	def := &agent.Definition{Type: "it", Tools: []string{"Read", "Edit", "Task", "TaskStop"}, Disallowed: []string{"Edit"}, Prompt: prompt}
	if got := pool(`{"description":"d","prompt":"p","subagent_type":"it"}`, def); got != "Agent,Read" {
		t.Error("a definition with tools and disallowed tools holds", got)
	}
	open := &agent.Definition{Type: "it", Disallowed: []string{}, Prompt: prompt}
	if got := pool(`{"description":"d","prompt":"p","subagent_type":"it"}`, open); strings.Contains(got, "TaskStop") || strings.Contains(got, "TeamCreate") {
		t.Error("an empty list lifted a layer:", got)
	}
}
