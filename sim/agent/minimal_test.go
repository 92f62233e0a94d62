package agent_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/minimal"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
)

// minimal makes a story's world one of the minimal stack, if it asks for that.
// What the story brings is taken for custom definitions.
func (s *story) minimal(c *agent.Config) {
	if s.least == nil {
		return
	}
	c.Stack, c.Coordinator = minimal.New(*s.least, c.UserContext, c.SystemContext), nil
	c.Definitions = minimal.Definitions(*s.least, s.cfg.Definitions)
	c.Offered = tool.Minimal(tool.Catalogue(), minimal.Types(c.Definitions))
}

func TestMinimal(t *testing.T) {
	t.Run("MIN-01 the root has the eight tools by their names, and the agent tool asks for description, prompt and type", testMinimalTools)
	t.Run("MIN-01 explore and plan look, with run_shell as an option; general and custom have what they ask for; nobody below has agent", testMinimalPools)
	t.Run("MIN-01 a call without a type starts general", testMinimalDefault)
	t.Run("MIN-01 custom definitions come before the built-in ones, and the project's before the user's", testMinimalCustom)
	t.Run("MIN-01 a sub-agent has its parent's model, whatever its definition and the session say", testMinimalModel)
	t.Run("MIN-01 the result is all text of all turns joined, with nothing around it", testMinimalResult)
	t.Run("MIN-01 a sub-agent starts with its definition's prompt and the call's, and what it goes without is recorded", testMinimalFront)
	t.Run("MIN-01 the tools act: read_file, list_files, grep_search and edit_file do what the full stack's tools do", testMinimalActs)
	t.Run("MIN-01 DEF-11 run_shell runs a command, and one that writes below explore or plan is told as a breach", testMinimalShell)
	t.Run("MIN-02 banner lines stand around each run, an error's too; divider, saved session and cost line are the root's alone", testMinimalTerminal)
	t.Run("MIN-02 the cost line holds the tokens of sub-agents as they ended, once, and those of a failed one never", testMinimalCounters)
	t.Run("MIN-03 a sub-agent bypasses permissions under every mode but plan, in which it stays", testMinimalModes)
	t.Run("MIN-04 what goes wrong comes back as plain text that is not marked as an error", testMinimalErrors)
	t.Run("MIN-06 the sub-agents of one answer run one after the other, side by side where that is asked for", testMinimalOrder)
	t.Run("MIN-04 no output comes back as a fixed text", testMinimalSilence)
}

// least runs one agent call of main in the minimal stack; turns are the
// sub-agent's.
func least(t *testing.T, input string, change func(*story), turns ...string) *story {
	s := newStory(t)
	s.least = &minimal.Options{ReadOnlyShell: true}
	s.script("main", "use agent "+input, "text done")
	s.script("main/1.1", turns...)
	s.root("go")
	if change != nil {
		change(s)
	}
	s.run()
	return s
}

// terminal is what the terminal shows, and by which agents.
func (s *story) terminal() (lines []string, by string) {
	for _, l := range strings.Split(strings.TrimSpace(s.lines([]string{"terminal"})), "\n") {
		f := strings.SplitN(l, " ", 5)
		if len(f) < 5 {
			continue
		}
		line := strings.TrimPrefix(f[4], "line=")
		if text, err := strconv.Unquote(line); err == nil {
			line = text
		}
		lines, by = append(lines, line), by+f[2]
	}
	return lines, by
}

// sub is the input of an agent call of a type.
func sub(typ string) string {
	return `{"description":"look at it","prompt":"Look.","type":"` + typ + `"}`
}

// came is the result of main's first agent call.
func (s *story) came() *llm.Block { return s.block("main", 2, -1).Block }

// defined are the names of the tools in a lineage's first request.
func (s *story) defined(lineage string) (names []string) {
	for n := s.block(lineage, 1, -1); n != nil; n = n.Parent {
		if n.Block != nil && n.Block.Kind == llm.ToolDef {
			names = append(names, n.Block.Name)
		}
	}
	slices.Reverse(names)
	return names
}

