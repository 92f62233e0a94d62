package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/task"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestBackground(t *testing.T) {
	t.Parallel() // worlds share nothing that changes
	t.Run("SUB-14 CON-18 a child that ends at exactly 120 s has ended or has moved, as the policy orders, and runs once either way", testExactly)
	t.Run("SUB-14 SUB-20 Ctrl+B, the child's end and an interrupt at one instant leave one result or one notification, and nothing runs twice", testCtrlB)
	t.Run("SUB-14 Ctrl+B at the instant of the automatic move makes one task", testBothMoves)
	t.Run("SUB-20 PRM-02 whoever starts an agent from the background asks nobody on its behalf", testStartedAfterwards)
	t.Run("CON-18 ISO-03 an abort while a tool runs leaves a whole message; one at the tool's last instant may come too late for it", testAbortDuringTool)
	t.Run("FRK-06 GATE-02 a gate that flips at the instant of a fork decides whether it is one, and never what its prefix is", testFlipAndFork)
	t.Run("SUB-14 nobody moves while the gate is off or background tasks are disabled, also when the user asks", testNobodyMoves)
	t.Run("SUB-20 the task of an agent that moved bears the agent's id, and is in the background", testMovedTask)
	t.Run("PRM-04 CON-18 an abort takes a prompt away, whose use has not run, and the terminal is free again", testAbortedPrompt)
}

// heardOnce fails unless the answers of an agent are each heard once.
func heardOnce(t *testing.T, s *story, lineage string, calls int) {
	t.Helper()
	ref := fmt.Sprint(s.agent(lineage).Ref())
	n := 0
	for _, e := range s.eventsOf("response") {
		if e[""] == ref {
			n++
		}
	}
	if n != calls {
		t.Fatalf("%s was answered %d times, want %d", lineage, n, calls)
	}
}

func testExactly(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.gates["CLAUDE_AUTO_BACKGROUND_TASKS"] = "true"
		s.script("main", "use Agent "+plain, "text done", "text done")
		s.script("main/1.1", "take 120s; text late")
		s.root("go")
	}, func(s *story) string {
		heardOnce(t, s, "main/1.1", 1)
		result := s.eventsOf("tool_result")
		if len(result) != 1 || result[0]["took"] != "120.000000000s" {
			t.Fatal(result)
		}
		if len(s.world.Tasks().All()) == 1 {
			return "moved"
		}
		return "ended"
	})
	both(t, got, "ended", "moved")
}

func testCtrlB(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.script("main", "use Agent "+plain, "text more", "text more")
		s.root("go", user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{Background: true}}, user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{Interrupt: true}},
			user.Step{Timed: true, At: 3 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	}, func(s *story) string {
		child, moved := s.agent("main/1.1").Ending().Status, len(s.world.Tasks().All())
		if child == "completed" {
			heardOnce(t, s, "main/1.1", 1)
		}
		n := len(s.eventsOf("notification"))
		if moved == 0 && n != 0 || moved == 1 && n != 2 {
			t.Fatal(moved, n)
		}
		return fmt.Sprintf("%s %d moved", child, moved)
	})
	both(t, got, "completed 0 moved", "completed 1 moved", "killed 0 moved")
}

func testBothMoves(t *testing.T) {
	race(t, seeds, func(s *story) {
		s.gates["tengu_auto_background_agents"] = "true"
		s.script("main", "use Agent "+plain, "text more", "text more")
		s.script("main/1.1", "take 200s; text late")
		s.root("go", user.Step{Timed: true, At: 121 * vtime.Second, Act: agent.Act{Background: true}})
	}, func(s *story) string {
		if n := len(s.world.Tasks().All()); n != 1 {
			t.Fatal(n, "tasks")
		}
		return ""
	})
}

func testStartedAfterwards(t *testing.T) {
	s := one(t, plain, func(s *story) {
		s.cfg.Mode = "default"
		s.gates["tengu_auto_background_agents"] = "true"
		s.script("main/1.1", "take 130s; use Agent "+plain, "text done")
		s.script("main/1.1/1.1", `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`, "text done")
	})
	e := s.eventsOf("permission")
	if last := e[len(e)-1]; last["tool"] != "Edit" || last["decision"] != "deny" {
		t.Error(last)
	}
}

