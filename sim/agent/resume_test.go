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
	"agentsim/sim/task"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestResume(t *testing.T) {
	t.Parallel() // worlds share nothing that changes
	t.Run("TSK-10 a resumed agent has the run mode, the allow rules and the most turns of its former life", testSameRights)
	t.Run("TSK-10 FRK-10 a resumed fork has the settings and the working directory of its former life", testSameFork)
	t.Run("TSK-10 LOOP-07 a resumed agent whose conversation is too long compacts it before it goes on", testCompactsAtOnce)
	t.Run("SUB-13 TSK-10 the output file holds what was said in every life, in order", testOutputOfAll)
	t.Run("TSK-09 the end of a former life does not evict what was said in the next", testNewerOutput)
	t.Run("TSK-04 within one delivery notifications stand ahead of messages of the user and of agents, whatever came first", testNoticesFirst)
	t.Run("TSK-05 a kill of all agents reaches each of three and who works for them", testKillThree)
	t.Run("TSK-08 TSK-10 an agent whose owner ended while it wound up is not resumed by what its owner had sent", testOwnerEnded)
	t.Run("TSK-08 messages to agents of an agent that nobody can resume are dropped, also after a second life of it", testForgottenBelow)
	t.Run("TSK-10 a resumed agent resumes those of its own that ended between its lives", testResumesItsOwn)
	t.Run("TSK-05 TSK-10 a notification that woke an agent which ended before it asked stands in the first request of the next life", testWokenAndEnded)
}

// good runs a story and fails on whatever must hold after every run.
func good(t *testing.T, s *story) {
	t.Helper()
	s.run()
	if s.err != nil {
		t.Fatal(s.err)
	}
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
}

func testSameRights(t *testing.T) {
	for _, mode := range []permission.Mode{permission.Default, permission.Plan} {
		s := newStory(t)
		speaking(s)
		s.files["a.go"] = "package a\n"
		s.cfg.Mode = permission.Default
		s.rules([]string{"allowed own Edit"})
		s.cfg.Definitions = []*agent.Definition{{Type: "own", Description: "d", Source: agent.FromProject, Tools: []string{"Read", "Edit"},
			Mode: mode, MaxTurns: 2, Prompt: func(*gate.Set) string { return "p" }}}
		s.script("main", `use Agent {"description":"d","prompt":"p","subagent_type":"own","run_in_background":true}`, "text waiting", write("on"), "text waiting", "text done")
		s.script("main/1.1", "text one", `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`, `use Read {"file_path":"a.go"}`, "text never")
		s.root("go")
		good(t, s)
		last := s.eventsOf("agent_start")[2]
		if last["activation"] != "1" || last["run_mode"] != string(mode) || s.agent("main/1.1").RunMode() != string(mode) {
			t.Error("the resumed agent runs in mode", last["run_mode"], s.agent("main/1.1").RunMode())
		}
		want := map[permission.Mode]string{permission.Default: "allow", permission.Plan: "deny"}[mode] // by its own rule, by the mode
		for _, e := range s.eventsOf("permission") {
			if e["tool"] == "Edit" && e["decision"] != want {
				t.Errorf("mode %s: an edit has the decision %s", mode, e["decision"])
			}
		}
		if end := s.agent("main/1.1").Ending().Status; end != "max_turns" {
			t.Error("an agent of 2 turns ended with", end)
		}
	}
}

func testSameFork(t *testing.T) {
	s := newStory(t)
	speaking(s)
	s.gates["FORK_SUBAGENT"] = "true"
	s.cfg.Forks.Directory = "/work/project/sub"
	s.cfg.Rules = func(string) llm.SaltRules { return llm.SaltRules{DefaultEffort: "high"} } // to say it changes no bytes
	s.script("main", "text hello", "use Agent "+plain, "text waiting", write("on"), "text waiting", "text done")
	s.script("main/2.1", "text one", "text two")
	s.root("go", user.Step{Act: agent.Act{Settings: &llm.Settings{Effort: "high"}, Message: text("fork")}})
	good(t, s)
	for call := 1; call <= 2; call++ {
		if got := s.model.settings[fmt.Sprintf("main/2.1 %d", call)]; got.Effort != "high" {
			t.Errorf("call %d: settings %+v", call, got)
		}
	}
	if dir := s.agent("main/2.1").Directory(); dir != "/work/project/sub" {
		t.Error("the resumed fork works in", dir)
	}
}

