package agent_test

import (
	"strings"
	"testing"

	"agentsim/sim/agent"
)

func TestPlaces(t *testing.T) {
	t.Run("WKT-09 working directory and git status in a worktree are its own, so nothing behind them is shared", testOwnFront)
	t.Run("WKT-08 the call's isolation beats the definition's", testCallsIsolation)
	t.Run("WKT-04 a worktree stays while somebody works in it, and an agent that fails says where its work is", testOutlived)
}

const inTree = `{"description":"d","prompt":"p","isolation":"worktree"}`

// twins are two agents at once, each in a worktree of its own, and one in the project's
// directory.
func testOwnFront(t *testing.T) {
	s := newStory(t)
	for i, p := range s.cfg.SystemContext {
		if p.Name == agent.PartGitStatus {
			s.cfg.SystemContext[i].Text = "Current branch: main\n\nMain branch: main\n\nStatus:\n M a.go\n\nRecent commits:\n0a1b2c3 first"
		}
	}
	s.script("main", "use Agent "+inTree+"; use Agent "+inTree+"; use Agent "+plain, "text done")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	system := func(lineage string) string {
		_, text, _ := strings.Cut(s.flat(lineage, 1), `"system":`)
		return text
	}
	one, two, plain := system("main/1.1"), system("main/1.2"), system("main/1.3")
	for _, x := range []struct{ text, has, lacks string }{
		{one, ".claude/worktrees/agent-", " M a.go"}, {one, "Current branch: worktree-agent-", "Current branch: main"}, {one, "Status:\\n(clean)", ""}, {one, "Recent commits:\\n0a1b2c3 first", ""},
		{one, "Main branch: main", ""}, {plain, " M a.go", ".claude/worktrees"}, {plain, "Current branch: main", ""},
	} {
		if !strings.Contains(x.text, x.has) || x.lacks != "" && strings.Contains(x.text, x.lacks) {
			t.Errorf("with %q, without %q: %s", x.has, x.lacks, x.text)
		}
	}
	same := func(a, b string) int {
		n := 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		return n
	}
	if at, dir := same(one, two), strings.Index(one, ".claude/worktrees/agent-"); at < dir || at > dir+len(".claude/worktrees/agent-01234567") {
		t.Errorf("siblings' system prompts part at %d, their directories begin at %d", at, dir)
	}
}

func testCallsIsolation(t *testing.T) {
	for _, c := range []struct {
		def, call string
		trees     int
	}{{"", "", 0}, {"worktree", "", 1}, {"", "worktree", 1}, {"worktree", "worktree", 1}, {"remote", "worktree", 1}, {"remote", "", 0}} {
		input := `{"description":"d","prompt":"p","subagent_type":"apart"`
		if c.call != "" {
			input += `,"isolation":"` + c.call + `"`
		}
		s := one(t, input+"}", func(s *story) {
			d := &agent.Definition{Type: "apart", Description: "d", Isolation: c.def}
			if c.def == "remote" {
				d.Remote = "a.md:4:1: isolation remote is known"
			}
			d.Prompt = agent.EveryBuiltIn(&s.cfg.Gates)[0].Prompt
			s.cfg.Definitions = append(s.cfg.Definitions, d)
		})
		if n := len(s.eventsOf("worktree")); n != 2*c.trees {
			t.Errorf("definition %q, call %q: %d events, want %d", c.def, c.call, n, 2*c.trees)
		}
		if refused := strings.Contains(s.block("main", 2, -1).Block.Content.Raw(), "isolation remote is known"); refused != (c.def == "remote" && c.call == "") {
			t.Errorf("definition %q, call %q: refused %v", c.def, c.call, refused)
		}
	}
}

// testOutlived has a child that leaves one of its own running in its worktree, in which
// nothing was written, and fails.
func testOutlived(t *testing.T) {
	s := newStory(t)
	s.script("main", "use Agent "+inTree, "text I wait.", "text done")
	s.script("main/1.1", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, "stop refusal; text no")
	s.script("main/1.1/1.1", "take 9s; text done")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	said := s.block("main", 2, -1).Block.Content.Raw()
	if !strings.Contains(said, "What it changed is in /work/project/.claude/worktrees/agent-") {
		t.Errorf("it says: %s", said)
	}
	var ops []string
	for _, e := range s.eventsOf("worktree") {
		ops = append(ops, e["op"])
	}
	if got := strings.Join(ops, " "); got != "made kept" {
		t.Errorf("the worktree was %s", got)
	}
}
