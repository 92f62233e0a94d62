package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/permission"
	"agentsim/sim/team"
	"agentsim/sim/tool"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

// teaming offers a session the tools of teams.
func teaming(s *story) { s.offered, s.gates["AGENT_SWARMS"] = tool.TeamTools, "true" }

const makeTeam = `use TeamCreate {"team_name":"web"}`

// mate starts a teammate, with further fields.
func mate(name, more string) string {
	return `use Agent {"description":"works","prompt":"Work.","name":"` + name + `","team_name":"web"` + more + `}`
}

func tell(to, text string) string {
	return `use SendMessage {"to":"` + to + `","message":"` + text + `"}`
}

func shut(name string) string {
	return `use SendMessage {"to":"` + name + `","message":{"type":"shutdown_request"}}`
}

func answerShut(n int, name string, approve bool) string {
	return fmt.Sprintf(`use SendMessage {"to":"team-lead","message":{"type":"shutdown_response","request_id":"shutdown-%d@%s","approve":%v}}`, n, name, approve)
}

// played runs a lead's and its first teammates' turns and checks what must hold.
func played(t *testing.T, set func(*story), main []string, mates ...[]string) *story {
	t.Helper()
	s := newStory(t)
	teaming(s)
	s.script("main", main...)
	for i, turns := range mates {
		s.script(fmt.Sprintf("main/2.%d", i+1), turns...)
	}
	if len(s.roots) == 0 {
		s.root("go")
	}
	if set != nil {
		set(s)
	}
	s.run()
	if s.err != nil {
		t.Error(s.err)
	}
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	return s
}

func TestTeams(t *testing.T) {
	t.Parallel()
	t.Run("SWM-14 only a root leads a team, one at a time, and deletes it once nobody in it lives", testLeads)
	t.Run("SWM-07 a teammate cannot start teammates, and its lead alone starts those of its team, under names of their own", testFlat)
	t.Run("SUB-17 a teammate that asks for an agent in the background, or whose definition asks for it, gets an error at once; others it waits for", testNoBackground)
	t.Run("SUB-17 who works for a teammate starts nobody in the background either, whatever makes agents run there", testNoBackgroundBelow)
	t.Run("SUB-17 SWM-11 in a pane a teammate starts agents in the background, rests when they have ended, and takes them with it", testPaneBackground)
	t.Run("FLT-07 a teammate keeps Agent, SendMessage and the tools of the list whatever its definition's source, and its own denials hold", testMatePool)
	t.Run("SWM-13 SendMessage is in a pool where teams are on or somebody coordinates, and nowhere else", testSendOffered)
	t.Run("SWM-05 a message goes to one, to all others or to the lead; to nobody it is an error, and so is a structured one to several", testMail)
	t.Run("SWM-05 another session is written to by socket, and over a bridge with the user's consent alone", testAcross)
	t.Run("SWM-06 a teammate that rejects its shutdown goes on, and an answer that nobody asked for is refused", testReject)
	t.Run("SWM-06 a plan waits for the lead's word, which brings the mode; no other's counts", testPlans)
	t.Run("SWM-06 SUB-10 with the approval a teammate has the mode of its call, also where its lead plans", testPlanningLead)
	t.Run("SWM-08 of two teammates that claim one task at one instant one wins, and the other is told who", testClaims)
	t.Run("SWM-08 the tools of the list create, change, link, get and delete tasks", testListTools)
	t.Run("SWM-11 killing one teammate or interrupting the lead ends no other; a message resumes who was stopped", testControllers)
	t.Run("SWM-11 a lead that ends takes its teammates with it, and that is told", testLeadEnds)
	t.Run("VER-01 a verification that is a teammate is told of as it rests without a verdict", testNoVerdict)
	t.Run("SWM-12 the view of a teammate holds its newest messages, fifty unless the session says otherwise, and the record has all", testView)
	t.Run("SWM-01 TaskStop kills a teammate, and its open tasks are anybody's", testTaskStop)
}

