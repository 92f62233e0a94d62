package agent_test

import (
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestCompactionRaces(t *testing.T) {
	t.Parallel() // worlds share nothing that changes
	t.Run("LOOP-07 TSK-05 a fork's answer that comes while its parent is compacted is heard once, in the history that goes on", testCompactionAndAnswer)
	t.Run("LOOP-07 CON-18 an interrupt and the end of a compaction at one instant: the history is whole, the old one or the new", testInterruptedCompaction)
	t.Run("LOOP-06 TSK-05 a stream that breaks at the instant at which TaskStop comes: one end, one notification", testDropAtTheEnd)
	t.Run("FRK-09 LOOP-07 either guard alone refuses a fork in a fork whose history became a summary", testGuardsApart)
}

// testCompactionAndAnswer lets the fork end at each instant about the parent's
// compaction: before the request for it, as it is asked, within, and as it ends.
// Each instant has random seeds of its own, and fifo.
func testCompactionAndAnswer(t *testing.T) {
	places := map[string]int{}
	takes := []string{"1s", "2s", "2030ms", "2500ms", "3030ms", "3060ms", "4s"}
	each := (seeds + len(takes) - 1) / len(takes)
	for i, take := range takes {
		got := raceFrom(t, 1+i*each, each, func(s *story) {
			s.gates["FORK_SUBAGENT"] = "true"
			s.cfg.Compaction = agent.Compaction{Share: 80, Window: func(string) int64 { return 1000 }}
			s.script("main", `use Agent {"description":"d","prompt":"p"}`, `size 900; use Glob {"pattern":"*"}`, "text summed up",
				`use Glob {"pattern":"*"}`, "text done", "text done", "text done")
			s.script("main/1.1", "take "+take+"; text Scope: seen")
			s.root("go")
		}, func(s *story) string {
			n := s.eventsOf("notification")
			if len(n) != 2 || n[1]["op"] != "delivered" {
				t.Fatal(n)
			}
			compacted := s.eventsOf("compact")
			if len(compacted) != 1 || len(s.eventsOf("agent_start")) != 2 {
				t.Fatalf("%d compactions, %d agents", len(compacted), len(s.eventsOf("agent_start")))
			}
			last := s.agent("main")
			heard := 0
			for m := last.Last(); m != nil; m = m.Prev {
				for i := range m.Blocks {
					heard += strings.Count(m.Blocks[i].Content.Raw(), "Scope: seen")
				}
			}
			before := len(n[1]["at"]) < len(compacted[0]["at"]) || n[1]["at"] < compacted[0]["at"]
			if before && heard != 0 || !before && heard != 1 {
				t.Fatalf("the answer stands %d times in the last history; delivered at %s, compacted at %s", heard, n[1]["at"], compacted[0]["at"])
			}
			if before {
				return "summed up with the rest"
			}
			return n[1]["place"]
		})
		for k, v := range got {
			places[k] += v
		}
	}
	both(t, places, "idle", "loop", "summed up with the rest")
}

func testInterruptedCompaction(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.cfg.Compaction = agent.Compaction{Share: 80, Window: func(string) int64 { return 1000 }}
		s.script("main", `size 900; use Glob {"pattern":"*"}`, "text summed up", "text one", "text two")
		s.root("go", user.Step{Timed: true, At: 2030 * vtime.Millisecond, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 9 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	}, func(s *story) string {
		// Interrupted, the window is full still, and the next turn begins with a summary.
		compacted := s.eventsOf("compact")
		if len(compacted) != 1 {
			t.Fatal(compacted)
		}
		outcome, answered := "summed up", "main 3"
		if !strings.HasPrefix(compacted[0]["at"], "2.") {
			outcome, answered = "interrupted, and summed up later", "main 4"
		}
		if req := s.model.sent(answered); strings.Contains(req, "compaction-request") || strings.Count(req, "<conversation-summary>") != 1 {
			t.Fatal(answered)
		}
		return outcome
	})
	both(t, got, "interrupted, and summed up later", "summed up")
}

func testDropAtTheEnd(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.cfg.Retry.Max = 0
		s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, `use TaskStop {"task_id":"$TASK1"}`, "text done", "text done")
		s.script("main/1.1", "take 1s; drop; text never")
		s.root("go")
	}, func(s *story) string {
		n := s.eventsOf("notification")
		if len(n) != 2 || n[1]["op"] != "delivered" {
			t.Fatal(n)
		}
		return string(s.agent("main/1.1").Ending().Status)
	})
	both(t, got, "failed", "killed")
}

// testGuardsApart takes the one guard away, then the other, then both: only then
// does the compacted fork fork.
func testGuardsApart(t *testing.T) {
	for _, c := range []struct {
		source, tag bool
		want        string
	}{{true, true, "refused"}, {true, false, "refused"}, {false, true, "refused"}, {false, false, "forked"}} {
		s := newStory(t)
		s.gates["FORK_SUBAGENT"] = "true"
		s.cfg.Compaction = agent.Compaction{Share: 80, Window: func(string) int64 { return 1000 }}
		s.script("main", `use Agent {"description":"d","prompt":"p"}`, "text waiting", "text done")
		s.script("main/1.1", `size 900; use Glob {"pattern":"*"}`, "text summed up", `use Agent {"description":"d","prompt":"again"}`, "text Scope: tried", "text Scope: tried")
		s.script("main/1.1/2.1", "text Scope: never")
		s.at(3500*vtime.Millisecond, func(w *agent.World) error { // the fork waits for its third answer
			a := s.agent("main/1.1")
			if !a.IsFork() || !a.InFork() {
				t.Errorf("after the compaction the fork has source %v, tag %v", a.IsFork(), a.InFork())
			}
			a.LoseGuards(!c.source, !c.tag)
			return nil
		})
		s.root("go")
		s.run()
		got := "refused"
		if len(s.eventsOf("agent_start")) > 2 {
			got = "forked"
		}
		if got != c.want {
			t.Errorf("source %v, tag %v: %s, want %s\n%s", c.source, c.tag, got, c.want, s.text.String())
		}
	}
}
