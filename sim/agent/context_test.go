package agent_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/shell"
	"agentsim/sim/tool"
	"agentsim/sim/vtime"
)

func TestContext(t *testing.T) {
	t.Run("ISO-01 every field of the context has one row in the sharing table and every row a field", testSharingTable)
	t.Run("ISO-01 the constructor treats each field as its row says", testSharingHolds)
	t.Run("ISO-02 reads of a child never change what the parent believes fresh, nor the other way round", testFiles)
	t.Run("ISO-03 an abort reaches linked descendants only, and an ended child leaves no listener", testController)
	t.Run("ISO-07 a child has a query chain of its own, one level deeper", testTracking)
	t.Run("ISO-09 thinking is off for sub-agents and inherited by forks", testThinking)
	t.Run("SUB-08 FRK-07 a tool choice is forced on whom it was made for, and on forks, in whose prefix it counts", testToolChoice)
}

// The rules by which a field of a child's context comes about, from the safest to
// the most open.
const (
	isolated = "isolated" // made anew
	cloned   = "cloned"   // a copy of the parent's: later changes do not meet
	wrapped  = "wrapped"  // the parent's, seen through a restriction
	shared   = "shared"   // the parent's own
)

// sharing lists every field of Context (ISO-01), its rule by default, and the option
// that shares it after all, "" if none.
var sharing = []struct{ field, rule, optIn, why string }{
	{"ID", isolated, "", "events bear the identity of the agent that caused them"},
	{"Identity", isolated, "", "who an agent is follows the agent, not who runs it"},
	{"Files", cloned, "", "a child's reads must not change what the parent believes fresh"},
	{"Abort", wrapped, "ShareAbort", "an abort reaches children and never comes back"},
	{"AppState", wrapped, "ShareAbort", "an agent without a terminal must not ask"},
	{"SetAppState", isolated, "ShareState", "a child's state changes stay its own"},
	{"SetTaskState", shared, "", "what runs in the background must be known where it can be reaped"},
	{"Query", isolated, "", "a chain of its own, one level deeper"},
	{"Replacements", cloned, "", "a fork must render the parent's results to the same bytes"},
	{"Source", isolated, "", "who asks is part of the agent"},
	{"Thinking", isolated, "Exact", "sub-agents do without unless their prefix is the parent's"},
	{"Pool", isolated, "Exact", "tools are assembled with the child's own mode"},
	{"ResponseSize", shared, "", "a child's output counts in the parent's meters"},
	{"Session", isolated, "Exact", "a child has a shell and a list of its own; a fork's shell begins where its parent's stands"},
}

func testSharingTable(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[agent.Context]())
	rows := map[string]int{}
	for _, s := range sharing {
		rows[s.field]++
		if s.why == "" || s.rule == "" {
			t.Errorf("the row of %s lacks a rule or a reason", s.field)
		}
		if _, ok := reflect.TypeFor[agent.Context]().FieldByName(s.field); !ok {
			t.Errorf("the table has a row for %s, which is no field", s.field)
		}
		if _, ok := reflect.TypeFor[agent.Options]().FieldByName(s.optIn); s.optIn != "" && !ok {
			t.Errorf("%s is shared by %s, which is no option", s.field, s.optIn)
		}
	}
	for _, f := range fields {
		if rows[f.Name] != 1 {
			t.Errorf("field %s has %d rows: deny by default needs one", f.Name, rows[f.Name])
		}
	}
}

// parentContext is a context with every field set to something that a child
// could be seen to have.
func parentContext() *agent.Context {
	c := agent.RootContext(1, 11, &agent.Pool{Names: []string{"parent"}}, agent.Replacements{Over: 5, Preview: 2}, true)
	c.Files.Put("a", tool.Entry{Hash: "one"})
	c.Query.Depth = 3
	c.AppState = agent.View{}
	c.Session = &tool.Session{Shell: shell.Session{Dir: "/work/project/sub"}}
	decide(&c.Replacements, "0123456789")
	return c
}

