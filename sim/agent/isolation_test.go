package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/permission"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestIsolation(t *testing.T) {
	t.Run("ISO-10 nothing that an agent held is held after its end, whether it completed, failed, was aborted or crashed", testNothingHeld)
	t.Run("ISO-10 the session's hooks and lists hold an agent's own only while it lives", testHeldMeanwhile)
	t.Run("ISO-11 in concurrent agents' events each id is of the agent that the event names", testOwnIDs)
	t.Run("ISO-12 a sub-agent's identity names it, its type and the call that made it; a main agent has none; a teammate's has its team", testIdentity)
	t.Run("ISO-13 a sidechain holds each message once, linked to the last, and a resume that reads only it sends the same bytes", testSidechain)
	t.Run("SUB-01 a resumed transcript that holds calls by the old name Task goes on with the same bytes, and more such calls work", testResumedAlias)
	t.Run("ISO-13 a gap in a sidechain ends what is resumed", testGap)
	t.Run("ISO-14 answers of children count in the meters of those above, with their time to the first token, in the foreground or not", testMeters)
	t.Run("ISO-05 SUB-20 a synchronous child's change of state reaches the session, a background agent's does not, nor that of whom it waits for", testStateWrites)
	t.Run("ISO-04 the constructor avoids prompts unless the controller is shared; what runs decides by its kind", testAvoidDefault)
}

func testNothingHeld(t *testing.T) {
	for name, end := range map[string]func(*story){
		"end":   func(s *story) { s.script("main/1.1", "text done") },
		"error": func(s *story) { s.script("main/1.1", "fail 400; text never") },
		"abort": func(s *story) {
			s.script("main/1.1", "take 60s; text never")
			s.roots[0].Steps = []user.Step{{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Interrupt: true}}}
		},
		"crash": func(s *story) {
			s.script("main/1.1", "take 60s; text never")
			s.at(5*vtime.Second, func(w *agent.World) error { return w.Crash("main/1.1") })
		},
		"in the background": func(s *story) {
			s.script("main/1.1", `use Bash {"command":"sleep 500","run_in_background":true}; use TodoWrite {"todos":[{"content":"a","status":"pending","activeForm":"b"}]}`, "text done")
			s.offered = []string{"Bash", "TodoWrite"}
			s.cfg.Mode = permission.Bypass
		},
	} {
		s := one(t, plain, end)
		if left := s.world.Held(); left != nil {
			t.Errorf("%s: still held: %s", name, left)
		}
		for _, task := range s.world.Tasks().All() {
			if !task.Status().Final() {
				t.Errorf("%s: task %s is %s", name, task.ID, task.Status())
			}
		}
	}
}

func testHeldMeanwhile(t *testing.T) {
	var during []string
	s := one(t, `{"description":"d","prompt":"p","subagent_type":"hooked"}`, func(s *story) {
		s.offered = []string{"TodoWrite"}
		s.cfg.Definitions = append(s.cfg.Definitions, &agent.Definition{Type: "hooked", Description: "d", Source: agent.FromProject,
			Prompt: func(*gate.Set) string { return "p" }, Hooks: []agent.Hook{{Event: agent.Stop, Command: "true"}}})
		s.script("main/1.1", `use TodoWrite {"todos":[{"content":"a","status":"pending","activeForm":"b"}]}`, "take 20s; text done")
		s.at(5*vtime.Second, func(w *agent.World) error { during = w.Held(); return nil })
	})
	want := "[main file cache main/1.1 file cache main/1.1 hooks main/1.1 todos]"
	if fmt.Sprint(during) != want || s.world.Held() != nil {
		t.Errorf("held %v, want %s; afterwards %v", during, want, s.world.Held())
	}
}

func testOwnIDs(t *testing.T) {
	s := newStory(t)
	s.policy = "random"
	var uses []string
	for i := range 6 {
		lineage := fmt.Sprintf("main/1.%d", i+1)
		s.script(lineage, `use Glob {"pattern":"*"}`, `use Agent `+plain, "text done")
		s.script(lineage+"/2.1", `use Glob {"pattern":"*"}`, "text done")
		uses = append(uses, "use Agent "+plain)
	}
	s.script("main", strings.Join(uses, "; "), "text done")
	s.root("go")
	s.run()
	owner := map[string]string{} // tool use → lineage
	for _, a := range s.world.Agents() {
		for m := a.Last(); m != nil; m = m.Prev {
			for i := range m.Blocks {
				if b := &m.Blocks[i]; b.Kind == llm.ToolUse {
					owner[b.ID.String()] = fmt.Sprint(a.Ref())
				}
			}
		}
	}
	n := 0
	for _, kind := range []string{"tool_call", "tool_result"} {
		for _, e := range s.eventsOf(kind) {
			if n++; owner[e["id"]] != e[""] {
				t.Errorf("%s %s stands in agent %s and is of agent %s", kind, e["id"], e[""], owner[e["id"]])
			}
		}
	}
	if n != 2*(6+6*2+6) {
		t.Error(n, "events")
	}
}

