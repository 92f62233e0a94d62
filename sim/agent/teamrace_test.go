package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/team"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

// everyPolicy is a race under fifo, many random schedules and as many of pct.
func everyPolicy(t *testing.T, make func(*story), outcome func(*story) string) map[string]int {
	t.Helper()
	got := race(t, seeds, make, outcome)
	under(t, "pct:3", 0, seeds, got, make, outcome)
	return got
}

// squadOf is a lead and two teammates with these turns behind the lead's first two.
func squadOf(lead []string, mates ...[]string) func(*story) {
	return func(s *story) {
		teaming(s)
		s.script("main", append([]string{makeTeam + `; use TaskCreate {"subject":"s","description":"d"}`, mate("alice", "") + "; " + mate("bob", "")}, lead...)...)
		for i, turns := range mates {
			s.script(fmt.Sprintf("main/2.%d", i+1), turns...)
		}
		s.root("go")
	}
}

func TestTeamRaces(t *testing.T) {
	t.Parallel()
	t.Run("SWM-08 two teammates claim one task at one instant under every policy: one has it", func(t *testing.T) {
		claim := `use TaskUpdate {"taskId":"1","status":"in_progress"}`
		got := everyPolicy(t, squadOf([]string{"text wait", "text done"}, []string{claim, "text wait"}, []string{claim, "text wait"}), func(s *story) string {
			return s.eventsOf("team_task")[1]["owner"]
		})
		both(t, got, "alice", "bob")
	})
	t.Run("SWM-06 SWM-04 a shutdown that crosses a message is heard once, and so is the message or its loss told", func(t *testing.T) {
		got := everyPolicy(t, squadOf([]string{"take 2s; " + shut("alice"), "text wait", "text heard", "text done", "text done", "text done"},
			[]string{"take 1s; " + tell("bob", "first"), "text wait", answerShut(1, "alice", true), "text never"},
			[]string{"take 3005ms; " + tell("alice", "crossing"), "text wait", "text wait"}), func(s *story) string {
			for _, e := range s.eventsOf("mail") {
				if e["from"] == "bob" && e["op"] != "sent" {
					return e["op"]
				}
			}
			if strings.Contains(s.text.String(), "nobody called alice") || strings.Contains(s.flat("main/2.2", 2), "nobody called alice") {
				return "refused"
			}
			return "lost"
		})
		if got["lost"] != 0 || len(got) < 2 {
			t.Error(got)
		}
	})
	t.Run("SWM-11 a lead that ends as a teammate writes to it leaves nobody behind, and the mail is read or dropped", func(t *testing.T) {
		got := everyPolicy(t, squadOf([]string{"fail 400; text never"}, []string{"take 5ms; " + tell("team-lead", "x"), "text wait"}, []string{"take 2s; text wait"}), func(s *story) string {
			return s.agent("main/2.1").Ending().Why + ", " + s.agent("main/2.2").Ending().Why
		})
		both(t, got, "lead-ended, lead-ended")
	})
	t.Run("SWM-04 SWM-05 a broadcast while a member is killed reaches the others once", func(t *testing.T) {
		got := everyPolicy(t, func(s *story) {
			squadOf([]string{"text wait", "text heard", "text done", "text done"}, []string{tell("*", "to all"), "text wait"}, []string{"take 60s; text never"})(s)
			s.roots[0].Steps = append(s.roots[0].Steps, user.Step{Timed: true, At: 3010 * vtime.Millisecond, Act: agent.Act{KillAgents: true}})
		}, func(s *story) string {
			out := ""
			for _, e := range s.eventsOf("mail") {
				if e["to"] == "bob" && e["op"] != "sent" {
					out = e["op"]
				}
			}
			if !slices.ContainsFunc(s.eventsOf("mail"), func(e map[string]string) bool { return e["to"] == "team-lead" && e["op"] == "delivered" }) {
				return "the lead does not hear it " + out
			}
			return out
		})
		if len(got) < 2 {
			t.Error(got)
		}
	})
	t.Run("SWM-09 the decision about a teammate's call is the same whether its lead is in a call or not", func(t *testing.T) {
		for _, answer := range []string{"allow 1s", "deny 1s no", "never"} {
			for _, takes := range []string{"20s", "1s"} {
				under := everyPolicySmall
				if answer == "allow 1s" && takes == "20s" { // the question comes while the lead is in a call
					under = everyPolicy
				}
				got := under(t, func(s *story) {
					squadOf([]string{"take " + takes + "; text wait", "text done", "text done"},
						[]string{"take 4s; " + `use Edit {"file_path":"/work/project/a.go","old_string":"x","new_string":"y"}`, "text wait"}, []string{"text wait"})(s)
					s.cfg.Mode = "default"
					s.answers([]string{answer})
				}, func(s *story) string {
					e := s.eventsOf("permission")
					last := e[len(e)-1]
					if last["badge"] != "alice" || last["terminal"] != "main" {
						t.Fatal(last)
					}
					return last["decision"] + " " + last["via"]
				})
				want := map[string]string{"allow 1s": "allow", "deny 1s no": "deny", "never": "deny"}[answer] + " " + map[string]string{"20s": "mailbox", "1s": "bridge"}[takes]
				both(t, got, want)
			}
		}
	})
	t.Run("SWM-03 SWM-09 a teammate in a pane takes time to start, has connections of its own, and asks by the mailbox alone", func(t *testing.T) {
		s := newStory(t)
		squadOf([]string{"text wait", "text done", "text done"}, []string{`use Edit {"file_path":"/work/project/a.go","old_string":"x","new_string":"y"}`, "text wait"}, []string{"text wait"})(s)
		s.cfg.Mode = "default"
		s.cfg.Teams = agent.Teams{Environment: team.Environment{Interactive: true, InTmux: true}, StartUp: 7 * vtime.Second}
		s.run()
		for _, wrong := range s.check() {
			t.Error(wrong)
		}
		joined, asked := s.eventsOf("team")[1], s.eventsOf("permission")
		if joined["backend"] != "tmux" || joined["start_up"] != "7s" || joined["connections"] != "1" || asked[len(asked)-1]["via"] != "mailbox" {
			t.Error(joined, asked[len(asked)-1])
		}
		if !strings.Contains(joined["command"], "agentsim-swarm") != s.cfg.Teams.Environment.InTmux || !strings.Contains(s.text.String(), `--agent-id '\\''alice@web`) {
			t.Error(joined)
		}
		if !strings.Contains(s.text.String(), " 9.010000000s 1 1 request call=0") {
			t.Error("its first request is not 7 s behind its start\n", s.text.String()[:3000])
		}
	})
	t.Run("SWM-02 where no backend can run teammates a call says what to install", func(t *testing.T) {
		s := newStory(t)
		squadOf([]string{"text done"})(s)
		s.cfg.Teams = agent.Teams{Environment: team.Environment{Interactive: true, Mode: team.ModeTmux}}
		s.run()
		if got := s.block("main", 3, -1).Block; !got.IsError || !strings.Contains(got.Content.Raw(), "install tmux") || len(s.world.Agents()) != 1 {
			t.Error(got.Content.Raw())
		}
	})
}

// everyPolicySmall is everyPolicy under few schedules, for what has one outcome.
func everyPolicySmall(t *testing.T, make func(*story), outcome func(*story) string) map[string]int {
	t.Helper()
	return race(t, 20, make, outcome)
}