func testMinimalTools(t *testing.T) {
	s := least(t, sub("general"), nil, "text x")
	if got := strings.Join(s.defined("main"), " "); got != "read_file list_files grep_search run_shell write_file edit_file agent skill" {
		t.Error("tools:", got)
	}
	flat := s.flat("main", 1)
	_, def, _ := strings.Cut(flat, `{"name":"agent",`)
	def, _, _ = strings.Cut(def, `{"name":"skill"`)
	for _, want := range []string{`'explore' (read-only, fast search), 'plan' (read-only, structured planning), 'general' (full tools)`,
		`"description":{"type":"string"`, `"prompt":{"type":"string"`, `"type":{"type":"string"`,
		`"enum":["explore","plan","general"]`, `"required":["description","prompt"]`} {
		if !strings.Contains(def, want) {
			t.Errorf("the agent tool lacks %s:\n%s", want, def)
		}
	}
	if strings.Contains(def, "subagent_type") || strings.Contains(def, "run_in_background") || strings.Contains(def, "isolation") {
		t.Error("the agent tool asks for more than the minimal stack knows:", def)
	}
}

func testMinimalPools(t *testing.T) {
	custom := func(s *story) {
		prompt := func(*gate.Set) string { return "Review." }
		s.cfg.Definitions = []*agent.Definition{
			{Type: "reviewer", Source: agent.FromProject, Tools: []string{"read_file", "run_shell", "agent"}, Prompt: prompt},
			{Type: "anything", Source: agent.FromUser, Prompt: prompt},
		}
	}
	bare := func(s *story) { s.least.ReadOnlyShell = false }
	const all = "read_file list_files grep_search run_shell write_file edit_file skill"
	for _, c := range []struct {
		typ    string
		change func(*story)
		want   string
	}{
		{"explore", nil, "read_file list_files grep_search run_shell"},
		{"plan", nil, "read_file list_files grep_search run_shell"},
		{"explore", bare, "read_file list_files grep_search"},
		{"plan", bare, "read_file list_files grep_search"},
		{"general", nil, all},
		{"general", bare, all},
		{"reviewer", custom, "read_file run_shell"},
		{"anything", custom, all},
	} {
		s := least(t, sub(c.typ), c.change, "use agent "+sub("general"), "text x")
		if got := strings.Join(s.defined("main/1.1"), " "); got != c.want {
			t.Errorf("%s has %q, want %q", c.typ, got, c.want)
		}
		if r := s.block("main/1.1", 2, -1).Block; !r.IsError || len(s.world.Agents()) != 2 {
			t.Errorf("%s could start an agent: %s", c.typ, r.Content.Raw())
		}
		if told := strings.Contains(s.lines([]string{"finding"}), `"SUB-21: sub-agent reviewer has no agent, which its definition lists"`); told != (c.typ == "reviewer") {
			t.Errorf("%s: a finding about agent: %v", c.typ, told)
		}
		if told := strings.Contains(s.flat("main/1.1", 1), "run_shell run only what reads"); told != (c.typ == "explore" && c.change == nil) {
			t.Errorf("%s: its prompt speaks of run_shell: %v", c.typ, told)
		}
	}
}

func testMinimalDefault(t *testing.T) {
	s := least(t, `{"description":"d","prompt":"p"}`, nil, "text x")
	if got := s.agent("main/1.1").Definition().Type; got != "general" {
		t.Error("started", got)
	}
	s = least(t, `{"prompt":"p"}`, nil, "text x")
	if !strings.Contains(s.text.String(), "[general]: sub-agent task") {
		t.Error("a call without a description is called otherwise:\n", s.text.String())
	}
}

func testMinimalCustom(t *testing.T) {
	is := func(text string) func(*gate.Set) string { return func(*gate.Set) string { return text } }
	s := least(t, sub("explore"), func(s *story) {
		s.cfg.Definitions = []*agent.Definition{
			{Type: "explore", Description: "of the project", Source: agent.FromProject, Prompt: is("Project's explorer.")},
			{Type: "explore", Description: "of the user", Source: agent.FromUser, Prompt: is("User's explorer.")},
			{Type: "lint", Description: "checks style", Source: agent.FromUser, Prompt: is("Lint.")},
			{Type: "plan", Source: agent.FromPlugin, Prompt: is("Plugin's planner.")},
		}
	}, "text x")
	if flat := s.flat("main/1.1", 1); !strings.Contains(flat, "Project's explorer.") {
		t.Error("another definition than the project's was used:", flat)
	}
	if flat := s.flat("main", 1); !strings.Contains(flat, `'explore' (of the project), 'lint' (checks style), 'plan' (read-only`) ||
		!strings.Contains(flat, `"enum":["explore","lint","plan","general"]`) {
		t.Error("the agent tool does not list custom types first, each name once:", flat)
	}
}

