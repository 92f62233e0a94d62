package agent_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/definition"
	"agentsim/sim/gate"
	"agentsim/sim/llm"

	"github.com/cockroachdb/datadriven"
)

// TestDefinitions runs the stories of testdata/definitions: those of TestStories
// with three commands more.
//
//	markdown PATH, a definition's file below
//	hook COMMAND [event=…] [tool=…] [block] [times=N], the reason below
//	memory LINEAGE CALL: what the request's system prompt says of a memory
func TestDefinitions(t *testing.T) {
	files, err := filepath.Glob("testdata/definitions/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			s := newStory(t)
			datadriven.RunTest(t, f, func(t *testing.T, d *datadriven.TestData) string {
				switch d.Cmd {
				case "markdown":
					return s.markdown(t, d)
				case "hook":
					s.cfg.Hooks = append(s.cfg.Hooks, agent.HookRule{Command: d.CmdArgs[0].Key, Event: agent.HookEvent(arg(d, "event")),
						Tool: arg(d, "tool"), Block: d.HasArg("block"), Times: s.number(arg(d, "times")), Reason: d.Input})
					return ""
				}
				if d.Cmd == "memory" {
					return s.memory(d.CmdArgs[0].Key + " " + d.CmdArgs[1].Key)
				}
				return s.command(t, d)
			})
		})
	}
}

func (s *story) markdown(t *testing.T, d *datadriven.TestData) string {
	def, problems := definition.Parse(agent.FromProject, d.CmdArgs[0].Key, d.Input+"\n")
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	if def != nil {
		s.cfg.Definitions = append(s.cfg.Definitions, def)
	}
	return b.String()
}

// memory is what the system prompt of a request says of the agent's memory.
func (s *story) memory(request string) string {
	for n := s.model.heads[request]; n != nil; n = n.Parent {
		if n.Block == nil || n.Block.Kind != llm.Text {
			continue
		}
		if _, text, ok := strings.Cut(n.Block.Content.Raw(), "# Memory\n"); ok {
			text, _, _ = strings.Cut(text, "\ngitStatus")
			return text
		}
	}
	return "none"
}

// builtIn is a built-in definition of a plain external build.
func builtIn(t *testing.T, typ string, userType string) *agent.Definition {
	g := gate.Default()
	g.UserType = userType
	for _, d := range agent.EveryBuiltIn(&g) {
		if d.Type == typ {
			return d
		}
	}
	t.Fatal("no built-in", typ)
	return nil
}