func testLeads(t *testing.T) {
	s := played(t, nil, []string{
		`use TeamCreate {"team_name":"a b"}`, makeTeam, `use TeamCreate {"team_name":"other"}`, `use TeamDelete {"x":1}`, `use TeamDelete {}`, `use TeamDelete {}`,
		`use TeamCreate {"team_name":"other"}; use Agent ` + plain, "text done",
	})
	for i, want := range []string{"more than letters", `"lead_agent_id":"team-lead@web"`, "You lead team web: delete it", "unknown field", "Team web is deleted", "You lead no team"} {
		if got := s.block("main", i+2, -1).Block.Content.Raw(); !strings.Contains(got, want) {
			t.Errorf("call %d: %s, want %s", i+1, got, want)
		}
	}
	s = played(t, func(s *story) { s.script("main/1.1", makeTeam, "text done") }, []string{"use Agent " + plain, "text done"})
	if got := s.block("main/1.1", 2, -1).Block.Content.Raw(); !strings.Contains(got, "Only the main agent") {
		t.Error(got)
	}
	s = played(t, func(s *story) {
		s.at(vtime.Second/2, func(w *agent.World) error { return w.FlipGate("AGENT_SWARMS", "false") })
	}, []string{makeTeam, `use TaskList {}`, "text done"})
	for i := range 2 {
		if got := s.block("main", i+2, -1).Block.Content.Raw(); !strings.Contains(got, "Teams are off") {
			t.Error(got)
		}
	}
}

func testFlat(t *testing.T) {
	s := played(t, nil, []string{makeTeam, mate("alice", ""), "text wait", shut("alice"), "text wait", "text done"},
		[]string{mate("bob", ""), tell("team-lead", "no"), "text wait", answerShut(1, "alice", true)})
	if got := s.block("main/2.1", 2, -1).Block.Content.Raw(); !strings.Contains(got, "only its lead does") || len(s.world.Agents()) != 2 {
		t.Error(got)
	}
	who := s.agent("main/2.1").Context().Identity.(*agent.TeammateIdentity)
	if who.AgentName != "alice" || who.TeamName != "web" || who.IsTeamLead || s.eventsOf("agent_start")[1]["structure"] != "teammate" {
		t.Error(who)
	}
	for in, want := range map[string]string{
		mate("alice", ""):                       "you lead no team",
		makeTeam + "; " + mate("team-lead", ""): "is taken",
		makeTeam + "; " + mate("", ""):          "needs a name",
		makeTeam + "; " + mate("a b", ""):       "more than letters",
		makeTeam + "; " + strings.Replace(mate("alice", ""), `"web"`, `"shop"`, 1): "you lead team web, and no team shop",
		makeTeam + `; use Agent {"description":"d","prompt":"p","mode":"plan"}`:    "needs team_name",
		makeTeam + "; " + mate("alice", `,"mode":"bubble"`):                        "must be one of",
		makeTeam + "; " + mate("alice", `,"subagent_type":"none"`):                 "does not exist",
	} {
		s := played(t, nil, []string{in, "text done"})
		if got := s.block("main", 2, -1).Block; !got.IsError || !strings.Contains(got.Content.Raw(), want) || len(s.world.Agents()) != 1 {
			t.Errorf("%s: %s", in, got.Content.Raw())
		}
	}
}