func testAbortDuringTool(t *testing.T) {
	for _, c := range []struct {
		at   vtime.Duration
		want []string
	}{
		{1010 * vtime.Millisecond, []string{"cut off"}},
		{1030 * vtime.Millisecond, []string{"cut off", "went on"}},
	} {
		got := race(t, seeds, func(s *story) {
			s.script("main", `use Glob {"pattern":"*"}; use Edit {"file_path":"a","old_string":"x","new_string":"y"}`, "text more", "text more")
			s.root("go", user.Step{Timed: true, At: c.at, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 3 * vtime.Second, Act: agent.Act{Message: text("and?")}})
		}, func(s *story) string {
			if len(s.eventsOf("tool_result")) != 2 {
				t.Fatal(s.eventsOf("tool_result"))
			}
			if strings.Contains(s.flat("main", 2), "Interrupted before it ran") {
				return "cut off"
			}
			return "went on"
		})
		both(t, got, c.want...)
	}
}

func testFlipAndFork(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.script("main", "use Agent "+plain, "text waiting", "text done")
		s.script("main/1.1", "text Scope: p")
		s.root("go")
		s.at(vtime.Second, func(w *agent.World) error { return w.FlipGate("FORK_SUBAGENT", "true") })
	}, func(s *story) string {
		if !s.agent("main/1.1").IsFork() {
			return "fresh"
		}
		if !strings.HasPrefix(s.flat("main/1.1", 1), s.flat("main", 1)[:len(s.flat("main", 1))-20]) {
			t.Fatal("the fork does not go on from its parent's request")
		}
		return "fork"
	})
	both(t, got, "fork", "fresh")
}

func testNobodyMoves(t *testing.T) {
	for _, gates := range [][]string{{}, {"tengu_auto_background_agents=true", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=true"}} {
		s := newStory(t)
		setGates(gates...)(s)
		s.script("main", "use Agent "+plain, "text done")
		s.script("main/1.1", "take 500s; text late")
		steps := []user.Step{{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Background: true}}}
		if len(gates) == 0 {
			steps = nil
		}
		s.root("go", steps...)
		s.run()
		if n := len(s.world.Tasks().All()); n != 0 || s.agent("main/1.1").Ending().Status != "completed" {
			t.Errorf("gates %v: %d tasks", gates, n)
		}
		if len(gates) > 0 && !strings.Contains(s.text.String(), "background-disabled") {
			t.Error("that nothing moved is not told")
		}
	}
}

func testMovedTask(t *testing.T) {
	s := one(t, plain, func(s *story) {
		s.gates["tengu_auto_background_agents"] = "true"
		s.script("main/1.1", "take 200s; text late")
	})
	all := s.world.Tasks().All()
	if len(all) != 1 || all[0].ID != s.agent("main/1.1").Context().ID.String() || !all[0].Backgrounded || all[0].Status() != task.Completed {
		t.Fatalf("%+v", all)
	}
	if ctx := s.agent("main/1.1").Context(); ctx.SetAppState != agent.NoOp || !ctx.AppState.AvoidPrompts || ctx.Abort.Linked() {
		t.Errorf("%+v", ctx)
	}
}

func testAbortedPrompt(t *testing.T) {
	s := newStory(t)
	s.cfg.Mode = "default"
	s.answers([]string{"Edit(a.go) never", "always 1s"})
	s.script("main", `use Edit {"file_path":"a.go","old_string":"x","new_string":"y"}`, `use Edit {"file_path":"b.go","old_string":"x","new_string":"y"}`, "text done")
	s.root("go", user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Interrupt: true, Message: text("and?")}})
	s.run()
	for _, wrong := range s.check() {
		t.Error(wrong)
	}
	if !strings.Contains(s.flat("main", 2), "Interrupted before it ran: user-interrupt") {
		t.Error("the use ran, or nothing says why not")
	}
	if s.end > vtime.Instant(9*vtime.Second) {
		t.Error("the next prompt waited behind one that was gone:", s.end)
	}
}