func TestBuiltIns(t *testing.T) {
	denied := []string{"Agent", "ExitPlanMode", "Edit", "Write", "NotebookEdit"}
	for _, c := range []struct {
		typ, what    string
		model, inner string // of external and internal builds
		tools, deny  []string
		lean, async  bool
	}{
		{"general-purpose", "every tool, the default sub-agent model, and keeps CLAUDE.md", "", "", []string{"*"}, nil, false, false},
		{"Explore", "haiku outside and the parent's model inside, no writing tool and no Agent, and no CLAUDE.md", "haiku", "inherit", nil, denied, true, false},
		{"Plan", "the parent's model, Explore's tools, and no CLAUDE.md", "inherit", "inherit", nil, denied, true, false},
		{"verification", "the parent's model, Explore's denials, and always the background", "inherit", "inherit", nil, denied, false, true},
		{"fork", "the parent's model and exact tools", "inherit", "inherit", []string{"*"}, nil, false, false},
		{"worker", "every tool and the parent's model", "inherit", "inherit", []string{"*"}, nil, false, false},
		{"statusline-setup", "Read and Edit, and the default sub-agent model", "", "", []string{"Read", "Edit"}, nil, false, false},
		{"claude-code-guide", "tools that look, here and on the web", "", "", []string{"Read", "Grep", "Glob", "WebFetch", "WebSearch"}, nil, false, false},
	} {
		t.Run("DEF-07 "+c.typ+" has "+c.what, func(t *testing.T) {
			for user, model := range map[string]string{"external": c.model, "ant": c.inner} {
				d := builtIn(t, c.typ, user)
				if d.Model != model || !slices.Equal(d.Tools, c.tools) || !slices.Equal(d.Disallowed, c.deny) || d.OmitClaude != c.lean ||
					d.Background != c.async || !d.BuiltIn() {
					t.Errorf("%s: %+v", user, d)
				}
			}
		})
	}
	t.Run("DEF-07 these eight are all, and Plan has Explore's lists themselves, not copies", func(t *testing.T) {
		g := gate.Default()
		all := agent.EveryBuiltIn(&g)
		if len(all) != 8 || &all[1].Disallowed[0] != &all[2].Disallowed[0] {
			t.Error(len(all), "built-ins")
		}
	})
	t.Run("DEF-07 a call may name each but the fork; the worker only where there is a coordinator", func(t *testing.T) {
		plain, coordinated := gate.Default(), gate.Default()
		coordinated.CoordinatorMode, coordinated.CoordinatorEnv = true, true
		for _, d := range agent.EveryBuiltIn(&plain) {
			if got, want := agent.Nameable(d.Type, &plain), d.Type != "fork" && d.Type != "worker"; got != want {
				t.Errorf("%s: %v", d.Type, got)
			}
			if got, want := agent.Nameable(d.Type, &coordinated), d.Type != "fork"; got != want {
				t.Errorf("%s under a coordinator: %v", d.Type, got)
			}
		}
	})
	t.Run("DEF-07 Plan's report ends with the critical files, three to five of them", func(t *testing.T) {
		p := prompt(t, "Plan")
		_, end, ok := strings.Cut(p, "\n### Critical Files for Implementation\n")
		if !ok || strings.Contains(end, "#") || !strings.Contains(p, "three to five paths") {
			t.Errorf("Plan's prompt ends: %q", end)
		}
	})
	t.Run("DEF-07 verification is told of its verdicts, its probes and the one place where it may write", func(t *testing.T) {
		p := prompt(t, "verification")
		for _, want := range []string{"VERDICT: PASS", "VERDICT: FAIL", "VERDICT: PARTIAL", "concurrent", "boundaries", "idempotency", "orphans", "/tmp", "no test framework"} {
			if !strings.Contains(p, want) {
				t.Errorf("nothing of %q", want)
			}
		}
	})
	for _, typ := range []string{"Explore", "Plan"} {
		t.Run("DEF-08 "+typ+"'s prompt opens with a read-only section that forbids files, redirects and changes of state", func(t *testing.T) {
			p := prompt(t, typ)
			head, rest, ok := strings.Cut(p, "\n\n")
			if !ok || !strings.HasPrefix(head, "=== CRITICAL: READ-ONLY MODE ===\n") || strings.Contains(rest, "=== ") {
				t.Fatalf("it opens with %q", head)
			}
			for _, want := range []string{`create, change, move or delete any file`, `temporary directory`, `redirects`, `here-documents`, `state of the system`} {
				if !strings.Contains(head, want) {
					t.Errorf("the section does not forbid %s", want)
				}
			}
		})
	}
	t.Run("DEF-08 Explore's prompt ends with the hint to call tools in parallel", func(t *testing.T) {
		lines := strings.Split(strings.TrimSpace(prompt(t, "Explore")), "\n")
		if last := lines[len(lines)-1]; !regexp.MustCompile(`multiple tools in parallel.*searches and reads`).MatchString(last) {
			t.Errorf("it ends with %q", last)
		}
	})
}