func testNoBackground(t *testing.T) {
	prompt := func(*gate.Set) string { return "x" }
	for _, gates := range []string{"", "KAIROS=true", "FORK_SUBAGENT=true", "tengu_auto_background_agents=true"} {
		s := played(t, func(s *story) {
			setGates(strings.Fields(gates)...)(s)
			s.cfg.Definitions = []*agent.Definition{{Type: "late", Background: true, Prompt: prompt}}
			s.script("main/2.1/1.3", "take 200s; text here")
		}, []string{makeTeam, mate("alice", ""), "text wait", shut("alice"), "text wait", "text done"},
			[]string{`use Agent {"description":"d","prompt":"p","run_in_background":true}; use Agent {"description":"d","prompt":"p","subagent_type":"late"}; use Agent ` + plain,
				tell("team-lead", "x"), "text wait", answerShut(1, "alice", true)})
		for i, want := range []string{"no agents in the background", "no agents in the background", `"status":"completed"`} {
			if gates == "FORK_SUBAGENT=true" && i == 0 {
				want = `"status":"completed"` // the field is gated off
			}
			b := s.block("main/2.1", 2, i-3).Block
			if !strings.Contains(b.Content.Raw(), want) {
				t.Errorf("gates %q, call %d: %s", gates, i+1, b.Content.Raw())
			}
		}
	}
}

const inBackground = `{"description":"d","prompt":"p","run_in_background":true}`

func testNoBackgroundBelow(t *testing.T) {
	for gates, want := range map[string]string{"": "no agents in the background", "KAIROS=true": "no agents in the background", "FORK_SUBAGENT=true": `"status":"completed"`} {
		s := played(t, func(s *story) {
			setGates(strings.Fields(gates)...)(s)
			s.script("main/2.1/1.1", "use Agent "+inBackground+"; use Agent "+plain, "text done")
			s.script("main/2.1/1.1/1.1", "text one")
			s.script("main/2.1/1.1/1.2", "text two")
		}, []string{makeTeam, mate("alice", ""), "text wait", "text done"}, []string{"use Agent " + plain, "text wait"})
		for i, want := range []string{want, `"status":"completed"`} {
			if b := s.block("main/2.1/1.1", 2, i-2).Block; !strings.Contains(b.Content.Raw(), want) {
				t.Errorf("gates %q, call %d: %s", gates, i+1, b.Content.Raw())
			}
		}
	}
}

func testPaneBackground(t *testing.T) {
	s := played(t, func(s *story) {
		s.cfg.Teams = agent.Teams{Environment: team.Environment{Interactive: true, InTmux: true}}
		s.script("main/2.1/1.1", "text early")
		s.script("main/2.1/2.1", "take 200s; text late")
	}, []string{makeTeam, mate("alice", ""), "take 20s; " + shut("alice"), "text wait", "text done"},
		[]string{"use Agent " + inBackground, "use Agent " + inBackground, "text wait", "text wait", answerShut(1, "alice", true)})
	for _, e := range s.eventsOf("team") {
		if e["op"] == "idle" {
			t.Error("alice rests while one below her runs")
		}
	}
	if s.agent("main/2.1/1.1").Ending().Status != "completed" {
		t.Error(s.agent("main/2.1/1.1").Ending())
	}
	if e, lead := s.agent("main/2.1/2.1").Ending(), s.agent("main/2.1").Ending(); e.Status != "killed" || e.Why != "process-ended" || lead.Why != "shut-down" {
		t.Error(e, lead)
	}
}

func testMatePool(t *testing.T) {
	prompt := func(*gate.Set) string { return "x" }
	const kept = "Agent,Read,Grep,Glob,Edit,SendMessage,TaskCreate,TaskGet,TaskList,TaskUpdate"
	for typ, want := range map[string]string{"": kept, `,"subagent_type":"own"`: kept, `,"subagent_type":"shy"`: "Read,Grep,Glob,Edit,SendMessage,TaskGet,TaskList,TaskUpdate"} {
		s := played(t, func(s *story) {
			s.cfg.Definitions = []*agent.Definition{{Type: "own", Source: agent.FromUser, Prompt: prompt}, {Type: "shy", Source: agent.FromUser, Disallowed: []string{"Agent", "TaskCreate"}, Prompt: prompt}}
		}, []string{makeTeam, mate("alice", typ), "text wait", "text done"}, []string{"text wait"})
		if got := s.eventsOf("agent_start")[1]["tools"]; got != want {
			t.Errorf("%s holds %s", typ, got)
		}
	}
}

