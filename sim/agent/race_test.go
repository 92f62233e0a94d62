package agent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestRaces(t *testing.T) {
	t.Parallel() // worlds share nothing that changes
	t.Run("CON-18 an interrupt and the end of the turn at one instant are the policy's to order; both outcomes are legal", testInterruptAtEnd)
	t.Run("CON-18 an interrupt and the end of a synchronous child at one instant: both outcomes are legal", testInterruptChild)
	t.Run("CON-09 LOOP-06 what a stream that broke has written can be read by the next message's call, though the client gave up", testExpectAfterGivingUp)
	t.Run("TSK-05 TaskStop and a natural end at one instant give exactly one notification", testStopAtEnd)
	t.Run("TSK-05 stop, kill, failure and end at one instant give exactly one notification", testAllAtOnce)
	t.Run("CON-17 TSK-10 a resumed agent waits for the tasks that its former life started, and hears how they end", testOwnTasksOutlive)
}

// seeds is how many random schedules a race is run under at most, beside fifo.
const seeds = 1000

// race runs a story under fifo, which draws nothing and so has one schedule
// whatever the seed, and under many random schedules, and counts what
// outcome says of each.
func race(t *testing.T, n int, make func(*story), outcome func(*story) string) map[string]int {
	t.Helper()
	return raceFrom(t, 1, n, make, outcome)
}

// raceFrom is a race whose n random schedules have the seeds from first on.
func raceFrom(t *testing.T, first, n int, make func(*story), outcome func(*story) string) map[string]int {
	t.Helper()
	got := map[string]int{}
	under(t, "fifo", 0, 1, got, make, outcome)
	under(t, "random", first, n, got, make, outcome)
	return got
}

// under runs a story under n schedules of a policy, or until four times as many as have
// brought every transcript so far, a hundred at least, have brought no new one.
func under(t *testing.T, policy string, first, n int, got map[string]int, make func(*story), outcome func(*story) string) {
	t.Helper()
	if testing.Short() {
		n = (n + 9) / 10
	}
	seen, last := map[string]bool{}, 0
	for i := 0; i < n && i < max(100, 4*last); i++ {
		s := newStory(t)
		s.policy, s.schedule = policy, uint64(first+i)
		make(s)
		s.run()
		if s.err != nil {
			t.Fatalf("%s schedule %d: %v", policy, first+i, s.err)
		}
		for _, wrong := range s.check() {
			t.Fatalf("%s schedule %d: %s", policy, first+i, wrong)
		}
		got[outcome(s)]++
		if _, events, _ := strings.Cut(s.text.String(), "\n"); !seen[events] {
			seen[events], last = true, i+1
		}
	}
}

// both fails unless exactly the named outcomes came up.
func both(t *testing.T, got map[string]int, want ...string) {
	t.Helper()
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("outcomes %v, want each of %q", got, want)
	}
}

func testInterruptAtEnd(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.script("main", "text the answer", "text more")
		s.root("go", user.Step{Timed: true, At: vtime.Second, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	}, func(s *story) string {
		if strings.Contains(s.flat("main", 2), `"text":"the answer"`) {
			return "ended"
		}
		return "interrupted"
	})
	both(t, got, "ended", "interrupted")
}

func testInterruptChild(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.script("main", "use Agent "+plain, "text more", "text more")
		s.root("go", user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{Interrupt: true}}, user.Step{Timed: true, At: 3 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	}, func(s *story) string {
		child := string(s.agent("main/1.1").Ending().Status)
		turn := "turn goes on"
		if len(s.eventsOf("abort")) > 0 {
			turn = "turn interrupted"
		}
		return "child " + child + ", " + turn
	})
	// The child may have ended before the interrupt that its parent still gets.
	both(t, got, "child completed, turn interrupted", "child killed, turn interrupted")
}

func testExpectAfterGivingUp(t *testing.T) {
	s := newStory(t)
	s.cfg.Retry.Max = 0
	s.script("main", `use Glob {"pattern":"*"}`, "fail 0; text never", "text done")
	s.root("go", user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	s.run()
	if got := s.model.expects["main 3"]; got == nil || got != s.model.heads["main 2"] {
		t.Errorf("call 3 expects %v, call 2 ended with %v", got, s.model.heads["main 2"])
	}
}

func testStopAtEnd(t *testing.T) {
	got := race(t, seeds, func(s *story) {
		s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, `use TaskStop {"task_id":"$TASK1"}`, "text done", "text done")
		s.root("go")
	}, func(s *story) string {
		n := s.eventsOf("notification")
		if len(n) != 2 || n[0]["op"] != "queued" || n[1]["op"] != "delivered" {
			t.Fatal(n)
		}
		if n[0]["status"] != string(s.agent("main/1.1").Ending().Status) {
			t.Fatal("the task is", n[0]["status"], "and its agent", s.agent("main/1.1").Ending())
		}
		return n[0]["status"]
	})
	both(t, got, "completed", "killed")
}

func testAllAtOnce(t *testing.T) {
	// The child's answer comes, or its second call fails, as the others strike.
	for i, turns := range [][]string{{"text done"}, {"use Nonesuch {}", "fail 400; text never"}} {
		got := raceFrom(t, 1+i*seeds/2, seeds/2, func(s *story) {
			s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`, `use TaskStop {"task_id":"$TASK1"}`, "text done", "text done")
			s.script("main/1.1", turns...)
			s.root("go", user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{KillAgents: true}}, user.Step{Timed: true, At: 2 * vtime.Second, Act: agent.Act{KillAgents: true, Interrupt: true}})
		}, func(s *story) string { return string(s.agent("main/1.1").Ending().Status) })
		if len(got) != 2 || got["killed"] == 0 {
			t.Errorf("%s: outcomes %v", turns, got)
		}
	}
}

// testOwnTasksOutlive is a chain: main waits for main/1.1, which starts an agent in
// the background and idles; the user moves it to the background, main stops and
// resumes it, and its own agent ends within its second life. How long
// the last one takes says when.
func testOwnTasksOutlive(t *testing.T) {
	chain := func(s *story, child string) {
		speaking(s)
		s.script("main", "use Agent "+plain, `use TaskStop {"task_id":"$TASK1"}`, write("on"), "text waiting", "text done", "text done")
		s.script("main/1.1", launch, "text waiting", "take 3s; text again", "text heard", "text and on")
		s.script("main/1.1/1.1", child)
		s.root("go", user.Step{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Background: true}})
	}
	for _, c := range []struct {
		takes string
		n     int
		want  []string
	}{
		{"5005ms", seeds, []string{"delivered", "dropped"}}, // ends as main resumes main/1.1
		{"8005ms", seeds / 10, []string{"delivered"}},       // as the second life answers
		{"30s", seeds / 10, []string{"delivered"}},          // as it waits
		{"4500ms", seeds / 10, []string{"dropped"}},         // between its lives
	} {
		got := race(t, c.n, func(s *story) { chain(s, "take "+c.takes+"; text done") }, func(s *story) string {
			if got := activations(s); got != "killed completed" {
				t.Fatal(got)
			}
			own := s.agent("main/1.1/1.1").Context().ID.String()
			for _, e := range s.eventsOf("notification") {
				if e["task"] == own && e["op"] != "queued" {
					return e["op"]
				}
			}
			return "lost"
		})
		both(t, got, c.want...)
	}
}
