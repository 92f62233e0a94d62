package agent_test

import (
	"strings"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

func TestCaching(t *testing.T) {
	t.Run("CACHE-29 a cap of 0 holds nobody", capOfZero)
	t.Run("CACHE-29 another model, agent type or set of tools is a prefix of its own, and equal ones are held", identities)
	t.Run("CACHE-30 a sub-agent's markers have the lifetime of sub-agents, at any depth, and a fork's its parent's", lifetimes)
	t.Run("CACHE-35 an agent that renders its history otherwise moves its thinking, and one that shares it does not", movedThinking)
}

// fanOut starts two siblings and returns how long after the first one's request
// the second one's was sent.
func fanOut(t *testing.T, second string, change func(*story)) vtime.Duration {
	t.Helper()
	s := newStory(t)
	s.cfg.FanOut = agent.FanOut{HoldUntilFirst: true, Cap: 5 * vtime.Second}
	s.script("main", `use Agent {"description":"a","prompt":"A."}; use Agent `+second, "text done", "text done")
	s.script("main/1.1", "take 5s; text a")
	s.root("Go.")
	if change != nil {
		change(s)
	}
	s.run()
	var sent []vtime.Instant
	for _, name := range []string{"main/1.1", "main/1.2"} {
		found := false
		for _, line := range strings.Split(s.text.String(), "\n") {
			if f := strings.Fields(line); len(f) > 5 && f[4] == "request" && f[5] == "call=0" && f[3] == ref(s, name) {
				at, err := vtime.ParseDuration(f[1])
				if err != nil {
					t.Fatal(err)
				}
				sent, found = append(sent, vtime.Instant(0).Add(at)), true
			}
		}
		if !found {
			t.Fatalf("%s sent nothing:\n%s", name, s.text.String())
		}
	}
	return sent[1].Sub(sent[0])
}

func ref(s *story, lineage string) string { return string(rune('0' + s.agent(lineage).Ref())) }

const same = `{"description":"b","prompt":"B."}`

func capOfZero(t *testing.T) {
	held := fanOut(t, same, nil)
	if held != 2*vtime.Second { // until the first byte, two fifths of its call
		t.Fatalf("held for %s", held)
	}
	if d := fanOut(t, same, func(s *story) { s.cfg.FanOut.Cap = 0 }); d != 0 {
		t.Errorf("with a cap of 0 held for %s", d)
	}
}

func identities(t *testing.T) {
	for name, c := range map[string]struct {
		second string
		change func(*story)
	}{
		"model": {`{"description":"b","prompt":"B.","model":"opus"}`, nil},
		"type":  {`{"description":"b","prompt":"B.","subagent_type":"twin"}`, withType("twin", nil)},
		"tools": {`{"description":"b","prompt":"B.","subagent_type":"reader"}`, withType("reader", []string{"Read"})},
	} {
		if d := fanOut(t, c.second, c.change); d != 0 {
			t.Errorf("another %s is held for %s", name, d)
		}
	}
	// An equal type is held, whoever defined it.
	twins := func(s *story) {
		withType("twin", nil)(s)
		s.script("main", `use Agent {"description":"a","prompt":"A.","subagent_type":"twin"}; use Agent {"description":"b","prompt":"B.","subagent_type":"twin"}`,
			"text done", "text done")
	}
	if d := fanOut(t, same, twins); d != 2*vtime.Second {
		t.Errorf("equal types are held for %s", d)
	}
}

// withType defines a type whose prompt and tools are general-purpose's, or fewer
// tools.
func withType(name string, tools []string) func(*story) {
	return func(s *story) {
		g := gate.Default()
		d := *agent.BuiltIns(&g)[0]
		d.Type, d.Source = name, agent.FromProject
		if tools != nil {
			d.Tools = tools
		}
		s.cfg.Definitions = append(s.cfg.Definitions, &d)
	}
}

func lifetimes(t *testing.T) {
	for _, c := range []struct {
		gate       string
		main, subs llm.TTL
		want       llm.TTL
	}{
		{"FORK_SUBAGENT=false", llm.TTL1h, llm.TTL5m, llm.TTL5m},
		{"FORK_SUBAGENT=false", llm.TTL5m, llm.TTL1h, llm.TTL1h},
		{"FORK_SUBAGENT=true", llm.TTL1h, llm.TTL5m, llm.TTL1h},
	} {
		s := one(t, plain, func(s *story) {
			setGates(c.gate)(s)
			s.roots[0].Plan = &agent.Plan{Name: agent.PlanAgent, TTL: c.main}
			s.cfg.SubagentTTL = c.subs
			if c.gate == "FORK_SUBAGENT=false" {
				s.script("main/1.1", "use Agent "+plain, "text done")
			}
		})
		seen := map[string]bool{}
		for _, line := range strings.Split(s.lines([]string{"request"}), "\n") {
			f := strings.Fields(line)
			if len(f) < 5 {
				continue
			}
			want := c.want
			if f[2] == "0" {
				want = c.main
			}
			seen[f[2]] = true
			if strings.Contains(line, ":1h") != (want == llm.TTL1h) {
				t.Errorf("%+v: %s", c, line)
			}
		}
		if len(seen) < 2 || c.gate == "FORK_SUBAGENT=false" && len(seen) != 3 {
			t.Errorf("%+v: %d agents", c, len(seen))
		}
	}
}

// movedThinking is a fork whose replacement decisions are fresh: its history
// holds another result before the second thought.
func movedThinking(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		s := newStory(t)
		s.binds, s.gates["FORK_SUBAGENT"] = true, "true"
		s.cfg.Over, s.cfg.Preview, s.cfg.Forks.FreshRepl = 60, 30, fresh
		s.files["long.txt"] = "first line\nsecond line\nthird line\n"
		s.script("main", `think a; use Read {"file_path":"long.txt"}`, "think b; use Agent "+plain, "text waiting", "text done")
		s.root("Go.")
		s.at(1500*vtime.Millisecond, func(w *agent.World) error { w.SetReplacement(1000, 30); return nil })
		s.run()
		if moved := s.block("main/2.1", 1, -1).Uses&llm.Misbound != 0; moved != fresh {
			t.Errorf("fresh decisions %v: thinking moved %v", fresh, moved)
		}
		if s.block("main", 2, -1).Uses&llm.Misbound != 0 {
			t.Error("a history that only grew moved its thinking")
		}
	}
}