// decide has a conversation take a decision.
func decide(r *agent.Replacements, result string) {
	b := &llm.Builder{}
	conv := &agent.Conversation{Head: b.Border(b.Border(b.Root(llm.Scope{}, llm.Salts{}), llm.System, llm.Salts{}), llm.Messages, llm.Salts{}), Repl: *r}
	conv.Say(b, &llm.Msg{Role: llm.User, Blocks: []llm.Block{{Kind: llm.ToolResult, ID: llm.ToolUseID{1}, Content: llm.NewText(llm.Prose, result)}}})
	*r = conv.Repl
}

// state is what a field's value amounts to, so that two can be compared.
func state(c *agent.Context, field string) any {
	switch field {
	case "Files":
		e, _ := c.Files.Get("a")
		return e.Hash
	case "Abort":
		return fmt.Sprintf("%p", c.Abort)
	case "Replacements":
		return c.Replacements.Len()
	case "AppState":
		return c.AppState.AvoidPrompts
	}
	return reflect.ValueOf(c).Elem().FieldByName(field).Interface()
}

func testSharingHolds(t *testing.T) {
	plain := agent.Options{ID: 2, Identity: &agent.SubagentIdentity{AgentID: 2}, Chain: 22, Source: "agent:builtin:x", Pool: &agent.Pool{Names: []string{"child"}}}
	for _, row := range sharing {
		p := parentContext()
		c := agent.NewContext(p, plain)
		before := state(p, row.field)
		switch row.rule {
		case isolated:
			if reflect.DeepEqual(state(c, row.field), state(p, row.field)) {
				t.Errorf("%s is isolated, and the child has the parent's", row.field)
			}
		case cloned:
			if state(c, row.field) != state(p, row.field) {
				t.Errorf("%s is cloned, and the child starts with another", row.field)
			}
			c.Files.Put("a", tool.Entry{Hash: "two"})
			c.Replacements.Forget()
			if state(c, row.field) == before || state(p, row.field) != before {
				t.Errorf("%s is cloned, and a change of the child's reaches the parent", row.field)
			}
		case wrapped:
			if reflect.DeepEqual(state(c, row.field), state(p, row.field)) {
				t.Errorf("%s is wrapped, and the child has the parent's own", row.field)
			}
		case shared:
			if w, ok := state(c, row.field).(agent.Writer); !ok || w == agent.NoOp {
				t.Errorf("%s is shared, and the child's goes nowhere", row.field)
			}
		}
		if row.optIn != "" {
			testOptIn(t, row.field, row.optIn, p, plain)
		}
	}
}

// testOptIn turns a field's option on and sees it shared.
func testOptIn(t *testing.T, field, optIn string, p *agent.Context, o agent.Options) {
	reflect.ValueOf(&o).Elem().FieldByName(optIn).SetBool(true)
	got := state(agent.NewContext(p, o), field)
	if field == "SetAppState" {
		if got != agent.ToParent {
			t.Errorf("%s with %s goes %v", field, optIn, got)
		}
		return
	}
	if !reflect.DeepEqual(got, state(p, field)) {
		t.Errorf("%s with %s is not the parent's", field, optIn)
	}
}