func testIdentity(t *testing.T) {
	s := one(t, `{"description":"d","prompt":"p","subagent_type":"Explore"}`, nil)
	if id := s.agent("main").Context().Identity; id != nil {
		t.Error("the main agent is", id)
	}
	child := s.agent("main/1.1").Context()
	want := agent.SubagentIdentity{AgentID: child.ID, SubagentName: "Explore", IsBuiltIn: true, InvokingRequest: s.block("main", 2, -2).Block.ID}
	if got := *child.Identity.(*agent.SubagentIdentity); got != want || child.Identity.InvokedBy() != want.InvokingRequest {
		t.Errorf("%+v, want %+v", got, want)
	}
	var mate agent.Identity = &agent.TeammateIdentity{AgentName: "a", TeamName: "t", PlanModeRequired: true, IsTeamLead: false, InvokingRequest: want.InvokingRequest}
	if mate.InvokedBy() != want.InvokingRequest {
		t.Error("a teammate's identity names another call")
	}
}

// talk is a world whose conversations hold all that they can: a fork, replaced
// results, an interrupt, a notification in the loop.
func talk(t *testing.T) *story {
	s := newStory(t)
	s.gates["FORK_SUBAGENT"] = "true"
	s.cfg.Over, s.cfg.Preview = 200, 100
	s.files["big.txt"] = strings.Repeat("a line of a big file\n", 40)
	s.script("main", `use Read {"file_path":"/work/project/big.txt"}`, "text I fork; use Agent "+plain, `take 4s; use Glob {"pattern":"*"}`, "take 9s; text never", "text end")
	s.script("main/2.1", `use Read {"file_path":"/work/project/big.txt"}`, "text Scope: p")
	s.root("go", user.Step{Timed: true, At: 9 * vtime.Second, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 10 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	return s
}

func testSidechain(t *testing.T) {
	s := talk(t)
	for _, a := range s.world.Agents() {
		c := a.Conversation()
		side := c.Sidechain()
		seen := map[*llm.Msg]bool{}
		for i, e := range side {
			if seen[e.Msg] || i > 0 && e.Parent != side[i-1].ID {
				t.Errorf("%s: message %d stands twice or is not linked to the last", a.Lineage(), i)
			}
			seen[e.Msg] = true
		}
		for m := a.Last(); m != nil; m = m.Prev {
			if !seen[m] {
				t.Errorf("%s: a message is missing", a.Lineage())
			}
			delete(seen, m)
		}
		if len(seen) != 0 {
			t.Errorf("%s: %d messages too many", a.Lineage(), len(seen))
		}
		again := agent.Resumed(&llm.Builder{}, c.Prefix, c.Repl, side)
		if again.Head.Hash != c.Head.Hash || again.Repl.Len() != c.Repl.Len() {
			t.Errorf("%s: what is resumed sends other bytes", a.Lineage())
		}
	}
	if fork, main := s.agent("main/2.1").Conversation().Sidechain(), s.agent("main").Conversation().Sidechain(); fork[3].ID != main[3].ID || fork[4].ID == main[4].ID {
		t.Error("a fork's sidechain does not begin with its parent's entries, or does not leave them")
	}
}

// testResumedAlias puts what a sidechain resumes in the place of an agent's
// conversation, between its second request and the answer.
func testResumedAlias(t *testing.T) {
	var sent []string
	for _, resumes := range []bool{false, true} {
		s := newStory(t)
		s.script("main", "use Task "+plain, "use Task "+plain, "text done")
		s.root("go")
		s.at(2500*vtime.Millisecond, func(*agent.World) error {
			c := s.agent("main").Conversation()
			side := c.Sidechain()
			if b := side[1].Msg.Blocks; len(side) != 3 || b[len(b)-1].Kind != llm.ToolUse || b[len(b)-1].Name != "Task" {
				t.Errorf("the sidechain of %d messages holds no call of Task", len(side))
			}
			if resumes {
				*c = *agent.Resumed(s.model.builder, c.Prefix, c.Repl, side)
			}
			return nil
		})
		s.run()
		for _, wrong := range s.check() {
			t.Error(wrong)
		}
		if n := len(s.world.Agents()); n != 3 {
			t.Errorf("resumed %v: %d agents", resumes, n)
		}
		sent = append(sent, s.flat("main", 3))
	}
	if sent[0] != sent[1] || strings.Count(sent[1], `"name":"Task","input"`) != 2 {
		t.Errorf("the resumed conversation went on with\n%s\nwant\n%s", sent[1], sent[0])
	}
}

func testGap(t *testing.T) {
	c := talk(t).agent("main").Conversation()
	side := c.Sidechain()
	cut := append(append([]agent.Entry(nil), side[:2]...), side[3:]...)
	if again := agent.Resumed(&llm.Builder{}, c.Prefix, c.Repl, cut); again.Head.Hash != side[1].ID {
		t.Error("what stands behind a gap was resumed")
	}
}

func testMeters(t *testing.T) {
	s := newStory(t)
	s.script("main", "use Agent "+plain+`; use Agent {"description":"d","prompt":"p","run_in_background":true}`, "text waiting", "text done")
	s.script("main/1.1", "take 5s; use Agent "+plain, "text done")
	s.script("main/1.1/1.1", "take 10s; text done")
	s.script("main/1.2", "take 20s; text done")
	s.root("go")
	s.run()
	for lineage, want := range map[string]agent.Meters{
		"main/1.1/1.1": {Answers: 1, OutputTokens: 10, FirstToken: 4 * vtime.Second},
		"main/1.1":     {Answers: 3, OutputTokens: 30, FirstToken: 6400 * vtime.Millisecond},
		"main":         {Answers: 7, OutputTokens: 80, FirstToken: 15600 * vtime.Millisecond},
	} {
		if got := s.agent(lineage).Meters(); got != want {
			t.Errorf("%s: %+v, want %+v", lineage, got, want)
		}
	}
}

func testStateWrites(t *testing.T) {
	edit := `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`
	for _, c := range []struct {
		gate, child, grandchild, want string
	}{
		{"KAIROS=false", edit, "", "root"},
		{"KAIROS=false", "use Agent " + plain, edit, "root"},
		// The user answers when the agent, or who waits for it, has moved.
		{"CLAUDE_AUTO_BACKGROUND_TASKS=true", "take 118s; " + edit, "", "no-op"},
		{"CLAUDE_AUTO_BACKGROUND_TASKS=true", "use Agent " + plain, "take 117s; " + edit, "no-op"},
	} {
		s := one(t, plain, func(s *story) {
			setGates(c.gate)(s)
			s.cfg.Mode = permission.Default
			s.answers([]string{"always 5s"})
			s.script("main/1.1", c.child, "text done", "text done")
			s.script("main/1.1/1.1", c.grandchild, "text done")
		})
		var effects []string
		for _, e := range s.eventsOf("state_write") {
			if strings.HasPrefix(e["field"], "permissions.") {
				effects = append(effects, e["effect"])
			}
		}
		if got := strings.Join(effects, " "); got != c.want {
			t.Errorf("%+v: changes of state went %q", c, got)
		}
	}
}

func testAvoidDefault(t *testing.T) {
	p := agent.RootContext(1, 11, &agent.Pool{}, agent.Replacements{}, false)
	if !agent.NewContext(p, agent.Options{}).AppState.AvoidPrompts || agent.NewContext(p, agent.Options{ShareAbort: true}).AppState.AvoidPrompts {
		t.Error("prompts are not avoided just where the controller is the child's own")
	}
	s := newStory(t)
	s.gates["FORK_SUBAGENT"] = "true"
	s.script("main", "use Agent "+plain+`; use Agent {"description":"d","prompt":"p","subagent_type":"general-purpose"}`, "text waiting", "text done")
	s.root("go")
	s.run()
	if s.agent("main/1.1").Context().AppState.AvoidPrompts || !s.agent("main/1.2").Context().AppState.AvoidPrompts {
		t.Error("a fork avoids prompts, or a background agent does not")
	}
	if one(t, plain, nil).agent("main/1.1").Context().AppState.AvoidPrompts {
		t.Error("a synchronous child avoids prompts")
	}
}
