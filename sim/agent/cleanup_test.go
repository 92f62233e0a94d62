package agent_test

import (
	"runtime"
	"testing"
	"weak"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/permission"
	"agentsim/sim/tool"
	"agentsim/sim/user"
	"agentsim/sim/vtime"
)

func TestReleased(t *testing.T) {
	t.Run("ISO-10 what an agent has read, its steps and its whole life are out of memory once it has ended, though the world lives on", testReleased)
	t.Run("ISO-10 the hooks of a definition hear its agent until it ends, then nobody", testHooksAfterwards)
}

// ways are the ways in which the agent main/1.1 ends after its first answer.
var ways = map[string]func(*story){
	"end":   func(*story) {},
	"error": func(s *story) { s.script("main/1.1", busyTurn, "fail 400; text never") },
	"abort": func(s *story) {
		s.script("main/1.1", busyTurn, "take 60s; text never")
		s.roots[0].Steps = []user.Step{{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Interrupt: true, Message: text("and?")}}}
	},
	"abort within a tool": func(s *story) {
		s.script("main/1.1", busyTurn, `use Bash {"command":"sleep 60"}`)
		s.roots[0].Steps = []user.Step{{Timed: true, At: 5 * vtime.Second, Act: agent.Act{Interrupt: true, Message: text("and?")}}}
	},
	"crash": func(s *story) {
		s.script("main/1.1", busyTurn, "take 60s; text never")
		s.at(5*vtime.Second, func(w *agent.World) error { return w.Crash("main/1.1") })
	},
}

// busyTurn makes an agent hold something of everything.
const busyTurn = `use Read {"file_path":"a.go"}; use TodoWrite {"todos":[{"content":"a","status":"pending","activeForm":"b"}]}; use Bash {"command":"sleep 500","run_in_background":true}`

// ended runs one agent with hooks that holds something of everything and ends in
// a way. Main goes on afterwards and uses tools.
func ended(t *testing.T, way func(*story), onEnd func(*agent.Agent)) *story {
	s := newStory(t)
	s.forget, s.onEnd = true, onEnd
	s.offered = []string{"Bash", "TodoWrite"}
	s.cfg.Mode = permission.Bypass
	s.files["a.go"] = "package a\n"
	var hooks []agent.Hook
	for _, e := range []agent.HookEvent{agent.PreToolUse, agent.PostToolUse, agent.Stop} {
		hooks = append(hooks, agent.Hook{Event: e, Command: "true"})
	}
	s.cfg.Definitions = []*agent.Definition{{Type: "hooked", Description: "d", Source: agent.FromProject,
		Prompt: func(*gate.Set) string { return "p" }, Hooks: hooks}}
	s.script("main", `use Agent {"description":"d","prompt":"p","subagent_type":"hooked"}`, `use Glob {"pattern":"*"}`, `use Glob {"pattern":"*"}`, "text done")
	s.script("main/1.1", busyTurn, "text done")
	s.root("go")
	way(s)
	s.run()
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s
}

func testReleased(t *testing.T) {
	for name, way := range ways {
		gone := map[string]func() bool{}
		s := ended(t, way, func(a *agent.Agent) {
			if a.Parent() == nil {
				return
			}
			ctx := a.Context()
			if len(ctx.Session.Todos) == 0 {
				t.Errorf("%s: the agent has no steps", name)
			}
			files, steps, life := weak.Make(ctx.Files), weak.Make(ctx.Session), weak.Make(a.Life())
			gone["what it read"] = func() bool { return files.Value() == (*tool.Cache)(nil) }
			gone["its steps"] = func() bool { return steps.Value() == nil }
			gone["its life"] = func() bool { return life.Value() == nil || life.Value().Empty() }
		})
		s.model.heads = nil // the model keeps every request
		runtime.GC()
		if len(gone) != 3 {
			t.Fatalf("%s: the agent has not ended", name)
		}
		for what, is := range gone {
			if !is() {
				t.Errorf("%s: %s is still there", name, what)
			}
		}
		for _, task := range s.world.Tasks().All() {
			if !task.Status().Final() {
				t.Errorf("%s: task %s is %s", name, task.ID, task.Status())
			}
		}
		runtime.KeepAlive(s.world)
	}
}

func testHooksAfterwards(t *testing.T) {
	for name, way := range ways {
		s := ended(t, way, nil)
		ran, removed := 0, 0
		for _, e := range s.eventsOf("hook") {
			switch {
			case e[""] != "1":
				t.Errorf("%s: a hook of the agent's hears another: %v", name, e)
			case e["op"] == "remove":
				removed++
			case e["op"] == "run" && removed > 0:
				t.Errorf("%s: a hook runs after the end: %v", name, e)
			case e["op"] == "run":
				ran++
			}
		}
		if ran < 6 || removed != 3 {
			t.Errorf("%s: hooks ran %d times, %d were removed", name, ran, removed)
		}
	}
}
