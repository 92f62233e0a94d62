package agent_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/coordinator"
	"agentsim/sim/llm"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"

	"github.com/google/go-cmp/cmp"
)

// coordinate gives a world in coordinator mode its tools: to workers every tool
// there is, and to its roots those of a default pool, SendMessage and what is
// offered besides.
func (s *story) coordinate(c *agent.Config) {
	if !c.Gates.Coordinator() {
		return
	}
	for i := range s.roots {
		if s.roots[i].Offered == nil {
			offered, err := tool.Offered(catalogue, append([]string{"SendMessage"}, s.offered...))
			if err != nil {
				s.t.Fatal(err)
			}
			s.roots[i].Offered = offered
		}
	}
	c.Offered = append(slices.Clone(catalogue), s.servers...)
}

// coordinated turns coordinator mode on.
func coordinated(s *story) { setGates("COORDINATOR_MODE=true", "CLAUDE_CODE_COORDINATOR_MODE=true")(s) }

// led is one in coordinator mode: the root starts a worker.
func led(t *testing.T, input string, changes ...func(*story)) *story {
	return one(t, input, func(s *story) {
		coordinated(s)
		for _, change := range changes {
			change(s)
		}
	})
}

// front is the blocks of a level of a request's prefix, as text; of tools the
// names.
func (s *story) front(lineage string, call int, level llm.Level) []string {
	s.flat(lineage, call)
	var out []string
	for n := s.model.heads[lineage+" "+strconv.Itoa(call)]; n != nil; n = n.Parent {
		switch {
		case n.IsBorder() || n.Level != level:
		case level == llm.Tools:
			out = append(out, n.Block.Name)
		default:
			out = append(out, n.Block.Content.Raw())
		}
	}
	slices.Reverse(out)
	return out
}

// systemPrompt is the lines of a coordinator's.
func systemPrompt(t *testing.T) []string {
	return strings.Split(led(t, research).front("main", 1, llm.System)[0], "\n")
}

const research = `{"description":"look at it","prompt":"Look at a.go. This is for a plan.","subagent_type":"worker"}`

func TestCoordinator(t *testing.T) {
	t.Run("CRD-02 the coordinator's prompt has six sections under fixed headings in order", testHeadings)
	t.Run("CRD-02 the prompt carries every rule in the section where it belongs", testRules)
	t.Run("CRD-02 the prompt is a coordinator's alone", func(t *testing.T) {
		plainRoot, both := one(t, plain, nil), led(t, research)
		if strings.Contains(plainRoot.flat("main", 1), "# 1. Your Role") || !strings.Contains(both.flat("main", 1), "# 1. Your Role") {
			t.Error("the wrong root has the coordinator's prompt")
		}
		if strings.Contains(both.flat("main/1.1", 1), "# 1. Your Role") {
			t.Error("a worker has the coordinator's prompt")
		}
		if got := both.eventsOf("agent_start")[0]["type"]; got != agent.TypeCoordinator {
			t.Error("the root is recorded as", got)
		}
	})
	t.Run("CRD-01 whatever a coordinator is offered it holds Agent, SendMessage and TaskStop, and subscribe_pr_activity where that is offered", testHardLimit)
	t.Run("CRD-03 the user context names the tools that workers have, their servers and, behind its gate, the scratchpad", testWorkerContext)
	t.Run("CRD-04 a worker holds the tools of the background without the internal ones, in simple mode three, and those of servers", testWorkerPool)
	t.Run("CRD-08 only what lies below the scratchpad is unasked, however its path is written", testScratchPaths)
	t.Run("TSK-07 progress is tool uses, the newest input, the outputs' sum and the last five activities", testProgress)
}

var sections = []string{"# 1. Your Role", "# 2. Your Tools", "# 3. Workers", "# 4. Task Workflow", "# 5. Writing Worker Prompts", "# 6. Example Session"}

// prompt is what a coordinator's system prompt says, by section.
func promptSections(t *testing.T) map[string]string {
	t.Helper()
	out, heading := map[string]string{}, ""
	for _, line := range systemPrompt(t) {
		if strings.HasPrefix(line, "# ") {
			heading = line
		}
		out[heading] += line + "\n"
	}
	return out
}

