package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
)

func TestSpawn(t *testing.T) {
	t.Run("SUB-01 the tool is Agent on the wire, and calls by its old name Task work", testAlias)
	t.Run("SUB-03 the schema that stands in the request's bytes follows the gates", testSchemaBytes)
	t.Run("SUB-03 a field that is gated off is ignored and recorded", testIgnoredField)
	t.Run("SUB-22 a field that nothing serves is an error that says so, and a tool that nothing serves is told", testUnserved)
	t.Run("SUB-04 an explicit type wins; without one a fork where forks are on, else general-purpose", testTypeChoice)
	t.Run("SUB-06 five stages in order, each recorded, before the agent starts", testStages)
	t.Run("SUB-08 LOOP-10 a child's request holds nothing of the parent's but user context and prompt", testCanary)
	t.Run("SUB-09 the call's model, else the definition's, else the default; inherit is the parent's; a fork and a worker ignore the call's", testModels)
	t.Run("SUB-10 the run mode of a child, for every mode of parent and definition", testRunModes)
	t.Run("SUB-11 FRK-11 each condition alone makes a spawn asynchronous, and background-disabled beats all", testAsync)
	t.Run("SUB-12 SUB-19 a synchronous result has its fields; its text is the last that has any, its tokens the last request's", testResult)
	t.Run("SUB-12 an agent that never said a text leaves a placeholder", testPlaceholder)
	t.Run("SUB-13 canReadOutputFile says whether the caller could read the output file", testCanRead)
	t.Run("SUB-15 the first request after a spawn names the call that spawned, no other does", testInvoking)
	t.Run("SUB-16 SUB-02 SUB-05 SUB-09 what a caller does wrong is an error result, and an alias of no model is told besides", testWrongCalls)
	t.Run("SUB-07 FLT-10 a child's pool does not depend on its parent's; forks and roots skip all layers", testPools)
	t.Run("FLT-01 FLT-03 FLT-04 each layer takes what it should from a real agent's pool", testLayers)
	t.Run("DEF-07 the built-ins are as defined, and Explore follows USER_TYPE", testBuiltIns)
	t.Run("LEAN-01 Explore does without CLAUDE.md while its gate is on and has it back when it is off", testLean)
	t.Run("CON-05 ids have a fixed width and come from lineage, and lineage names call and tool use", testIDs)
}

// one runs one Agent call of main and returns the story.
func one(t *testing.T, input string, change func(*story)) *story {
	s := newStory(t)
	s.script("main", "use Agent "+input, "text done", "text done")
	s.root("go")
	if change != nil {
		change(s)
	}
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	return s
}

// setGates is a change that sets gates, each NAME=value.
func setGates(settings ...string) func(*story) {
	return func(s *story) {
		for _, set := range settings {
			name, value, _ := strings.Cut(set, "=")
			s.gates[name] = value
		}
	}
}

const plain = `{"description":"d","prompt":"p"}`

func testAlias(t *testing.T) {
	s := newStory(t)
	s.script("main", "use Task "+plain, "text done")
	s.root("go")
	s.run()
	if s.agent("main/1.1").Definition().Type != agent.TypeGeneralPurpose {
		t.Error("Task made another agent than Agent does")
	}
	if flat := s.flat("main", 1); !strings.Contains(flat, `{"tools":[{"name":"Agent",`) || strings.Contains(flat, `"name":"Task"`) {
		t.Error("the tool is not Agent on the wire")
	}
	if flat := s.flat("main", 2); !strings.Contains(flat, `"name":"Task","input"`) {
		t.Error("the call's own name did not stay in the bytes")
	}
}

