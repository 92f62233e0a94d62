package loading

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics/heads"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/client"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/transcript"
)

// shop is a repository with servers, skills and definitions of all sorts.
var shop = map[string]string{
	"a.go":                             "package a\n",
	"CLAUDE.md":                        "# Shop\n\n@docs/style.md\n\n" + strings.Repeat("Prices are whole cents, and never floats.\n", 40),
	"docs/style.md":                    strings.Repeat("Name things by what they are.\n", 30),
	".mcp.json":                        `{"mcpServers": {"tracker": {"command": "tracker"}, "ledger": {"command": "ledger"}}}`,
	".agentsim/mcp/tracker.json":       `{"tools": [{"name": "find", "description": "finds what somebody reported", "inputSchema": {"type": "object"}}]}`,
	".claude/settings.json":            `{"permissions": {"deny": ["Glob", "Agent(shunned)"]}}`,
	".claude/skills/ship/SKILL.md":     "---\nname: ship\ndescription: ships the shop\n---\nBuild, then push.\n",
	".claude/agents/fixer.md":          "---\nname: fixer\ndescription: fixes\nskills: ship\nmemory: project\nmodel: haiku\n---\nYou fix things.\n",
	".claude/agents/reviewer.md":       "---\nname: reviewer\ndescription: reviews\ntools: Read, Grep, Bash\nomitClaudeMd: true\n---\nYou review.\n",
	".claude/agents/deep/scout.md":     "---\nname: scout\ndescription: scouts\ntools: Read, mcp__tracker__find\nmcpServers: [ledger]\n---\nYou scout.\n",
	".claude/agents/denied.md":         "---\nname: denied\ndescription: does without\ndisallowedTools: Edit, Write, mcp__ledger__tool_1\n---\nYou do without.\n",
	".claude/agents/planner.md":        "---\nname: planner\ndescription: plans\npermissionMode: plan\n---\nYou plan.\n",
	".claude/agents/shunned.md":        "---\nname: shunned\ndescription: is denied\n---\nYou are.\n",
	".claude/agent-memory/f/MEMORY.md": "nothing of anybody's\n",
}

func TestFronts(t *testing.T) {
	t.Run("REPO-05 check says of every type of agent what a run's first request of it holds, tool by tool and part by part", oneFront)
}

func TestTools(t *testing.T) {
	t.Run("REPO-02 a root on a directory has the tools of its client, but a coordinator its own", func(t *testing.T) {
		for mode, want := range map[string]bool{"false": true, "true": false} { // order: each is a case of its own
			sc := scenarios.Defaults()
			sc.Main, sc.Project.Client = &scenarios.Root{}, client.Default
			sc.Gates = map[string]string{"COORDINATOR_MODE": mode, "CLAUDE_CODE_COORDINATOR_MODE": mode}
			if tools(sc); (sc.Main.Tools != nil) != want {
				t.Errorf("coordinator %s: %v", mode, sc.Main.Tools)
			}
		}
	})
}

func oneFront(t *testing.T) {
	dir := t.TempDir()
	types := []string{"general-purpose", "Explore", "Plan", "fixer", "reviewer", "scout", "denied", "planner"}
	var calls, answers strings.Builder
	for i, name := range types {
		fmt.Fprintf(&calls, "{name: Agent, input: {description: do it now, prompt: Go., subagent_type: %s}}, ", name)
		fmt.Fprintf(&answers, "    - agent: main/1.%d\n      turns: [{text: done}]\n", i+1)
	}
	story := "agentsim: 1\nname: s\nprovider: {model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}}\nlab: {permissions: {mode: default}}\nproject: {directory: shop, agents: {built_ins: [Plan]}}\n" +
		"script:\n  main: {user: hello}\n  answers:\n    - agent: main\n      turns: [{tools: [" + calls.String() + "]}, {text: done}]\n" + answers.String()
	for name, text := range shop { // order: each is a file of its own
		file := filepath.Join(dir, "shop", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	scenario := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(scenario, []byte(story), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &Project{}
	defer p.Close()
	l, err := p.Scenario(&ui.Env{Stderr: io.Discard, Stdout: io.Discard}, scenario, nil)
	if err != nil {
		t.Fatal(err)
	}
	specs, err := l.Maker(nil).Specs([]string{""})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadRepository(filepath.Join(dir, "shop"), "", "", nil, cachemodel.Lookup)
	if err != nil {
		t.Fatal(err)
	}
	sent := &firsts{types: map[int32]string{}, first: map[string]*llm.Node{}}
	if _, err := sim.Run(specs[0], sim.Options{Sinks: []transcript.Sink{sent}}); err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Agents {
		if a.Name == heads.Fork || a.Name == "shunned" {
			continue // neither is started
		}
		if slices.ContainsFunc(a.Parts, func(i int) bool { return r.Parts[i].Kind == client.Types && r.Parts[i].Name == "shunned" }) {
			t.Errorf("%s: a type that settings deny is listed", a.Name)
		}
		head := sent.first[a.Name]
		if head == nil {
			t.Errorf("%s was not started", a.Name)
			continue
		}
		agree(t, r.Heads, a, head)
	}
}

// firsts are the heads of agents' first requests, by type.
type firsts struct {
	types map[int32]string
	first map[string]*llm.Node
}

func (f *firsts) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		f.types[e.Agent] = b.Type
	case *transcript.Request:
		if name := f.types[e.Agent]; f.first[name] == nil {
			f.first[name] = b.Head
		}
	}
}

// agree holds a head to a request.
func agree(t *testing.T, h *heads.Heads, a *heads.Agent, head *llm.Node) {
	t.Helper()
	counter := tokens.Approx(h.Agents[0].Model)
	var names []string
	var all, tools int64
	for n := head; n != nil; n = n.Parent {
		if n.IsBorder() {
			continue
		}
		size := counter.Tokens(n.Block.Measure())
		if all += size; n.Level == llm.Tools {
			names, tools = append(names, n.Block.Name), tools+size
		}
	}
	var said []string
	var of, hidden int64
	total, _ := h.Tokens(a)
	for _, i := range a.Parts {
		switch p := h.Parts[i]; {
		case p.Kind == client.Tool || p.Kind == client.MCPTool:
			name, _, _ := strings.Cut(p.Name, " ")
			said, of = append(said, name), of+p.Tokens
		case p.Kind == "hidden":
			hidden = p.Tokens
		}
	}
	slices.Reverse(names)
	if !slices.Equal(names, said) || of != tools {
		t.Errorf("%s: check has %v with %d tokens, a run %v with %d", a.Name, said, of, names, tools)
	}
	// Around parts stand their names, and behind them what is asked.
	if off := all + hidden - total; (off < 0 || off > 25+all/20) && a.Name != "planner" { // to which the client says what plan mode is
		t.Errorf("%s: check has %d tokens, the first request %d", a.Name, total, all+hidden)
	}
}