func testCompactsAtOnce(t *testing.T) {
	s := newStory(t)
	speaking(s)
	s.cfg.Compaction = agent.Compaction{Share: 80, Window: func(string) int64 { return 10_000 }}
	s.script("main", launch, "text waiting", write("on"), "text waiting", "text done")
	s.script("main/1.1", "size 9990; text one", "text a summary", "text two")
	s.root("go")
	good(t, s)
	if n := len(s.eventsOf("compact")); n != 1 {
		t.Errorf("%d compactions", n)
	}
}

func testOutputOfAll(t *testing.T) {
	read := `use Read {"file_path":".agentsim/tasks/$TASK1.output"}`
	s := newStory(t)
	speaking(s)
	s.script("main", launch, "text waiting", write("on"), "take 1500ms; "+read, "text waiting", read, "text done")
	s.script("main/1.1", "text one", `text two; use Glob {"pattern":"*"}`, "take 2s; text three")
	s.root("go")
	good(t, s)
	var files []string
	for m := s.agent("main").Last(); m != nil; m = m.Prev {
		for i := range m.Blocks {
			if raw := m.Blocks[i].Content.Raw(); m.Blocks[i].Kind == llm.ToolResult && strings.Contains(raw, "one") {
				files = append(files, strings.Join(strings.FieldsFunc(raw, func(r rune) bool { return r < 'a' || r > 'z' }), " "))
			}
		}
	}
	if slices.Reverse(files); len(files) != 2 || !strings.Contains(files[0], "one two") || !strings.Contains(files[1], "one two three") {
		t.Errorf("the output file was, while it ran and behind its end: %q", files)
	}
}

func testNewerOutput(t *testing.T) {
	s := newStory(t)
	speaking(s)
	s.cfg.EvictAfter = 10 * vtime.Second
	s.script("main", launch, "text waiting", "take 3s; "+write("on"), "text waiting", "text done", "text more")
	s.script("main/1.1", "text one", "text two") // until 2 s, and from 5 s to 6 s
	s.root("go", user.Step{Timed: true, At: 40 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	good(t, s)
	ends, gone := s.eventsOf("agent_end"), s.eventsOf("output")
	if len(gone) != 1 || gone[0]["activation"] != "1" {
		t.Fatal(gone)
	}
	if ends[1]["at"] != "6.000000000s" || gone[0]["at"] != "16.000000000s" {
		t.Error("the second life ended at", ends[1]["at"], "and its output was evicted at", gone[0]["at"])
	}
}

// nested is a world in which main waits for main/1.1, which starts main/1.1/1.1 in
// the background; the user moves main/1.1 to the background at 5 s. The turns are
// those behind that.
func nested(s *story, main, child, grandchild []string) {
	speaking(s)
	s.script("main", append([]string{"use Agent " + plain}, main...)...)
	s.script("main/1.1", append([]string{launch}, child...)...)
	s.script("main/1.1/1.1", grandchild...)
	s.root("go", user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Background: true}})
}

func stop(id string) string { return `use TaskStop {"task_id":"` + id + `"}` }

func testNoticesFirst(t *testing.T) {
	order := func(s *story, lineage, message string, call int) {
		t.Helper()
		good(t, s)
		flat := s.flat(lineage, call)
		notice, said := strings.LastIndex(flat, "<task-notification>"), strings.LastIndex(flat, `"`+message+`"`)
		if notice < 0 || said < notice {
			t.Errorf("%s, call %d: the notification stands at %d, the message at %d", lineage, call, notice, said)
		}
	}
	s := newStory(t)
	s.script("main", launch, `take 4s; use Glob {"pattern":"*"}`, "text done")
	s.script("main/1.1", "take 3s; text one") // until 4 s; main is busy until 5 s
	s.root("go", user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{Message: text("of the user")}})
	order(s, "main", "of the user", 3)

	s = newStory(t)
	nested(s, []string{write("of an agent"), "text waiting", "text done"},
		[]string{`take 8s; use Glob {"pattern":"*"}`, "text two"}, []string{"take 6s; text one"})
	order(s, "main/1.1", "of an agent", 3)
}