func testSchemaBytes(t *testing.T) {
	for _, c := range []struct {
		gates string
		has   string // of run_in_background, name, team_name, mode, isolation
	}{
		{"", "run_in_background isolation"},
		{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=true", "isolation"},
		{"FORK_SUBAGENT=true", "isolation"},
		{"FORK_SUBAGENT=true COORDINATOR_MODE=true CLAUDE_CODE_COORDINATOR_MODE=true", "name isolation"},
		{"AGENT_SWARMS=true", "run_in_background name team_name mode isolation"}, // whatever else the caller has
		{"USER_TYPE=ant", "run_in_background isolation"},
	} {
		s := one(t, plain, func(s *story) {
			setGates(strings.Fields(c.gates)...)(s)
		})
		def, _, _ := strings.Cut(s.flat("main", 1), `{"name":"TaskStop"`)
		for _, field := range []string{`run_in_background`, `name`, `team_name`, `mode`, `isolation`} {
			in := strings.Contains(def, `"`+field+`":{`)
			if want := slices.Contains(strings.Fields(c.has), field); in != want {
				t.Errorf("gates %q: the schema has %s: %v, want %v", c.gates, field, in, want)
			}
		}
	}
}

func testUnserved(t *testing.T) {
	for _, c := range []struct{ field, gates, says string }{
		{`"isolation":"remote"`, "USER_TYPE=ant", "isolation"},
		{`"isolation":"remote"`, "", ""},
		{`"team_name":"x"`, "AGENT_SWARMS=true", "you lead no team: call TeamCreate first"},
		{`"mode":"plan"`, "AGENT_SWARMS=true", "a mode is a teammate's"},
		{`"mode":"plan"`, "", ""},
	} {
		s := one(t, `{"description":"d","prompt":"p",`+c.field+`}`, setGates(strings.Fields(c.gates)...))
		b := s.block("main", 2, -1).Block
		if c.says == "" {
			if b.IsError || !strings.Contains(s.text.String(), "is gated off") {
				t.Errorf("%s, gates %q: %s", c.field, c.gates, b.Content.Raw())
			}
			continue
		}
		if !b.IsError || !strings.Contains(b.Content.Raw(), c.says) || len(s.world.Agents()) != 1 {
			t.Errorf("%s, gates %q: %s", c.field, c.gates, b.Content.Raw())
		}
	}
	s := newStory(t)
	s.offered = []string{"WebFetch", "TaskOutput"}
	s.script("main", `use WebFetch {"url":"https://example.org","prompt":"p"}`, "text done")
	s.root("go")
	s.run()
	if found := s.eventsOf("finding"); len(found) != 1 || found[0]["rule"] != "no-effect" || !strings.Contains(s.text.String(), `: TaskOutput, WebFetch"`) || !s.block("main", 2, -1).Block.IsError {
		t.Error("findings about tools that nothing serves:", found)
	}
}

func testIgnoredField(t *testing.T) {
	s := one(t, `{"description":"d","prompt":"p","run_in_background":true,"team_name":"x"}`, setGates("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=true"))
	found := s.eventsOf("finding")
	if len(found) != 2 || found[0]["rule"] != "ignored-field" || !strings.Contains(s.text.String(), "run_in_background is gated off") {
		t.Error("findings:", found)
	}
	if len(s.world.Tasks().All()) != 0 {
		t.Error("the ignored field had an effect")
	}
}

func testTypeChoice(t *testing.T) {
	for _, c := range []struct{ input, forks, want string }{
		{plain, "true", "fork"},
		{plain, "false", "general-purpose"},
		{`{"description":"d","prompt":"p","subagent_type":"Explore"}`, "true", "Explore"},
		{`{"description":"d","prompt":"p","subagent_type":"Explore"}`, "false", "Explore"},
	} {
		s := one(t, c.input, setGates("FORK_SUBAGENT="+c.forks))
		if got := s.eventsOf("agent_start")[1]["type"]; got != c.want {
			t.Errorf("%s with forks %s: %s, want %s", c.input, c.forks, got, c.want)
		}
	}
}

func testStages(t *testing.T) {
	for _, forks := range []string{"false", "true"} {
		s := one(t, plain, setGates("FORK_SUBAGENT="+forks))
		var names []string
		for _, e := range s.eventsOf("stage") {
			names = append(names, e["n"]+e["name"])
		}
		if got := strings.Join(names, " "); got != "1type 2pool 3prompt 4context 5branch" {
			t.Errorf("forks %s: stages %s", forks, got)
		}
		text := s.text.String()
		if strings.Index(text, "n=5") > strings.Index(text, "lineage=main/1.1 parent") {
			t.Error("the agent started before its last stage")
		}
	}
}

func testCanary(t *testing.T) {
	const canary = "CANARY-7f3a"
	s := newStory(t)
	s.files["a.go"] = "package a // " + canary + "\n"
	s.script("main", `text `+canary+`; use Read {"file_path":"a.go"}`, `think `+canary+`; text more `+canary+`; use Agent `+plain, "text done")
	r := s.root("please " + canary)
	r.System = []string{"You are the one with " + canary}
	s.run()
	if n := strings.Count(s.flat("main", 2), canary); n != 4 {
		t.Fatalf("the parent holds the canary %d times, so the test would prove nothing", n)
	}
	flat := s.flat("main/2.1", 1)
	if strings.Contains(flat, canary) {
		t.Error("the child's request holds what only the parent's messages held")
	}
	messages := flat[strings.Index(flat, `"messages":`):]
	user := `<system-reminder>\nContext of this session. It may or may not matter to the task.\n# claudeMd\nRun the linter.\n# currentDate\n2026-01-01\n</system-reminder>\n`
	want := `"messages":[{"role":"user","content":[{"type":"text","text":"` + user + `"},{"type":"text","text":"p"}]}]}`
	if messages != want {
		t.Errorf("the child's messages are\n%s\nwant\n%s", messages, want)
	}
	if !strings.Contains(flat, `gitStatus:\nOn branch main\n"}],"messages"`) || !strings.Contains(s.flat("main", 1), `gitStatus:\nOn branch main\n"}],"messages"`) {
		t.Error("the system context does not end the system prompt")
	}
}

func testModels(t *testing.T) {
	const main, sonnet, haiku = "claude-sonnet-4-6", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
	for _, c := range []struct{ call, def, sub, forks, want string }{
		{"", "", "", "false", main},
		{"", "", sonnet, "false", sonnet},
		{"", "", "haiku", "false", haiku},
		{"", "inherit", sonnet, "false", main},
		{"", "haiku", sonnet, "false", haiku},
		{"", "claude-opus-4-5-20251101", "", "false", "claude-opus-4-5-20251101"},
		{"sonnet", "haiku", "", "false", sonnet},
		{"sonnet", "inherit", "", "false", sonnet},
		{"haiku", "", sonnet, "true", main},
	} {
		input := `{"description":"d","prompt":"p"`
		if c.call != "" {
			input += `,"model":"` + c.call + `"`
		}
		if c.forks == "false" {
			input += `,"subagent_type":"it"`
		}
		s := one(t, input+"}", func(s *story) {
			s.gates["FORK_SUBAGENT"], s.cfg.Subagent = c.forks, c.sub
			s.cfg.Definitions = []*agent.Definition{{Type: "it", Model: c.def, Prompt: func(*gate.Set) string { return "it" }}}
		})
		if got, recorded := s.model.models["main/1.1 1"], s.eventsOf("agent_start")[1]["model"]; got != c.want || recorded != c.want {
			t.Errorf("%+v: %s, recorded %s", c, got, recorded)
		}
		if told := strings.Contains(s.text.String(), "finding rule=ignored-field"); told != (c.forks == "true") {
			t.Errorf("%+v: a model that a fork ignores is a finding, no other: %v", c, told)
		}
	}
	// A coordinator's worker has its model, also where a policy says what a worker is.
	for source, want := range map[agent.Source]string{agent.FromBuiltIn: main, agent.FromPolicy: main} {
		s := one(t, `{"description":"d","prompt":"p","subagent_type":"worker","model":"haiku"}`, func(s *story) {
			setGates("COORDINATOR_MODE=true", "CLAUDE_CODE_COORDINATOR_MODE=true")(s)
			worker := builtIn(t, agent.TypeWorker, "external")
			worker.Source = source
			s.cfg.Definitions = append(s.cfg.Definitions, worker)
		})
		if got, recorded := s.model.models["main/1.1 1"], s.eventsOf("agent_start")[1]["model"]; got != want || recorded != want {
			t.Errorf("a worker of %s: %s, recorded %s", source, got, recorded)
		}
	}
}

func testRunModes(t *testing.T) {
	for _, parent := range permission.Modes() {
		for _, def := range append(permission.Modes(), "") {
			want := parent
			if parent == permission.Default || parent == permission.Auto || parent == permission.Bubble {
				if def != "" {
					want = def
				}
			}
			if got := agent.RunMode(parent, def); got != want {
				t.Errorf("parent %s, definition %q: %s, want %s", parent, def, got, want)
			}
		}
	}
	// Nothing escapes plan mode: a fork, whose definition says bubble, does not.
	s := one(t, plain, func(s *story) { s.gates["FORK_SUBAGENT"], s.cfg.Mode = "true", permission.Plan })
	if e := s.eventsOf("agent_start")[1]; e["run_mode"] != "plan" || e["pool_mode"] != "bubble" {
		t.Error("a fork of a planning parent:", e["run_mode"], e["pool_mode"])
	}
}

func testAsync(t *testing.T) {
	for _, c := range []struct{ gates, call, def string }{
		{"", `,"run_in_background":true`, ""},
		{"", "", `,"subagent_type":"behind"`},
		{"COORDINATOR_MODE=true CLAUDE_CODE_COORDINATOR_MODE=true", "", `,"subagent_type":"worker"`},
		{"FORK_SUBAGENT=true", "", ""},
		{"FORK_SUBAGENT=true", "", `,"subagent_type":"Explore"`},
		{"KAIROS=true", "", ""},
		{"PROACTIVE=true", "", ""},
	} {
		for _, off := range []string{"false", "true"} {
			if strings.HasPrefix(c.gates, "COORDINATOR") && off == "true" { // which no scenario may ask for
				g := gate.Set{CoordinatorMode: true, CoordinatorEnv: true, DisableBackground: true}
				if agent.RunsAsync(false, builtIn(t, agent.TypeWorker, "external"), &g, false) {
					t.Error("a coordinator's worker is asynchronous though background is disabled")
				}
				continue
			}
			s := one(t, `{"description":"d","prompt":"p"`+c.call+c.def+`}`, func(s *story) {
				setGates(append(strings.Fields(c.gates), "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS="+off)...)(s)
				s.cfg.Definitions = []*agent.Definition{{Type: "behind", Background: true, Prompt: func(*gate.Set) string { return "x" }}}
			})
			if got, want := s.eventsOf("agent_start")[1]["async"] == "true", off == "false"; got != want {
				t.Errorf("%+v, background disabled %s: asynchronous %v", c, off, got)
			}
		}
	}
	for _, half := range []string{"", "COORDINATOR_MODE=true", "CLAUDE_CODE_COORDINATOR_MODE=true", "tengu_scratch=true", "AGENT_SWARMS=true"} {
		if s := one(t, plain, setGates(strings.Fields(half)...)); s.eventsOf("agent_start")[1]["async"] != "" {
			t.Errorf("gates %q: asynchronous", half)
		}
	}
}

func testResult(t *testing.T) {
	s := newStory(t)
	s.script("main", `use Agent `+plain+`; use Agent `+plain, "text done")
	s.script("main/1.1", `text "first" words; use Glob {"pattern":"*"}`, `text; use Glob {"pattern":"*"}`, `think only`)
	s.script("main/1.2", "take 9s; text slow")
	s.root("go")
	s.run()
	last := s.model.heads["main/1.1 3"].Pos
	want := fmt.Sprintf(`{"status":"completed","agentId":"%s","content":[{"type":"text","text":"\"first\" words"}],"totalToolUseCount":%d,"totalDurationMs":%d,"totalTokens":%d}`,
		s.agent("main/1.1").Context().ID, 2, 3060, last+10)
	if got := s.block("main", 2, -2).Block.Content.Raw(); got != want {
		t.Errorf("result\n%s\nwant\n%s", got, want)
	}
}

func testPlaceholder(t *testing.T) {
	s := newStory(t)
	s.script("main", `use Agent `+plain, "text done")
	s.script("main/1.1", "think nothing to say")
	s.root("go")
	s.run()
	if got := s.block("main", 2, -1).Block.Content.Raw(); !strings.Contains(got, `"text":"(The agent ended without a text.)"`) {
		t.Error(got)
	}
}

func testCanRead(t *testing.T) {
	for _, c := range []struct{ tools, want string }{{"Agent Read", "true"}, {"Agent Bash", "true"}, {"Agent Glob", "false"}} {
		s := newStory(t)
		s.offered = []string{"Bash"}
		s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, "text done", "text done")
		offered, err := tool.Pick(tool.Catalogue(), strings.Fields(c.tools))
		if err != nil {
			t.Fatal(err)
		}
		s.root("go").Offered = offered
		s.run()
		if got := s.block("main", 2, -1).Block.Content.Raw(); !strings.HasSuffix(got, `"canReadOutputFile":`+c.want+`}`) {
			t.Errorf("a caller with %s: %s", c.tools, got)
		}
	}
}

