package sim_test

import (
	"cmp"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// kept keeps the lines of some kinds of events.
type kept struct {
	kinds []transcript.Kind
	lines []string
}

func (k *kept) Emit(e *transcript.Event) {
	for _, want := range k.kinds {
		if e.Body.Kind() == want {
			k.lines = append(k.lines, string(transcript.AppendLine(nil, e)))
		}
	}
}

func (k *kept) has(part string) bool { return strings.Contains(strings.Join(k.lines, "\n"), part) }

// runText runs a scenario's text and keeps events.
func runText(t *testing.T, text string, kinds ...transcript.Kind) (*kept, error) {
	t.Helper()
	f, err := scenarios.Parse("my.yaml", []byte(merged(text)))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective(f.VariantNames()[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{kinds: kinds}
	_, err = sim.Run(spec, sim.Options{Sinks: []transcript.Sink{k}})
	return k, err
}

const spawns = `agentsim: 1
name: my
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: do it now, prompt: "Do it.", subagent_type: TYPE}}]
        - text: done
    - agent: main/*
      turns:
        - contains: MARK
          text: fine
`

func TestDefinitions(t *testing.T) {
	spawn := func(typ, mark, rest string) string {
		return strings.NewReplacer("TYPE", typ, "MARK", mark).Replace(spawns) + rest
	}
	t.Run("DEF-02 DEF-05 a run takes definitions from every source and records which is in force", func(t *testing.T) {
		k, err := runText(t, spawn("a", "THE-USERS", `project:
  files:
    .claude/agents/b.md: "---\nname: b\ndescription: x\n---\nTHE-PROJECTS\n"
  agents:
    plugins: {acme: {files: {agents/a.md: "---\nname: a\ndescription: x\n---\nTHE-PLUGINS\n"}}}
    user: {.claude/agents/a.md: "---\nname: a\ndescription: x\n---\nTHE-USERS\n", .claude/agents/b.md: "---\nname: b\ndescription: x\n---\np\n"}
    json: '{"c": {"description": "x", "prompt": "p"}}'
    policy: {managed-settings.json: '{"agents": {"Explore": {"description": "ours", "prompt": "p"}}}'}
`), transcript.KindDefinition, transcript.KindAgentStart)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"definition type=a source=plugin place=acme/agents/a.md:2 outcome=overridden by=~/.claude/agents/a.md:2",
			"definition type=a source=userSettings place=~/.claude/agents/a.md:2 outcome=loaded",
			"definition type=b source=projectSettings place=.claude/agents/b.md:2 outcome=loaded",
			"definition type=c source=flagSettings place=--agents-json:1 outcome=loaded",
			`definition type=Explore source=policySettings place=policy/managed-settings.json:1 outcome="shadows the built-in"`,
			"definition type=Explore source=built-in outcome=shadowed by=policy/managed-settings.json:1",
			"type=a structure=subagent",
		} {
			if !k.has(want) {
				t.Errorf("no event %q in\n%s", want, strings.Join(k.lines, "\n"))
			}
		}
	})
	t.Run("DEF-04 DEF-09 a broken file and a built-in's name are findings with their place, and the run goes on", func(t *testing.T) {
		k, err := runText(t, spawn("good", "GOOD", `project:
  files:
    .claude/agents/bad.md: "---\nname: bad\n"
    .claude/agents/good.md: "---\nname: good\ndescription: x\nsize: 3\n---\nGOOD\n"
    .claude/agents/plan.md: "---\nname: Plan\ndescription: x\n---\np\n"
`), transcript.KindFinding, transcript.KindAgentStart)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"type=good", `rule=definition detail=".claude/agents/bad.md:1:1: `, `rule=definition detail=".claude/agents/plan.md:2:7: `,
			`rule=definition-warning detail=".claude/agents/good.md:4:1: warning: unknown field`} {
			if !k.has(want) {
				t.Errorf("no event %q in\n%s", want, strings.Join(k.lines, "\n"))
			}
		}
	})
	t.Run("SUB-09 DEF-04 a definition whose model is an alias of no model is told with its place", func(t *testing.T) {
		files := "project: {files: {.claude/agents/good.md: \"---\\nname: good\\ndescription: x\\nmodel: sonnet\\n---\\nGOOD\\n\"}}\n"
		k, err := runText(t, spawn("general-purpose", "Do it.", files), transcript.KindFinding)
		if err != nil {
			t.Fatal(err)
		}
		if !k.has(`rule=definition-warning detail=".claude/agents/good.md:4:1: warning: agent`) {
			t.Error(strings.Join(k.lines, "\n"))
		}
	})
	t.Run("DEF-04 SUB-09 an agent that cannot be started is refused before the run, wherever its type is named", refusedTypes)
	t.Run("SUB-07 agents have the shell that their definition names, whatever their root's list", func(t *testing.T) {
		k, err := runText(t, `agentsim: 1
name: my
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: go, tools: [Agent, Read]}
structure: subagent
agents:
  type: tester
project:
  files: {a.go: "package a", .claude/agents/tester.md: "---\nname: tester\ndescription: x\ntools: Bash\n---\nRun the tests.\n"}
work: [{id: a, kind: verify, runs: [go test ./...]}]
`, transcript.KindAgentStart, transcript.KindToolResult)
		if err != nil {
			t.Fatal(err)
		}
		if !k.has("tools=Agent,Read ") || !k.has("tools=Bash ") || !k.has("name=Bash") {
			t.Error(strings.Join(k.lines, "\n"))
		}
	})
	t.Run("DEF-07 DEF-10 a further built-in type is listed where the scenario asks for it, and nowhere else", func(t *testing.T) {
		sizes := map[string]string{}
		for _, list := range []string{"[]", "[Plan]"} {
			k, err := runText(t, spawn("Plan", "Critical Files for Implementation", "project: {agents: {built_ins: "+list+"}}\n"),
				transcript.KindAgentStart, transcript.KindResponse)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := k.has("type=Plan structure=subagent"), list == "[Plan]"; got != want {
				t.Errorf("built_ins %s: Plan started: %v", list, got)
			}
			for _, l := range k.lines {
				if strings.Contains(l, " response ") {
					sizes[list] = l
					break
				}
			}
		}
		if sizes["[]"] == sizes["[Plan]"] {
			t.Error("a type more changed no byte of the first request")
		}
	})
	t.Run("DEF-06 what the user's agents remember lies in the user's tree", func(t *testing.T) {
		_, err := runText(t, spawn("a", "LAST-TIME", `project:
  agents:
    user: {.claude/agents/a.md: "---\nname: a\ndescription: x\nmemory: user\n---\np\n", .claude/agent-memory/a/MEMORY.md: "LAST-TIME it rained.\n"}
`))
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("DEF-06 a run that starts with the memory of an earlier one reads what that wrote, in every scope", testHandedOver)
	t.Run("DEF-03 a model that nobody knows is refused where it is used, with the place that names it", func(t *testing.T) {
		_, err := runText(t, spawn("a", "Do it.", `project:
  agents: {json: '{"a": {"description": "x", "prompt": "p", "model": "gpt-none"}}'}
`))
		if err == nil || !strings.Contains(err.Error(), `answers[0].turns[0].tools[0]: agent type "a" cannot be started: --agents-json:1: model "gpt-none" is not in the table`) {
			t.Error(err)
		}
	})
}

func refusedTypes(t *testing.T) {
	project := `project:
  files:
    a.go: "package a\n"
    .claude/agents/apart.md: "---\nname: apart\ndescription: d\nisolation: remote\n---\nYou.\n"
    .claude/agents/served.md: "---\nname: served\ndescription: d\nisolation: remote\n---\nYou.\n"
    .claude/agents/cheap.md: "---\nname: cheap\ndescription: d\nmodel: haiku\n---\nYou.\n"
  agents: {policy: {managed-settings.json: 'POLICY'}}
`
	for _, c := range []struct{ name, policy, rest, want string }{
		{"of an item", "", "structure: subagent\nwork: [{id: a, kind: answer, agent: {type: apart}}]\n",
			`work[0].agent.type: agent type "apart" cannot be started: .claude/agents/apart.md:4:12: isolation remote is known, but there are no remote environments`},
		{"of all items", "", "structure: subagent-background\nagents: {type: served}\nwork: [{id: a, kind: answer}]\n",
			`type: agent type "served" cannot be started: .claude/agents/served.md:4:12: isolation remote is known`},
		{"whose alias nobody resolves", "", "structure: subagent\nwork: [{id: a, kind: answer, agent: {type: cheap}}]\n",
			`work[0].agent.type: agent type "cheap" cannot be started: .claude/agents/cheap.md:2: its model haiku is an alias that stands for no model: write provider: {aliases: {haiku: claude-haiku-5-5}}`},
		{"whose alias the item does not ask for", "", "structure: subagent\nwork: [{id: a, kind: answer, agent: {type: cheap, model: sonnet}}]\n", ""},
		{"of no item", "", "structure: subagent\nwork: [{id: a, kind: answer, agent: {type: Explore, model: sonnet}}]\n", ""},
		{"that nobody names, in place of the default one", `{"agents": {"general-purpose": {"description": "d", "prompt": "p", "isolation": "remote"}}}`,
			"structure: subagent\nwork: [{id: a, kind: answer}]\n", `structure: agent type "general-purpose" cannot be started: policy/managed-settings.json:1:81: isolation remote is known`},
		{"of a coordinator", `{"agents": {"worker": {"description": "d", "prompt": "p", "isolation": "remote"}}}`,
			"structure: coordinator\nwork: [{id: a, kind: answer}]\n", `structure: agent type "worker" cannot be started: policy/managed-settings.json:1:72: isolation remote is known`},
		{"of the minimal stack, which reads neither", "", "structure: subagent\nlab: {stack: minimal}\nwork: [{id: a, kind: answer, agent: {type: apart}}]\n", ""},
	} {
		project := strings.Replace(project, "POLICY", cmp.Or(c.policy, "{}"), 1)
		if strings.Contains(c.rest, "minimal") {
			project, _, _ = strings.Cut(project, "  agents:")
		}
		_, err := runText(t, "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-4-5-20250929, aliases: {sonnet: claude-sonnet-5-5}}\nscript: {main: {user: hello}}\n"+project+c.rest)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("an agent %s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("an agent %s is not refused by %s: %v", c.name, c.want, err)
		}
	}
	t.Run("LANG-07 likewise what an exact turn calls, but for a type that nobody defines", func(t *testing.T) {
		project, _, _ := strings.Cut(project, "  agents:")
		if _, err := runText(t, spawn("apart")+project); err == nil || !strings.HasPrefix(err.Error(), `answers[0].turns[0].tools[0]: agent type "apart" cannot be started: `) {
			t.Error(err)
		}
		k, err := runText(t, spawn("nobody")+project, transcript.KindToolResult)
		if err != nil || !k.has("error=true") {
			t.Error(err, k.lines)
		}
	})
}

// spawn is a script that starts an agent of a type.
func spawn(typ string) string {
	return strings.NewReplacer("TYPE", typ, "MARK", "Do it.").Replace(spawns)
}

const remembers = `agentsim: 1
name: my
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello, tools: [Agent, Read, Write]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: do it now, prompt: "Do it.", subagent_type: a}}]
        - text: done
    - agent: main/*
      turns:
        - contains: MARK
          tools: [{name: Read, input: {file_path: /work/project/DIR/MEMORY.md}}]
        - tools: [{name: Write, input: {file_path: /work/project/DIR/MEMORY.md, content: "IT-RAINED\n"}}]
        - text: noted
project:
  agents:
    user:
      .claude/agents/a.md: "---\nname: a\ndescription: x\nmemory: SCOPE\npermissionMode: acceptEdits\n---\np\n"
      .claude/agent-memory/a/MEMORY.md: "nothing yet\n"
`

func testHandedOver(t *testing.T) {
	for scope, dir := range map[string]string{"user": ".agentsim/user/agent-memory/a", "project": ".claude/agent-memory/a", "local": ".claude/agent-memory-local/a"} {
		run := func(mark string, memory map[string]string) (*sim.Result, error) {
			f, err := scenarios.Parse("my.yaml", []byte(strings.NewReplacer("SCOPE", scope, "DIR", dir, "MARK", mark).Replace(remembers)))
			if err != nil {
				t.Fatal(err)
			}
			sc, err := f.Effective(f.VariantNames()[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			spec, err := sim.NewSpec(sc, "")
			if err == nil {
				spec.Project, err = sim.WithMemory(spec.Project, memory)
			}
			if err != nil {
				t.Fatal(err)
			}
			return sim.Run(spec, sim.Options{})
		}
		first, err := run("Do it.", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := first.Memory[dir+"/MEMORY.md"]; got != "IT-RAINED\n" {
			t.Fatalf("%s: the first run leaves %q", scope, first.Memory)
		}
		second, err := run("IT-RAINED", first.Memory)
		if err != nil {
			t.Fatalf("%s: the second run does not know what the first wrote: %v", scope, err)
		}
		if again, err := run("IT-RAINED", first.Memory); err != nil || again.Digest != second.Digest || again.RunID != second.RunID {
			t.Errorf("%s: equal memories, different runs: %v", scope, err)
		}
		if _, err := run("IT-RAINED", nil); err == nil {
			t.Errorf("%s: a run without the memory knows it too", scope)
		}
	}
}