func testMinimalModel(t *testing.T) {
	for _, typ := range []string{"explore", "plan", "general", "mine"} {
		s := least(t, sub(typ), func(s *story) {
			s.cfg.Subagent = "claude-haiku-4-5-20251001"
			s.cfg.Definitions = []*agent.Definition{{Type: "mine", Source: agent.FromUser, Model: "haiku", Background: true, MaxTurns: 1,
				Mode: permission.Plan, Prompt: func(*gate.Set) string { return "x" }}}
		}, "use list_files {\"pattern\":\"*\"}", "text second turn")
		if got := s.model.models["main/1.1 1"]; got != "claude-sonnet-4-6" {
			t.Errorf("%s runs on %s", typ, got)
		}
		if got := s.came().Content.Raw(); got != "second turn" {
			t.Errorf("%s: what the minimal stack does not read had an effect: %q", typ, got)
		}
	}
}

func testMinimalResult(t *testing.T) {
	s := least(t, sub("explore"), nil, "text first ; use list_files {\"pattern\":\"*\"}", "text second, ; text third")
	if got := s.came(); got.IsError || got.Content.Raw() != "first second, third" {
		t.Errorf("came home: %q", got.Content.Raw())
	}
	if got := s.lines([]string{"finding"}); !strings.Contains(got, `"SUB-12: 6 bytes of earlier turns came home before the 13 of the report"`) {
		t.Error("findings:", got)
	}
}

func testMinimalFront(t *testing.T) {
	s := least(t, sub("general"), nil, "text x")
	n := s.block("main/1.1", 1, -1)
	if n.Block.Content.Raw() != "Look." || n.Role != llm.User || !n.Parent.IsBorder() {
		t.Error("the first message holds more than the prompt:", s.flat("main/1.1", 1))
	}
	system := n.Parent.Parent
	if system.Block == nil || !strings.HasPrefix(system.Block.Content.Raw(), "You are a sub-agent") || !system.Parent.IsBorder() {
		t.Error("the system prompt is more than the definition's:", s.flat("main/1.1", 1))
	}
	if got := s.lines([]string{"finding"}); !strings.Contains(got, `"SUB-08: sub-agent general starts without environment, claudeMd, currentDate, gitStatus"`) {
		t.Error("findings:", got)
	}
	s = least(t, sub("plan"), nil, "text x")
	if got := s.lines([]string{"finding"}); !strings.Contains(got, `"SUB-08: sub-agent plan starts without environment, currentDate"`) {
		t.Error("what the full stack leaves out of a planner's context is called missing:", got)
	}
}

func testMinimalActs(t *testing.T) {
	s := least(t, sub("general"), func(s *story) { s.files = map[string]string{"a.txt": "one\ntwo\n"} },
		`use list_files {"pattern":"*.txt"}; use grep_search {"pattern":"two"}; use read_file {"file_path":"a.txt"}`,
		`use edit_file {"file_path":"a.txt","old_string":"two","new_string":"three"}; use write_file {"file_path":"b.txt","content":"new"}`,
		`use read_file {"file_path":"a.txt"}; use read_file {"path":"a.txt"}; use grep_search {"pattern":"("}; use Read {"file_path":"a.txt"}; use edit_file {"file_path":"a.txt","old_string":"one","new_string":"two","replace_all":true}`, "text x")
	flat := s.flat("main/1.1", 4)
	for _, want := range []string{`"content":"a.txt"`, "     1\tone", "Edited a.txt: 1 replaced.", "     2\tthree"} {
		if !strings.Contains(flat, strings.ReplaceAll(want, "\t", `\t`)) {
			t.Errorf("the tools did not bring %q:\n%s", want, flat)
		}
	}
	if b := s.block("main/1.1", 3, -1).Block; b.IsError || !strings.Contains(b.Content.Raw(), "b.txt") {
		t.Errorf("write_file came to %q", b.Content.Raw())
	}
	for i, want := range []string{`edit_file: unknown field "replace_all"`, "No such tool available: Read", "grep_search: the pattern is not", `read_file: unknown field "path": the fields are file_path, offset, limit`} {
		b := s.block("main/1.1", 4, -1-i).Block
		if !b.IsError || !strings.Contains(b.Content.Raw(), want) {
			t.Errorf("result %d from the end is %q, want %q", i, b.Content.Raw(), want)
		}
	}
}