func testSendOffered(t *testing.T) {
	for gates, want := range map[string]bool{"AGENT_SWARMS=true": true, "AGENT_SWARMS=false": false, "KAIROS=true": false} {
		s := one(t, plain, func(s *story) { s.offered = tool.TeamTools; setGates(gates)(s) })
		for _, a := range []string{"main", "main/1.1"} {
			for _, name := range tool.TeamTools {
				if s.agent(a).Context().Pool.Has(name) != want {
					t.Errorf("%s: %s has %s: %v", gates, a, name, !want)
				}
			}
		}
		if told := strings.Contains(s.text.String(), "the tool SendMessage is offered because"); told {
			t.Error(gates, "it is told of as a tool that is offered")
		}
	}
	s := led(t, research, func(s *story) { s.offered = tool.TeamTools })
	if p := s.agent("main").Context().Pool; !p.Has("SendMessage") || p.Has("TeamCreate") || s.agent("main/1.1").Context().Pool.Has("SendMessage") {
		t.Error("a coordinator holds", p.Names)
	}
}

func testMail(t *testing.T) {
	s := played(t, nil, []string{makeTeam, mate("alice", "") + "; " + mate("bob", ""), "text wait", "text heard", "text heard", "text done", "text done"},
		[]string{"take 3s; " + tell("*", "to all"), tell("carol", "x"), tell("alice", "x"), `use SendMessage {"to":"*","message":{"type":"shutdown_request"}}`,
			`use SendMessage {"to":"team-lead","message":{"type":"shutdown_request"}}`, tell("team-lead", strings.Repeat("x", 2<<20)), tell("uds:", "x"), "text wait"},
		[]string{"text wait", "text heard"})
	for i, want := range []string{"in the mailboxes of team-lead, bob", "nobody called carol in team web: there are team-lead, alice, bob", "alice is you", "* carries text only",
		"a lead is not shut down", "at most 1048576 bytes", "names nothing"} {
		if got := s.block("main/2.1", i+2, -1).Block; !strings.Contains(got.Content.Raw(), want) || got.IsError == (i == 0) {
			t.Errorf("call %d: %s, want %s", i+1, got.Content.Raw(), want)
		}
	}
	const mail = "<teammate-message from=\\\"alice\\\">\\nto all\\n</teammate-message>"
	if !strings.Contains(s.flat("main", 4), mail) || !strings.Contains(s.flat("main/2.2", 2), mail) || strings.Contains(s.flat("main/2.1", 3), mail) {
		t.Error("the broadcast is not where it should be\n", s.flat("main/2.2", 2))
	}
}

func testAcross(t *testing.T) {
	two := func(s *story, answer string) {
		s.cfg.Permissions.Answers = nil
		if answer != "" {
			s.answers([]string{answer})
		}
		r := s.root("go", user.Step{Timed: true, At: 20 * vtime.Second, Act: agent.Act{Message: text("and?")}})
		r.Lineage = "other"
		s.script("other", "text wait", "text heard", "text done")
	}
	for _, c := range []struct{ to, answer, want, via string }{
		{"uds:other", "", "in the mailbox of session other", "deny"},
		{"uds:none", "", "there is no session none", ""},
		{"uds:main", "", "there is no session main", ""},
		{"bridge:other", "allow 2s", "in the mailbox of session other", "allow"},
		{"bridge:other", "deny 2s no", "the user refused", "deny"},
	} {
		s := played(t, func(s *story) { two(s, c.answer) }, []string{tell(c.to, "hello"), "text done"})
		if got := s.block("main", 2, -1).Block.Content.Raw(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.to, got)
		}
		if heard := len(s.eventsOf("mail")) == 2; heard != strings.HasPrefix(c.want, "in the") {
			t.Errorf("%s: %v", c.to, s.eventsOf("mail"))
		}
		asked := strings.Contains(s.text.String(), "decision=ask why=bridge")
		if asked != strings.HasPrefix(c.to, "bridge:") {
			t.Errorf("%s: asked %v", c.to, asked)
		}
	}
}