func testInvoking(t *testing.T) {
	s := newStory(t)
	s.script("main", `use Agent `+plain, "text done")
	s.script("main/1.1", `fail 529; use Glob {"pattern":"*"}`, "text done")
	s.root("go")
	s.run()
	var got []string
	for _, e := range s.eventsOf("request") {
		got = append(got, e[""]+":"+e["invoking"])
	}
	id := s.eventsOf("agent_start")[1]["tool_use"]
	if want := []string{"0:", "1:" + id, "1:", "1:", "0:"}; !slices.Equal(got, want) {
		t.Errorf("requests name %v, want %v", got, want)
	}
}

func testWrongCalls(t *testing.T) {
	for input, want := range map[string]string{
		`{"prompt":"p"}`:                                                  `field "description" is missing`,
		`{"description":"d","prompt":7}`:                                  `field "prompt" must be a string, not 7`,
		`{"description":"d","prompt":"p","x":1}`:                          `unknown field "x"`,
		`{"description":"d","prompt":"p","subagent_type":"nobody"}`:       `agent type "nobody" does not exist; available: general-purpose, Explore`,
		`{"description":"d","prompt":"p","subagent_type":"Plan"}`:         `agent type "Plan" is not listed in this scenario (project.agents.built_ins); available: general-purpose, Explore`,
		`{"description":"d","prompt":"p","model":"sonnet","mode":"plan"}`: `model "sonnet" is not resolved here`,
	} {
		s := one(t, input, func(s *story) { delete(s.cfg.Aliases, "sonnet") })
		b := s.block("main", 2, -1).Block
		if !b.IsError || !strings.Contains(b.Content.Raw(), want) {
			t.Errorf("%s: %q, want %q", input, b.Content.Raw(), want)
		}
		if len(s.world.Agents()) != 1 {
			t.Errorf("%s made an agent", input)
		}
		if got := strings.Contains(s.text.String(), "finding rule=no-model"); got != strings.Contains(want, "resolved") {
			t.Errorf("%s: a finding of a model that is not there: %v", input, got) // SUB-09
		}
	}
}