func testMinimalTerminal(t *testing.T) {
	const open, shut = "  ┌─ Sub-agent [explore]: look at it", "  └─ Sub-agent [explore] completed"
	for _, c := range []struct {
		name  string
		input string
		turns []string
		want  []string // before the root's own lines
	}{
		{"an end", sub("explore"), []string{"text x"}, []string{open, shut}},
		{"an error of the API", sub("explore"), []string{"fail 400"}, []string{open, shut}},
		{"an unknown type", sub("nobody"), nil, []string{"  ┌─ Sub-agent [nobody]: look at it", "  └─ Sub-agent [nobody] completed"}},
		{"an input that is none", `{"description":"d"}`, nil, nil},
	} {
		s := least(t, c.input, nil, c.turns...)
		lines, by := s.terminal()
		if strings.Trim(by, "0") != "" {
			t.Errorf("%s: a sub-agent wrote on the terminal: %q by %s", c.name, lines, by)
		}
		n := len(c.want)
		if len(lines) != n+2 || !slices.Equal(lines[:n], c.want) || !strings.HasPrefix(lines[n], "Tokens: ") || strings.Trim(lines[n+1], "─") != "" {
			t.Errorf("%s: the terminal shows %q", c.name, lines)
		}
		var saved int
		for _, e := range s.eventsOf("state_write") {
			if e["field"] == "session" {
				saved++
				if e[""] != "0" {
					t.Errorf("%s: a sub-agent saved a session: %v", c.name, e)
				}
			}
		}
		if saved != 1 {
			t.Errorf("%s: the session was saved %d times", c.name, saved)
		}
	}
	s := one(t, plain, nil)
	if len(s.eventsOf("terminal")) != 0 {
		t.Error("the full stack shows lines of the minimal one")
	}
}