func testHeadings(t *testing.T) {
	var got []string
	for _, line := range systemPrompt(t) {
		if strings.HasPrefix(line, "#") {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, sections) {
		t.Errorf("%q", got)
	}
}

// testRules looks for the words that no rule can be told without.
func testRules(t *testing.T) {
	said := promptSections(t)
	for _, c := range []struct{ section, rule string }{
		{sections[0], "Direct workers"},
		{sections[0], "Synthesize"},
		{sections[0], "Do not delegate everything"},
		{sections[0], "Every message you send is to the user"},
		{sections[0], "internal signals"},
		{sections[0], "never thank for them, never acknowledge them"},
		{sections[1], "- Agent starts"},
		{sections[1], "- SendMessage continues"},
		{sections[1], "- TaskStop stops"},
		{sections[1], "- subscribe_pr_activity, if you have it"},
		{sections[1], "Do not use workers to print the contents of a file"},
		{sections[1], "Do not set the model parameter"},
		{sections[1], "<task-notification>"},
		{sections[1], "completed, failed or killed"},
		{sections[2], "subagent_type is always worker"},
		{sections[2], "Workers cannot see your conversation"},
		{sections[3], "| Research | workers, in parallel |"},
		{sections[3], "| Synthesis | you |"},
		{sections[3], "| Implementation | workers |"},
		{sections[3], "| Verification | workers |"},
		{sections[3], "Parallelism is your superpower"},
		{sections[3], "in one response"},
		{sections[3], "one worker at a time for each set of files"},
		{sections[3], "beside an implementation that is about other files"},
		{sections[3], "Verification proves that the code works. It does not confirm that the code exists"},
		{sections[3], "with the feature turned on"},
		{sections[3], "does not wave them off as unrelated"},
		{sections[3], "skeptical"},
		{sections[3], "tests by itself"},
		{sections[3], "When a worker fails, continue it with SendMessage"},
		{sections[3], "try another approach, or tell the user"},
		{sections[4], "Every prompt must be self-contained"},
		{sections[4], `Never write "based on your findings" or "based on the research"`},
		{sections[4], "file paths, line numbers, and what exactly to change"},
		{sections[4], "statement of purpose"},
		{sections[4], "| Research explored the very files that need editing | continue |"},
		{sections[4], "| Research was broad, the implementation is narrow | spawn |"},
		{sections[4], "| Correcting a failure, or extending recent work | continue |"},
		{sections[4], "| Verifying what another worker has just written | spawn |"},
		{sections[4], "| The last approach was completely wrong | spawn |"},
		{sections[5], "Agent({"},
		{sections[5], "SendMessage({"},
		{sections[5], `subagent_type: "worker"`},
	} {
		if !strings.Contains(said[c.section], c.rule) {
			t.Errorf("%s does not say %q", c.section, c.rule)
		}
	}
	if rows := strings.Count(said[sections[4]], "| continue |") + strings.Count(said[sections[4]], "| spawn |"); rows != 5 {
		t.Errorf("the table of continuing and spawning has %d rows", rows)
	}
}

// defined are the tools that a request's bytes define.
func defined(s *story, lineage string, call int) string {
	return strings.Join(s.front(lineage, call, llm.Tools), " ")
}

func testHardLimit(t *testing.T) {
	for _, c := range []struct {
		offered []string
		want    string
	}{
		{nil, "Agent TaskStop SendMessage"},
		{[]string{"Bash", "Write", "TodoWrite"}, "Agent TaskStop SendMessage"},
		{[]string{"subscribe_pr_activity", "Read"}, "Agent TaskStop subscribe_pr_activity SendMessage"},
	} {
		s := led(t, research, func(s *story) { s.offered = c.offered })
		if got := defined(s, "main", 1); got != c.want {
			t.Errorf("offered %v: the request defines %s", c.offered, got)
		}
		if got := s.eventsOf("agent_start")[0]["tools"]; got != strings.ReplaceAll(c.want, " ", ",") {
			t.Errorf("offered %v: recorded are %s", c.offered, got)
		}
	}
	s := led(t, research, func(s *story) { s.script("main", `use Read {"file_path":"a.go"}`, "text done") })
	if r := s.eventsOf("tool_result")[0]; r["error"] != "true" {
		t.Error("a coordinator's Read gives", r)
	}
}

func testWorkerContext(t *testing.T) {
	told := func(more ...func(*story)) (context, worker string) {
		s := led(t, research, more...)
		_, context, _ = strings.Cut(s.flat("main", 1), `# workerToolsContext\n`)
		context, _, _ = strings.Cut(context, `</system-reminder>`)
		return context, s.flat("main/1.1", 1)
	}
	const full = `Read, Grep, Glob, Edit, Write, NotebookEdit, Bash, Skill, TodoWrite\n`
	got, worker := told()
	if want := `Workers that you start with the Agent tool have these tools: ` + full; got != want {
		t.Errorf("told is %q, want %q", got, want)
	}
	if strings.Contains(worker, "workerToolsContext") || strings.Contains(worker, "Scratchpad directory") {
		t.Error("a worker is told what is for its coordinator, or of a scratchpad that there is not")
	}
	got, worker = told(setGates("tengu_scratch=true"), func(s *story) { s.scratchpad = "pads/x" })
	if !strings.Contains(got, full+`\nScratchpad directory: pads/x\n`) || !strings.Contains(worker, `Scratchpad directory: pads/x\n`) {
		t.Errorf("with the scratchpad: %q", got)
	}
	got, _ = told(setGates("tengu_scratch=true"))
	if !strings.Contains(got, `Scratchpad directory: `+coordinator.DefaultScratchpad+`\n`) {
		t.Errorf("where nothing is said of the scratchpad: %q", got)
	}
	got, _ = told(setGates("CLAUDE_CODE_SIMPLE=true"), serve)
	if !strings.Contains(got, `have these tools: Read, Edit, Bash\nThey also have the tools of these MCP servers: tracker, chat\n`) {
		t.Errorf("in simple mode, with servers: %q", got)
	}
	if root := one(t, plain, nil); strings.Contains(root.flat("main", 1), "workerToolsContext") {
		t.Error("who does not coordinate is told of workers")
	}
}

// serve connects two servers with three tools.
func serve(s *story) {
	for _, name := range []string{"mcp__tracker__search", "mcp__tracker__open", "mcp__chat__say"} {
		s.servers = append(s.servers, &tool.Tool{Name: name, MCP: true, Description: "x", Schema: `{"type":"object"}`})
	}
}

func testWorkerPool(t *testing.T) {
	for _, c := range []struct {
		gates string
		more  func(*story)
		want  string
	}{
		{"", func(*story) {}, "Read Grep Glob Edit Write NotebookEdit Bash Skill TodoWrite"},
		{"CLAUDE_CODE_SIMPLE=true", func(*story) {}, "Read Edit Bash"},
		{"", serve, "Read Grep Glob Edit Write NotebookEdit Bash Skill TodoWrite mcp__tracker__search mcp__tracker__open mcp__chat__say"},
		{"CLAUDE_CODE_SIMPLE=true", serve, "Read Edit Bash mcp__tracker__search mcp__tracker__open mcp__chat__say"},
	} {
		s := led(t, research, setGates(strings.Fields(c.gates)...), c.more)
		if got := defined(s, "main/1.1", 1); got != c.want {
			t.Errorf("gates %q: a worker's request defines %s", c.gates, got)
		}
	}
	// A policy's own worker is no less a worker.
	s := led(t, research, func(s *story) {
		own := builtIn(t, agent.TypeWorker, "external")
		own.Source = agent.FromPolicy
		s.cfg.Definitions = append(s.cfg.Definitions, own)
	})
	if got := defined(s, "main/1.1", 1); strings.Contains(got, "SyntheticOutput") {
		t.Error("a policy's worker holds", got)
	}
}

func testScratchPaths(t *testing.T) {
	for path, want := range map[string]bool{ // order: each on its own
		".scratchpad/a.md": true, "/work/project/.scratchpad/a.md": true, ".scratchpad/x/../a.md": true, "./.scratchpad/a.md": true,
		".scratchpad/../a.go": false, ".scratchpad": false, ".scratchpads/a.md": false, "a/.scratchpad/b.md": false, "/.scratchpad/a.md": false,
		"/work/project/.scratchpad/../../x": false,
	} {
		s := led(t, research, setGates("tengu_scratch=true"), func(s *story) {
			s.cfg.Mode = "default"
			s.script("main/1.1", `use Write {"file_path":"`+path+`","content":"x"}`, "text done")
		})
		for _, e := range s.eventsOf("permission") {
			if e["tool"] == "Write" && (e["decision"] == "allow") != want {
				t.Errorf("%s: %s %s", path, e["decision"], e["why"])
			}
		}
	}
}

func testProgress(t *testing.T) {
	var seen []agent.Progress
	s := newStory(t)
	s.files["a.go"] = "package a\n"
	s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, "text done", "text done")
	s.script("main/1.1",
		`use Glob {"pattern":"*"}; use Read {"file_path":"/work/project/a.go"}`,
		`use Read {"file_path":"a.go"}; use Grep {"pattern":"x","path":"a.go"}; use Nothing {}`,
		`use Edit {"file_path":"a.go","old_string":"a","new_string":"b"}`, `text done`)
	s.root("go")
	look := func(w *agent.World) error {
		for _, task := range w.Tasks().All() {
			if p, ok := w.Progress(task.ID); ok {
				seen = append(seen, p)
			} else {
				seen = append(seen, agent.Progress{ToolUses: -1})
			}
		}
		return nil
	}
	for _, at := range []vtime.Duration{1500, 2500, 3500, 4500, 9000} {
		s.at(at*vtime.Millisecond, look)
	}
	s.run()
	var inputs [4]int64
	for i := range inputs {
		s.flat("main/1.1", i+1)
		inputs[i] = int64(s.model.heads["main/1.1 "+strconv.Itoa(i+1)].Pos)
	}
	first, second := []string{"Glob", "Read a.go"}, []string{"Glob", "Read a.go", "Read a.go", "Grep a.go", "Nothing"}
	want := []agent.Progress{
		{},
		{ToolUses: 2, InputTokens: inputs[0], OutputTokens: 20, Activities: first},
		{ToolUses: 5, InputTokens: inputs[1], OutputTokens: 50, Activities: second},
		{ToolUses: 6, InputTokens: inputs[2], OutputTokens: 60, Activities: append(slices.Clone(second[1:]), "Edit a.go")},
		{ToolUses: -1},
	}
	if d := cmp.Diff(want, seen); d != "" {
		t.Error(d)
	}
	if _, ok := s.world.Progress("a0000000000000000"); ok {
		t.Error("a task that there is not has made progress")
	}
}