func testFiles(t *testing.T) {
	p := parentContext()
	c := agent.NewContext(p, agent.Options{})
	c.Files.Put("a", tool.Entry{Hash: "child", ReadAt: vtime.Instant(9)})
	c.Files.Put("b", tool.Entry{Hash: "child"})
	if e, _ := p.Files.Get("a"); e.Hash != "one" || p.Files.Len() != 1 {
		t.Error("the parent's belief changed by a read of the child:", e, p.Files.Len())
	}
	p.Files.Put("a", tool.Entry{Hash: "parent"})
	if e, _ := c.Files.Get("a"); e.Hash != "child" {
		t.Error("the child's belief changed by a read of the parent:", e)
	}
	fresh := agent.NewContext(p, agent.Options{Files: new(tool.Cache)})
	if fresh.Files.Len() != 0 {
		t.Error("an empty cache was given and the child knows", fresh.Files.Len())
	}

	// The runner gives forks the parent's and every other child an empty one.
	for _, forks := range []string{"true", "false"} {
		s := newStory(t)
		s.files["a.go"] = "package a\n"
		s.gates["FORK_SUBAGENT"] = forks
		s.script("main", `use Read {"file_path":"a.go"}`, `use Agent {"description":"d","prompt":"p"}`, "text done", "text done")
		s.script("main/2.1", `use Edit {"file_path":"a.go","old_string":"package a","new_string":"package b"}`, "text Scope: done")
		s.root("go")
		s.run()
		edited := s.block("main/2.1", 2, -1).Block
		if edited.IsError == (forks == "true") {
			t.Errorf("forks %s: an edit of what the parent has read gave %q", forks, edited.Content.Raw())
		}
		if e, _ := s.agent("main").Context().Files.Get("a.go"); e.ReadAt != vtime.Instant(vtime.Second) {
			t.Errorf("forks %s: the parent's entry became %v", forks, e)
		}
	}
}

func testController(t *testing.T) {
	root := agent.NewController(nil, false)
	left, right := agent.NewController(root, true), agent.NewController(root, true)
	below, behind := agent.NewController(left, true), agent.NewController(left, false)
	left.Abort(errors.New("left"))
	got := []bool{root.Aborted(), left.Aborted(), right.Aborted(), below.Aborted(), behind.Aborted()}
	if want := []bool{false, true, false, true, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("root, left, right, below left, unlinked below left aborted: %v, want %v", got, want)
	}
	if root.Listeners() != 2 || behind.Linked() {
		t.Error("listeners of the root:", root.Listeners())
	}
}

func testTracking(t *testing.T) {
	s := newStory(t)
	s.script("main", `use Agent {"description":"d","prompt":"p"}; use Agent {"description":"d","prompt":"p"}`, "text done")
	s.script("main/1.1", `use Agent {"description":"d","prompt":"p"}`, "text done")
	s.root("go")
	s.run()
	chains := map[uint64]string{}
	for lineage, depth := range map[string]int{"main": 0, "main/1.1": 1, "main/1.2": 1, "main/1.1/1.1": 2} {
		q := s.agent(lineage).Context().Query
		if q.Depth != depth {
			t.Errorf("%s is at depth %d, want %d", lineage, q.Depth, depth)
		}
		if chains[q.Chain] != "" {
			t.Errorf("%s and %s share a chain", lineage, chains[q.Chain])
		}
		chains[q.Chain] = lineage
	}
}

func testThinking(t *testing.T) {
	for forks, want := range map[string]llm.ThinkingMode{"true": llm.ThinkingEnabled, "false": llm.ThinkingDisabled} {
		s := newStory(t)
		s.gates["FORK_SUBAGENT"] = forks
		s.script("main", `think hm; use Agent {"description":"d","prompt":"p"}`, "text done", "text done")
		r := s.root("go")
		r.Settings = llm.Settings{Thinking: llm.ThinkingEnabled, ThinkingBudget: 4000, Effort: "high"}
		s.run()
		got := s.model.settings["main/1.1 1"]
		if got.Thinking != want || s.agent("main/1.1").Context().Thinking != (forks == "true") {
			t.Errorf("forks %s: thinking %v", forks, got.Thinking)
		}
		if forks == "true" && got != r.Settings {
			t.Errorf("a fork's settings are %+v", got)
		}
	}
}

func testToolChoice(t *testing.T) {
	for forks, want := range map[string]string{"true": "tool:Agent", "false": ""} {
		s := newStory(t)
		s.gates["FORK_SUBAGENT"] = forks
		s.script("main", `use Agent {"description":"d","prompt":"p"}`, "text done", "text done")
		s.root("go").Settings = llm.Settings{ToolChoice: "tool:Agent", Speed: "fast"}
		s.run()
		if got := s.model.settings["main/1.1 1"]; got.ToolChoice != want || got.Speed != "fast" {
			t.Errorf("forks %s: %+v", forks, got)
		}
	}
}
