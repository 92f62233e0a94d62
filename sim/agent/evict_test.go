package agent_test

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"agentsim/sim/agent"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestEviction(t *testing.T) {
	t.Run("TSK-09 ISO-10 what a task's agent said is out of memory once it is evicted, its output file too", testEvicted)
	t.Run("TSK-09 an eviction at the instant of a resume, or as what is shown is closed, comes first whatever the policy, and what is shown stays until it is closed", testEvictionFirst)
	t.Run("TSK-09 nothing is evicted where no time is said, and nothing waits for an eviction", testNoEviction)
}

// testEvicted reads the output file while it is there, so that the workspace has
// one too. Connections of MCP servers are the rest of ISO-10: this stack opens
// none, so there is nothing to close yet.
func testEvicted(t *testing.T) {
	s := newStory(t)
	s.forget = true
	s.cfg.EvictAfter = 10 * vtime.Second
	long := strings.Repeat("what it said ", 100)
	s.script("main", launch, "text waiting", `use Read {"file_path":".agentsim/tasks/$TASK1.output"}`, "text done", "text done")
	s.script("main/1.1", "text "+long+`; use Glob {"pattern":"*"}`, "text two")
	s.root("go", user.Step{Timed: true, At: 40 * vtime.Second, Act: agent.Act{Message: text("and?")}})
	var said weak.Pointer[byte]
	bytes := func() *byte { return unsafe.StringData(s.agent("main/1.1").Output()) }
	gone := false
	s.at(5*vtime.Second, func(*agent.World) error { said = weak.Make(bytes()); return nil })
	s.at(6*vtime.Second, func(w *agent.World) error {
		runtime.GC()
		if _, there := w.File(".agentsim/tasks/" + s.idOf("main/1.1") + ".output"); !there || said.Value() == nil {
			t.Error("the output is gone before it is due")
		}
		return nil
	})
	s.at(30*vtime.Second, func(w *agent.World) error {
		clear(s.model.heads)
		runtime.GC()
		_, there := w.File(".agentsim/tasks/" + s.idOf("main/1.1") + ".output")
		gone = said.Value() == nil && !there
		return nil
	})
	s.run()
	if e := s.eventsOf("output"); len(e) != 1 || e[0]["op"] != "evicted" || e[0]["bytes"] == "" {
		t.Error(e)
	}
	if !gone {
		t.Error("the output is still in memory")
	}
	for _, wrong := range s.checkAudit() {
		t.Error(wrong)
	}
}

func testEvictionFirst(t *testing.T) {
	got := race(t, seeds/10, func(s *story) {
		speaking(s)
		s.cfg.EvictAfter = 2 * vtime.Second
		s.script("main", launch, "take 3s; "+write("on"), `take 2s; use Read {"file_path":".agentsim/tasks/$TASK1.output"}`, "text done", "text done", "text done")
		s.script("main/1.1", "text one", "text two")
		s.root("go", user.Step{Timed: true, At: 6 * vtime.Second, Act: agent.Act{Show: "main/1.1"}}, user.Step{Timed: true, At: 7 * vtime.Second, Act: agent.Act{Show: agent.Nothing}})
	}, func(s *story) string {
		heard(t, s, "on")
		var ops []string
		for _, e := range s.eventsOf("output") {
			ops = append(ops, e["op"])
		}
		return strings.Join(ops, " ")
	})
	both(t, got, "evicted shown hidden evicted")
}

func testNoEviction(t *testing.T) {
	ends := map[vtime.Duration]vtime.Instant{}
	for _, after := range []vtime.Duration{0, 50 * vtime.Second} {
		s := newStory(t)
		s.cfg.EvictAfter = after
		s.script("main", launch, "text waiting", "text done")
		s.script("main/1.1", "text one")
		s.root("go")
		s.run()
		if n := len(s.eventsOf("output")); n != 0 || s.err != nil {
			t.Error(n, s.err)
		}
		ends[after] = s.end
	}
	if ends[0] != ends[50*vtime.Second] {
		t.Error("the run waited for an eviction:", ends)
	}
}
