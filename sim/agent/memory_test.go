package agent_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"weak"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
)

func TestMemory(t *testing.T) {
	t.Run("CON-20 a world keeps nothing of an agent that has ended but what it came to", testMemory)
	t.Run("SUB-13 the output file of a task that has ended holds all it said", testOutputAfterwards)
}

// remains are pointers into what an agent that ended had, which keep nothing
// alive themselves.
type remains struct {
	lineage string
	head    weak.Pointer[llm.Node]
	message weak.Pointer[llm.Msg]
	context weak.Pointer[agent.Controller]
}

func testMemory(t *testing.T) {
	for _, c := range []struct{ name, input, forks string }{
		{"synchronous", plain, "false"},
		{"asynchronous", `{"description":"d","prompt":"p","run_in_background":true}`, "false"},
		{"fork", plain, "true"},
	} {
		s := newStory(t)
		s.forget = true
		s.gates["FORK_SUBAGENT"] = c.forks
		s.model.gen = func(req *llm.Request) string {
			switch {
			case req.Stream.Lineage != "main" && req.Stream.Call == 0:
				return `text working; use Glob {"pattern":"*"}`
			case req.Stream.Lineage == "main" && req.Stream.Call < 3:
				return "use Agent " + c.input + "; use Agent " + c.input
			}
			return "text Scope: done"
		}
		var dead []remains
		s.onEnd = func(a *agent.Agent) {
			if a.Parent() != nil {
				conv := a.Conversation()
				dead = append(dead, remains{a.Lineage(), weak.Make(conv.Head), weak.Make(conv.Last), weak.Make(a.Context().Abort)})
			}
		}
		s.root("go")
		s.run()
		s.model.heads = nil // the model keeps every request
		runtime.GC()
		if len(dead) != 6 || s.err != nil {
			t.Fatalf("%s: %d agents ended: %v", c.name, len(dead), s.err)
		}
		for _, d := range dead {
			if d.head.Value() != nil || d.message.Value() != nil || d.context.Value() != nil {
				t.Errorf("%s: %s has ended, and its bytes are kept: %v, its messages: %v, its context: %v", c.name, d.lineage,
					d.head.Value() != nil, d.message.Value() != nil, d.context.Value() != nil)
			}
			if a := s.agent(d.lineage); a.Own().Output == 0 || a.Rolled() != a.Own() || a.Ending().Status != "completed" {
				t.Errorf("%s: what %s came to is gone: %v %v", c.name, d.lineage, a.Own(), a.Ending())
			}
		}
		runtime.KeepAlive(s.world)
	}
}

func testOutputAfterwards(t *testing.T) {
	s := newStory(t)
	s.script("main", `use Agent {"description":"d","prompt":"p","run_in_background":true}`,
		`take 9s; use Read {"file_path":".agentsim/tasks/$TASK1.output"}`, "text done")
	s.script("main/1.1", `text one; use Glob {"pattern":"*"}`, "text two")
	s.at(6e9, func(w *agent.World) error { w.SetReplacement(1000, 10); return nil })
	s.root("go")
	s.run()
	for _, n := range s.eventsOf("agent_end")[:1] {
		if n["at"] >= "9" {
			t.Fatal("the task ended too late for the test:", n)
		}
	}
	read := s.block("main", 3, -2).Block.Content.Raw()
	if !strings.HasPrefix(read, "     1\tone\n     2\ttwo\n") {
		t.Error("read after the end:", strconv.Quote(read))
	}
}