func testMinimalCounters(t *testing.T) {
	cost := func(s *story) string {
		lines, _ := s.terminal()
		i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Tokens: ") })
		return lines[i]
	}
	sum := func(s *story, lineages ...string) string {
		var u llm.Usage
		for _, l := range lineages {
			u = u.Plus(s.agent(l).Own())
		}
		return "Tokens: " + itoa(u.Prompt()) + " in / " + itoa(u.Output) + " out"
	}
	s := least(t, sub("explore"), nil, "text x")
	if got, want := cost(s), sum(s, "main", "main/1.1"); got != want {
		t.Errorf("after an end: %q, want %q", got, want)
	}
	s = least(t, sub("explore"), nil, `text a; use list_files {"pattern":"*"}`, "fail 400")
	if s.agent("main/1.1").Own().Total() == 0 {
		t.Fatal("the failed sub-agent consumed nothing, so nothing is shown")
	}
	if got, want := cost(s), sum(s, "main"); got != want {
		t.Errorf("after an error: %q, want %q", got, want)
	}
	if s.agent("main").Rolled() != s.agent("main").Own().Plus(s.agent("main/1.1").Own()) {
		t.Error("what was consumed is not all accounted for")
	}
	found := s.lines([]string{"finding"})
	if !strings.Contains(found, "SUB-18: "+itoa(s.agent("main/1.1").Own().Total())+" tokens") || !strings.Contains(found, "SUB-16: ") {
		t.Error("findings:", found)
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func testMinimalModes(t *testing.T) {
	for _, mode := range permission.Modes() {
		want := permission.Bypass
		if mode == permission.Plan {
			want = permission.Plan
		}
		for _, typ := range []string{"explore", "plan", "general"} {
			s := least(t, sub(typ), func(s *story) { s.cfg.Mode = mode }, "text x")
			if got := s.agent("main/1.1").RunMode(); got != string(want) {
				t.Errorf("%s under %s runs in %s", typ, mode, got)
			}
			loud := strings.Contains(s.lines([]string{"finding"}), "SUB-10: a sub-agent runs in bypassPermissions below an agent in "+string(mode))
			if loud != (mode != permission.Plan && mode != permission.Bypass) {
				t.Errorf("%s under %s: recorded that it left the parent's mode: %v", typ, mode, loud)
			}
		}
	}
	write := `use edit_file {"file_path":"a.txt","old_string":"one","new_string":"two"}`
	for mode, refused := range map[permission.Mode]bool{permission.Default: false, permission.Plan: true} { // order: two runs that know nothing of each other
		s := least(t, sub("general"), func(s *story) {
			s.cfg.Mode = mode
			s.files = map[string]string{"a.txt": "one\n"}
		}, `use read_file {"file_path":"a.txt"}`, write, "text x")
		if r := s.block("main/1.1", 3, -1).Block; r.IsError != refused {
			t.Errorf("under %s the write of a sub-agent: %s", mode, r.Content.Raw())
		}
	}
}

func testMinimalErrors(t *testing.T) {
	for _, c := range []struct {
		name, input string
		turns       []string
		want        string
	}{
		{"the API's", sub("general"), []string{"fail 400"}, "Sub-agent error: API error 400"},
		{"after some work", sub("general"), []string{`text so far; use list_files {"pattern":"*"}`, "fail 400"}, "Sub-agent error: API error 400"},
		{"no such type", sub("nobody"), nil, `Sub-agent error: agent type "nobody" does not exist; available: explore, plan, general`},
		{"no prompt", `{"description":"d","prompt":" "}`, nil, `Sub-agent error: field "prompt" must not be empty`},
		{"an unknown field", `{"description":"d","prompt":"p","subagent_type":"plan"}`, nil, `Sub-agent error: unknown field "subagent_type": the fields are description, prompt, type`},
	} {
		s := least(t, c.input, nil, c.turns...)
		if r := s.came(); r.IsError || !strings.HasPrefix(r.Content.Raw(), c.want) {
			t.Errorf("%s: error mark %v, text %q", c.name, r.IsError, r.Content.Raw())
		}
		if s.agent("main").Ending().Status != "completed" {
			t.Errorf("%s: the root ended as %v", c.name, s.agent("main").Ending())
		}
	}
}

func testMinimalSilence(t *testing.T) {
	s := least(t, sub("general"), nil, `use list_files {"pattern":"*"}`, "text ")
	if r := s.came(); r.IsError || r.Content.Raw() != "(Sub-agent produced no output)" {
		t.Errorf("came home: %q", r.Content.Raw())
	}
}

func testMinimalShell(t *testing.T) {
	for _, c := range []struct {
		typ    string
		breach bool
	}{{"explore", true}, {"plan", true}, {"general", false}} {
		s := least(t, sub(c.typ), nil, `use run_shell {"command":"echo one > a.txt && cat a.txt"}`, `use run_shell {"command":"cat a.txt"}`, "text x")
		if r := s.block("main/1.1", 3, -1).Block; r.IsError || !strings.Contains(r.Content.Raw(), "one") {
			t.Errorf("%s: a command came to %q", c.typ, r.Content.Raw())
		}
		if got := strings.Contains(s.lines([]string{"finding"}), "rule="+agent.RuleBreach); got != c.breach {
			t.Errorf("%s: a write was told as a breach: %v", c.typ, got)
		}
	}
}

func testMinimalOrder(t *testing.T) {
	for _, c := range []struct {
		side bool
		want string
	}{
		{false, "┌1.000000000s └2.000000000s ┌2.000000000s └3.000000000s"},
		{true, "┌1.000000000s ┌1.000000000s └2.000000000s └2.000000000s"},
	} {
		s := least(t, sub("general")+"; use agent "+sub("general"), func(s *story) {
			s.least.SideBySide = c.side
			s.script("main/1.2", "text y")
		}, "text x")
		var got []string
		for _, l := range strings.Split(s.lines([]string{"terminal"}), "\n") {
			at, _, _ := strings.Cut(l, " ")
			for _, mark := range []string{"┌", "└"} {
				if strings.Contains(l, mark) {
					got = append(got, mark+at)
				}
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("side by side %v: %s", c.side, text)
		}
	}
}