func testBuiltIns(t *testing.T) {
	for _, c := range []struct{ userType, model, flipped string }{{"external", "haiku", "inherit"}, {"ant", "inherit", "haiku"}} {
		g := gate.Default()
		g.UserType = c.userType
		defs := agent.BuiltIns(&g)
		general, explore := defs[0], defs[1]
		if general.Type != "general-purpose" || !slices.Equal(general.Tools, []string{"*"}) || general.Model != "" || general.OmitClaude || !general.BuiltIn() {
			t.Errorf("general-purpose: %+v", general)
		}
		if explore.Type != "Explore" || explore.Model != c.model || !explore.OmitClaude || !explore.BuiltIn() ||
			!slices.Equal(explore.Disallowed, []string{"Agent", "ExitPlanMode", "Edit", "Write", "NotebookEdit"}) {
			t.Errorf("Explore: %+v", explore)
		}
	}
	s := newStory(t)
	explore := `use Agent {"description":"d","prompt":"p","subagent_type":"Explore"}`
	s.script("main", explore, explore, "text done")
	s.at(1500*1e6, func(w *agent.World) error { return w.FlipGate("USER_TYPE", "ant") })
	s.root("go")
	s.run()
	if a, b := s.model.models["main/1.1 1"], s.model.models["main/2.1 1"]; a != "claude-haiku-4-5-20251001" || b != "claude-sonnet-4-6" {
		t.Error("Explore before and after USER_TYPE flips:", a, b)
	}
}