func testKillThree(t *testing.T) {
	s := newStory(t)
	one := strings.ReplaceAll(launch, "use Agent", "; use Agent")
	s.script("main", launch+one+one, "text waiting", "text done", "text done", "text done")
	for i := range 3 {
		s.script(fmt.Sprintf("main/1.%d", i+1), "take 60s; text never")
	}
	s.root("go", user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{KillAgents: true}})
	good(t, s)
	for i, task := range s.world.Tasks().All() {
		if a := s.agent(fmt.Sprintf("main/1.%d", i+1)); task.Status() != "killed" || a.Ending().Status != "killed" || s.end > vtime.Instant(20*vtime.Second) {
			t.Errorf("%s is %s, its task %s", a.Lineage(), a.Ending().Status, task.Status())
		}
	}
	s = newStory(t)
	nested(s, []string{"text waiting", "text done"}, []string{"take 60s; text never"}, []string{"take 90s; text never"})
	s.roots[0].Steps = append(s.roots[0].Steps, user.Step{Timed: true, At: 8 * vtime.Second, Act: agent.Act{KillAgents: true}})
	good(t, s)
	for _, task := range s.world.Tasks().All() {
		if task.Status() != "killed" {
			t.Errorf("%s is %s", task.ID, task.Status())
		}
	}
}

func testOwnerEnded(t *testing.T) {
	s := newStory(t)
	child, grandchild := s.idOf("main/1.1"), s.idOf("main/1.1/1.1")
	nested(s, []string{stop(grandchild), stop(child), "text done", "text done", "text more"},
		[]string{"take 4500ms; " + write("again"), "take 60s; text never"}, []string{"cling 9s; take 60s; text never"})
	s.roots[0].Steps = append(s.roots[0].Steps, user.Step{Timed: true, At: 30 * vtime.Second, Act: agent.Act{Message: text("and?")}}) // main could resume its own
	good(t, s)
	if n := len(s.eventsOf("agent_start")); n != 3 || !strings.Contains(s.flat("main/1.1", 3), "is being stopped") {
		t.Errorf("%d activations", n)
	}
}

func testForgottenBelow(t *testing.T) {
	for _, resumes := range []bool{false, true} {
		s := newStory(t)
		child, grandchild := s.idOf("main/1.1"), s.idOf("main/1.1/1.1")
		main := []string{stop(grandchild), stop(child)}
		if resumes {
			main = append(main, write("on"))
		}
		nested(s, append(main, "text done", "text done", "text done"),
			[]string{write("unheard"), "text waiting", "take 60s; text again", "text heard"}, []string{"take 60s; text never"})
		good(t, s)
		dropped := 0
		for _, e := range s.eventsOf("message") {
			if e["op"] == "dropped" && e["task"] == grandchild {
				dropped++
			}
		}
		if dropped != 1 {
			t.Errorf("resumes %v: the message was dropped %d times", resumes, dropped)
		}
	}
}

func testResumesItsOwn(t *testing.T) {
	s := newStory(t)
	child := s.idOf("main/1.1")
	nested(s, []string{stop(child), "take 3s; " + write("on"), "text waiting", "text done"},
		[]string{"text waiting", write("and you"), "text waiting", "text heard"}, []string{"take 6s; text one", "text two"})
	good(t, s)
	g := s.world.Tasks().Get(s.idOf("main/1.1/1.1"))
	if g.Activation() != 1 || g.Status() != task.Completed || s.world.Tasks().Get(child).Activation() != 1 {
		t.Errorf("%+v", g)
	}
	if got := s.flat("main/1.1/1.1", 2); !strings.Contains(got, `"and you"`) || !strings.Contains(got, `"one"`) {
		t.Error(got)
	}
}

func testWokenAndEnded(t *testing.T) {
	s := newStory(t)
	nested(s, []string{"text waiting", write("on"), "text waiting", "text done"},
		[]string{"text waiting", "text heard"}, []string{"take 6s; text one"})
	s.cfg.Definitions = []*agent.Definition{{Type: "short", Description: "d", Source: agent.FromProject, MaxTurns: 2, Prompt: func(*gate.Set) string { return "p" }}}
	s.model.scripts["main"][0] = `use Agent {"description":"d","prompt":"p","subagent_type":"short"}`
	good(t, s)
	if got := activations(s); got != "max_turns completed" {
		t.Error(got)
	}
	if n := strings.Count(s.flat("main/1.1", 3), "<task-notification>"); n != 1 {
		t.Errorf("%d notifications in the first request of its second life", n)
	}
}
