package agent_test

import (
	"strconv"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/vtime"
)

func TestRemote(t *testing.T) {
	t.Run("WKT-07 a remote agent runs in the background, in files and a cache scope of its own, from when its prompt is there", testRemoteApart)
	t.Run("WKT-07 what passes the link arrives once and in order under every policy, whatever is lost or comes twice", testRemoteLink)
	t.Run("TSK-08 a message that nobody is left to hear is dropped as it arrives, and told", testRemoteLost)
	t.Run("WKT-07 forks, teammates and who works for them are not remote", testRemoteRefused)
}

const remotely = `{"description":"d","prompt":"p","subagent_type":"general-purpose","isolation":"remote"}`

const beside = `{"description":"d","prompt":"p","run_in_background":true}`

func testRemoteApart(t *testing.T) {
	s := newStory(t)
	s.cfg.Remote = agent.Remote{Offered: true, Latency: 2 * vtime.Second, Reconnect: vtime.Second}
	s.files["a.go"] = "one\n"
	s.script("main", "use Agent "+remotely+"; use Agent "+beside, "text I wait.", "text I wait.", `use Read {"file_path":"a.go"}`, "text done")
	s.script("main/1.1", `use Read {"file_path":"a.go"}`, `use Edit {"file_path":"a.go","old_string":"one","new_string":"two"}`, "text I changed a.")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	for _, x := range []struct {
		call      int
		has, lack string
	}{{2, "async_launched", `"status":"completed"`}, {4, "<changed>a.go</changed>", "worktree>"}, {5, "one", "two"}} {
		if got := s.block("main", x.call, -1).Block.Content.Raw(); !strings.Contains(got, x.has) || strings.Contains(got, x.lack) {
			t.Errorf("with %q, without %q in request %d: %s", x.has, x.lack, x.call, got)
		}
	}
	one, two := s.block("main/1.1", 1, 1), s.block("main/1.2", 1, 1)
	if one.Block.Content.Raw() != two.Block.Content.Raw() || one.Hash == two.Hash {
		t.Error("it shares a cache scope with its sibling, or begins otherwise")
	}
	var told []string
	for _, e := range s.eventsOf("link") {
		told = append(told, e["op"]+" "+e["what"])
	}
	if got := strings.Join(told, ", "); got != "sent prompt, arrived prompt, sent answer, sent answer, arrived answer, sent answer, sent result, arrived answer, arrived answer, arrived result" {
		t.Errorf("over the link: %s", got)
	}
}

func testRemoteLink(t *testing.T) {
	got := everyPolicy(t, func(s *story) {
		s.seed = s.schedule + 1
		s.cfg.Remote = agent.Remote{Offered: true, Latency: vtime.Second, Loss: 60, Reconnect: 3 * vtime.Second}
		s.gates["AGENT_SWARMS"] = "true"
		s.offered = []string{"SendMessage"}
		write := func(n int) string {
			return `use SendMessage {"to":"bee","message":"message ` + strconv.Itoa(n) + ` of all"}`
		}
		s.script("main", `use Agent {"description":"d","prompt":"p","isolation":"remote","name":"bee"}`, write(1)+"; "+write(2), write(3), "text I wait.")
		s.root("go")
	}, func(s *story) string {
		arrived, comes := map[string]int{}, "once"
		for _, e := range s.eventsOf("link") {
			switch e["op"] {
			case "discarded":
				comes = "twice"
			case "arrived":
				if arrived[e["way"]]++; e["n"] != strconv.Itoa(arrived[e["way"]]) {
					t.Errorf("seed %d: %s arrives as number %d %s", s.seed, e["n"], arrived[e["way"]], e["way"])
				}
			}
		}
		if arrived["out"] != 4 || arrived["home"] == 0 {
			t.Errorf("seed %d: there arrived %v", s.seed, arrived)
		}
		heard := 0
		for _, e := range s.eventsOf("message") {
			if e["op"] == "delivered" {
				heard++
			}
		}
		if heard != 3 {
			t.Errorf("seed %d: it heard %d messages", s.seed, heard)
		}
		return comes
	})
	both(t, got, "once", "twice")
}

// testRemoteLost has a session fail while a message to an agent that has ended is on its way.
func testRemoteLost(t *testing.T) {
	s := newStory(t)
	s.cfg.Remote = agent.Remote{Offered: true, Latency: 5 * vtime.Second, Reconnect: vtime.Second}
	s.gates["AGENT_SWARMS"] = "true"
	s.offered = []string{"SendMessage"}
	s.script("main", `use Agent {"description":"d","prompt":"p","isolation":"remote","name":"bee"}`, "text I wait.", `use SendMessage {"to":"bee","message":"and more"}`, "fail 400")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if m := s.eventsOf("message"); len(m) != 2 || m[1]["op"] != "dropped" {
		t.Errorf("of the message there is told: %v", m)
	}
	if f := s.eventsOf("finding"); len(f) != 1 || f[0]["rule"] != "nobody-to-tell" || !strings.Contains(s.text.String(), "nobody was left to resume it") {
		t.Errorf("found: %v", f)
	}
}

func testRemoteRefused(t *testing.T) {
	s := newStory(t)
	s.cfg.Remote = agent.Remote{Offered: true, Reconnect: vtime.Second}
	s.gates["FORK_SUBAGENT"], s.cfg.Interactive = "true", true
	s.script("main", `use Agent {"description":"d","prompt":"p","isolation":"remote"}`, "text done")
	s.root("go")
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if got := s.block("main", 2, -1).Block.Content.Raw(); !strings.Contains(got, "A fork cannot work in a remote environment") {
		t.Errorf("it says: %s", got)
	}
}