func testReject(t *testing.T) {
	s := played(t, nil, []string{makeTeam, mate("alice", ""), "text wait", shut("alice"), shut("alice"), "text wait", shut("alice"), "text wait", "text done"},
		[]string{answerShut(1, "alice", true), tell("team-lead", "here"), "text wait", "take 3s; " + answerShut(1, "alice", false), "text on", answerShut(2, "alice", true), "text never"})
	if got := s.block("main/2.1", 2, -1).Block.Content.Raw(); !strings.Contains(got, "nobody has sent you a shutdown_request") {
		t.Error(got)
	}
	if got := s.block("main", 6, -1).Block.Content.Raw(); !strings.Contains(got, "has not answered shutdown-1@alice") {
		t.Error(got)
	}
	if e := s.agent("main/2.1").Ending(); e.Status != "completed" || e.Why != "shut-down" || s.model.heads["main/2.1 7"] != nil {
		t.Error(e)
	}
}

func testPlans(t *testing.T) {
	plan := `use SendMessage {"to":"team-lead","message":{"type":"plan_approval_request","plan":"# Edit a.go"}}`
	answer := func(approve, mode string) string {
		return `use SendMessage {"to":"alice","message":{"type":"plan_approval_response","request_id":"plan-1@alice","approve":` + approve + mode + `}}`
	}
	edit := `use Edit {"file_path":"/work/project/a.go","old_string":"x","new_string":"y"}`
	for _, c := range []struct{ answer, mode, want string }{
		{answer("true", ""), `,"mode":"plan"`, "acceptEdits"},
		{answer("true", `,"permissionMode":"bypassPermissions"`), `,"mode":"plan"`, "bypassPermissions"},
		{answer("false", `,"feedback":"no"`), `,"mode":"plan"`, "plan"},
	} {
		s := played(t, func(s *story) { s.files["a.go"] = "x\n" }, []string{makeTeam, mate("alice", c.mode) + "; " + mate("bob", ""), "text wait", c.answer, c.answer, "text wait", "text done", "text done"},
			[]string{edit, plan + "; " + plan, "text wait", edit, tell("team-lead", "over"), "text wait"},
			[]string{"take 2s; " + plan, answer("true", ""), "text wait"})
		modes := ""
		for _, e := range s.eventsOf("permission") {
			if e["tool"] == "Edit" {
				modes += e["mode"] + " " + e["decision"] + " "
			}
		}
		verdict := "allow"
		if c.want == "plan" {
			verdict = "deny"
		}
		if modes != "plan deny "+c.want+" "+verdict+" " {
			t.Errorf("%s: %s", c.answer, modes)
		}
		for _, x := range []struct {
			who  string
			call int
			want string
		}{{"main/2.1", 3, "plan-1@alice is not answered yet"}, {"main/2.2", 2, "you are not in plan mode"}, {"main/2.2", 3, "only team-lead answers plans"}, {"main", 6, "has asked for no approval plan-1@alice"}} {
			if got := s.block(x.who, x.call, -1).Block.Content.Raw(); !strings.Contains(got, x.want) {
				t.Errorf("%s: %s, want %s", x.who, got, x.want)
			}
		}
	}
}

// testPlanningLead has a lead that plans itself approve of what a teammate plans.
func testPlanningLead(t *testing.T) {
	edit := `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`
	for _, c := range []struct{ mode, want string }{{"bypassPermissions", "bypassPermissions"}, {"plan", "default"}} {
		s := played(t, func(s *story) { s.files["a.go"], s.cfg.Mode = "x\n", permission.Plan },
			[]string{makeTeam, mate("alice", `,"mode":"`+c.mode+`"`), "text wait",
				`use SendMessage {"to":"alice","message":{"type":"plan_approval_response","request_id":"plan-1@alice","approve":true}}`, "text wait", "text done", "text done"},
			[]string{edit, `use SendMessage {"to":"team-lead","message":{"type":"plan_approval_request","plan":"p"}}`, "text wait",
				edit, "text wait"})
		modes := ""
		for _, e := range s.eventsOf("permission") {
			if e["tool"] == "Edit" {
				modes += e["mode"] + " "
			}
		}
		if !strings.HasPrefix(modes, "plan "+c.want+" ") {
			t.Errorf("%s: %s", c.mode, modes)
		}
	}
}