func prompt(t *testing.T, typ string) string {
	g := gate.Default()
	s, err := builtIn(t, typ, "external").SystemPrompt(&g)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMemories(t *testing.T) {
	t.Run("DEF-06 each scope of a memory and each type has a file of its own, and only the user's lies outside the project's .claude", func(t *testing.T) {
		for scope, want := range map[agent.Memory]string{
			"":                  "",
			agent.MemoryUser:    ".agentsim/user/agent-memory/db-keeper/MEMORY.md",
			agent.MemoryProject: ".claude/agent-memory/db-keeper/MEMORY.md",
			agent.MemoryLocal:   ".claude/agent-memory-local/db-keeper/MEMORY.md",
		} {
			if got := (&agent.Definition{Type: "db keeper", Memory: scope}).MemoryPath(); got != want {
				t.Errorf("scope %q: %s, want %s", scope, got, want)
			}
		}
	})
}

// asked is the first request of an agent of a type, under a setting of the gate
// that leaves CLAUDE.md out.
func asked(t *testing.T, defs []*agent.Definition, typ, slim string) string {
	return one(t, `{"description":"d","prompt":"p","subagent_type":"`+typ+`"}`, func(s *story) {
		s.gates["tengu_slim_subagent_claudemd"], s.cfg.Definitions = slim, defs
	}).flat("main/1.1", 1)
}

// overridden is one call of a policy's definition that shadows a built-in one.
func overridden(t *testing.T, typ string, omit bool, slim string) string {
	text := "---\nname: " + typ + "\ndescription: ours\nomitClaudeMd: " + strconv.FormatBool(omit) + "\n---\nLook.\n"
	g := gate.Default()
	files := map[string]string{".claude/agents/x.md": text}
	set := definition.Load([]definition.Source{{From: agent.FromPolicy, Root: "policy", Files: files}}, nil, &g)
	if len(set.Problems) != 0 || len(set.Definitions) != 1 {
		t.Fatal(set.Problems, len(set.Definitions))
	}
	return asked(t, set.Definitions, typ, slim)
}

func TestUserContext(t *testing.T) {
	t.Run("LOOP-10 a request's first message begins with CLAUDE.md and the date, and its system prompt ends with git status", func(t *testing.T) {
		s := one(t, `{"description":"d","prompt":"p"}`, nil)
		for _, lineage := range []string{"main", "main/1.1"} {
			flat := s.flat(lineage, 1)
			if !strings.Contains(flat, `gitStatus:\nOn branch main\n"}],"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>`) {
				t.Errorf("%s: system context does not end the system prompt, or user context does not begin the messages:\n%s", lineage, flat)
			}
			_, messages, _ := strings.Cut(flat, `"messages":`)
			if !strings.Contains(messages, `# claudeMd\nRun the linter.\n# currentDate\n2026-01-01\n</system-reminder>\n"},{"type":"text","text":"`) {
				t.Errorf("%s: the user context is not whole, or nothing follows it:\n%s", lineage, messages)
			}
		}
	})
	t.Run("LEAN-01 the built-in Explore and Plan do without CLAUDE.md, and have it back with the gate off", func(t *testing.T) {
		for _, typ := range []string{"Explore", "Plan"} {
			for slim, want := range map[string]bool{"true": false, "false": true} {
				if got := strings.Contains(asked(t, []*agent.Definition{builtIn(t, typ, "external")}, typ, slim), "Run the linter."); got != want {
					t.Errorf("%s with the gate %s: CLAUDE.md in the request: %v", typ, slim, got)
				}
			}
		}
	})
	t.Run("LEAN-01 a policy's Explore or Plan has CLAUDE.md unless it omits it too, and then has it back with the gate off", func(t *testing.T) {
		for _, typ := range []string{"Explore", "Plan"} {
			for _, c := range []struct {
				omit bool
				slim string
				want bool
			}{{false, "true", true}, {false, "false", true}, {true, "true", false}, {true, "false", true}} {
				if got := strings.Contains(overridden(t, typ, c.omit, c.slim), "Run the linter."); got != c.want {
					t.Errorf("%s %+v: CLAUDE.md in the request: %v", typ, c, got)
				}
			}
		}
	})
}