func testLean(t *testing.T) {
	for _, c := range []struct {
		typ, slim   string
		claude, git bool
	}{
		{"Explore", "true", false, false}, {"Explore", "false", true, false},
		{"general-purpose", "true", true, true}, {"general-purpose", "false", true, true},
	} {
		s := one(t, `{"description":"d","prompt":"p","subagent_type":"`+c.typ+`"}`, setGates("tengu_slim_subagent_claudemd="+c.slim))
		flat := s.flat("main/1.1", 1)
		if got := strings.Contains(flat, "Run the linter."); got != c.claude {
			t.Errorf("%+v: CLAUDE.md in the request: %v", c, got)
		}
		if got := strings.Contains(flat, "On branch main"); got != c.git {
			t.Errorf("%+v: git status in the request: %v", c, got)
		}
		if !strings.Contains(flat, "2026-01-01") {
			t.Errorf("%+v: the date is missing", c)
		}
		if e := s.eventsOf("agent_start")[1]; strings.Contains(e["user_context"], "claudeMd") != c.claude {
			t.Errorf("%+v: recorded %v", c, e["user_context"])
		}
	}
}

func testIDs(t *testing.T) {
	ids := func(extra bool) map[string]string {
		s := newStory(t)
		other := ""
		if extra {
			other = `; use Agent {"description":"another","prompt":"p","run_in_background":true}`
		}
		s.script("main", `use Glob {"pattern":"*"}`, `use Glob {"pattern":"*"}; use Agent `+plain+other, "text done", "text done")
		s.root("go")
		s.run()
		out := map[string]string{}
		for _, e := range s.eventsOf("agent_start") {
			out[e["lineage"]] = e["id"]
			if len(e["id"]) != 17 || e["id"][0] != 'a' || strings.Trim(e["id"][1:], "0123456789abcdef") != "" {
				t.Error("an agent's id is", e["id"])
			}
		}
		for _, e := range s.eventsOf("tool_call") {
			if _, ok := llm.ParseToolUseID(e["id"]); !ok {
				t.Error("a tool use's id is", e["id"])
			}
		}
		return out
	}
	few, many := ids(false), ids(true)
	if few["main/2.2"] == "" || few["main/2.2"] != many["main/2.2"] || many["main/2.3"] == "" || many["main/2.3"] == many["main/2.2"] {
		t.Error("the second tool use of the second call, without and with a third:", few, many)
	}
}