func testClaims(t *testing.T) {
	claim := `use TaskUpdate {"taskId":"1","status":"in_progress","owner":"NAME"}`
	got := race(t, seeds, func(s *story) {
		teaming(s)
		s.script("main", makeTeam+`; use TaskCreate {"subject":"s","description":"d"}`, mate("alice", "")+"; "+mate("bob", ""), "text wait", "text done")
		for i, name := range []string{"alice", "bob"} {
			s.script(fmt.Sprintf("main/2.%d", i+1), strings.ReplaceAll(claim, "NAME", name), "text wait")
		}
		s.root("go")
	}, func(s *story) string {
		e := s.eventsOf("team_task")
		if len(e) < 2 || e[1]["op"] != "updated" {
			t.Fatal(e)
		}
		winner := e[1]["owner"]
		loser := map[string]string{"alice": "main/2.2", "bob": "main/2.1"}[winner]
		if b := s.block(loser, 2, -1).Block; !b.IsError || b.Content.Raw() != "Task 1 belongs to "+winner+"." {
			t.Fatal(b.Content.Raw())
		}
		return winner
	})
	both(t, got, "alice", "bob")
}

func testListTools(t *testing.T) {
	calls := []struct{ use, want string }{
		{`TaskList {}`, "The list is empty."},
		{`TaskCreate {"subject":"","description":"d"}`, "must not be empty"},
		{`TaskCreate {"subject":"one","description":"do it","activeForm":"doing","metadata":{"k":1}}`, "Task #1 is created: one"},
		{`TaskCreate {"subject":"two","description":"d"}`, "Task #2"},
		{`TaskUpdate {"taskId":"2","addBlockedBy":["1"]}`, "[blocked by #1]"},
		{`TaskUpdate {"taskId":"2","status":"in_progress"}`, "waits for #1"},
		{`TaskUpdate {"taskId":"1","owner":"nobody"}`, "There is nobody called nobody"},
		{`TaskUpdate {"taskId":"x"}`, "no id of a task"},
		{`TaskUpdate {"taskId":"1","status":"over"}`, "must be one of"},
		{`TaskUpdate {"taskId":"1","addBlocks":[1]}`, "ids as strings"},
		{`TaskGet {"taskId":"1"}`, "do it\nActivity: doing\nBlocks: #2\nk: 1"},
		{`TaskGet {"taskId":"7"}`, "There is no task 7."},
		{`TaskUpdate {"taskId":"1","status":"completed","metadata":{"k":null}}`, "#1 [completed] one"},
		{`TaskUpdate {"taskId":"2","status":"deleted"}`, "[deleted]"},
		{`TaskList {}`, "#1 [completed] one"},
	}
	turns := []string{`use TaskList {}`, makeTeam}
	for _, c := range calls {
		turns = append(turns, "use "+c.use)
	}
	s := played(t, nil, append(turns, "text done"))
	if got := s.block("main", 2, -1).Block.Content.Raw(); !strings.Contains(got, "You are in no team") {
		t.Error(got)
	}
	for i, c := range calls {
		if got := s.block("main", i+4, -1).Block.Content.Raw(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.use, got)
		}
	}
}

func testControllers(t *testing.T) {
	s := newStory(t)
	teaming(s)
	s.script("main", makeTeam, mate("alice", "")+"; "+mate("bob", ""), "take 10s; text never", `use TaskStop {"task_id":"$T1"}`, tell("alice", "go on"), "text wait", "text done", "text done", "text done", "text done")
	s.script("main/2.1", "take 20s; text never", "text on")
	s.script("main/2.2", "take 20s; "+tell("team-lead", "bob is here"), "text wait")
	s.root("go", user.Step{Timed: true, At: 4 * vtime.Second, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Message: text("stop alice")}})
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if got := activations(s); got != "killed killed" && !strings.HasPrefix(got, "killed ") {
		t.Error("alice ended", got, s.text.String())
	}
	if !strings.Contains(s.text.String(), "from=bob to=team-lead n=1") || !strings.Contains(s.flat("main/2.1", 2), "go on") {
		t.Error("bob was ended with others, or alice was not resumed")
	}
}

func testNoVerdict(t *testing.T) {
	verifying := func(s *story) {
		s.cfg.Definitions = append(agent.BuiltIns(&gate.Set{}), agent.EveryBuiltIn(&gate.Set{})[3])
	}
	got := played(t, verifying, []string{makeTeam, mate("vera", `,"subagent_type":"verification"`), "text wait", tell("vera", "go on"), "text done"},
		[]string{"text It looks right.", "text VERDICT: PASS"}).text.String()
	if strings.Count(got, "rule=no-verdict") != 1 || !strings.Contains(got, `detail="the report does not end with one"`) {
		t.Error(got)
	}
}

func testLeadEnds(t *testing.T) {
	s := played(t, nil, []string{makeTeam, mate("alice", ""), "text done"}, []string{"text wait"})
	if e := s.agent("main/2.1").Ending(); e.Status != "killed" || e.Why != "lead-ended" {
		t.Error(e)
	}
	if !strings.Contains(s.text.String(), "rule=team-left") {
		t.Error("nobody is told")
	}
	s = newStory(t)
	teaming(s)
	s.script("main", makeTeam, mate("alice", ""), "fail 400; text never")
	s.script("main/2.1", "take 60s; text never")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if s.end > 30*vtime.Instant(vtime.Second) || s.agent("main").Ending().Status != "failed" {
		t.Error(s.end)
	}
}

func testView(t *testing.T) {
	for most, want := range map[int]string{0: "50", 7: "7"} {
		turns := slices.Repeat([]string{"use TaskList {}"}, 40)
		s := played(t, func(s *story) {
			s.cfg.Teams.History = most
			s.roots[0].Steps = append(s.roots[0].Steps, user.Step{Timed: true, At: 40 * vtime.Second, Act: agent.Act{Show: "main/2.1"}}, user.Step{Timed: true, At: 50 * vtime.Second, Act: agent.Act{Show: agent.Nothing}})
		}, []string{makeTeam, mate("alice", ""), "text wait", "text done"}, append(turns, "text wait"))
		if e := s.eventsOf("output"); len(e) != 2 || e[0]["messages"] != want {
			t.Errorf("most %d: %v", most, e)
		}
		if n := strings.Count(s.flat("main/2.1", 41), `"type":"tool_result"`); n != 40 && strings.Count(s.text.String(), "name=TaskList bytes") != 40 {
			t.Error("the store has", n)
		}
	}
}

func testTaskStop(t *testing.T) {
	s := played(t, nil, []string{makeTeam + `; use TaskCreate {"subject":"s","description":"d"}`, mate("alice", "") + "; " + mate("bob", ""), "take 3s; use TaskStop {\"task_id\":\"$T1\"}",
		"text wait", "text done", "text done"},
		[]string{`use TaskUpdate {"taskId":"1","status":"in_progress"}`, "take 60s; text never"},
		[]string{"take 9s; use TaskUpdate {\"taskId\":\"1\",\"status\":\"in_progress\"}", "text wait"})
	got := ""
	for _, e := range s.eventsOf("team_task") {
		got += e["op"] + ":" + e["owner"] + " "
	}
	if got != "created: updated:alice released: updated:bob released: " {
		t.Error(got)
	}
	if e := s.agent("main/2.1").Ending(); e.Status != "killed" || e.Why != "task-stop" {
		t.Error(e)
	}
}
