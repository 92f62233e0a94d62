package fork_test

import (
	"strings"
	"testing"

	"agentsim/sim/fork"
	"agentsim/sim/gate"
	"agentsim/sim/llm"
)

func TestConformance(t *testing.T) {
	t.Run("FRK-01 FRK-12 the gate, no coordinator and a person are all needed", testEnabled)
	t.Run("FRK-03 FRK-04 a fork's message answers each tool use with the fixed placeholder and ends with the directive", testMessage)
	t.Run("FRK-08 the directive opens with the boilerplate section, and a report that begins otherwise is found", testWording)
	t.Run("FRK-10 the notice names both directories, and says to translate paths and to read files again", testNotice)
	t.Run("FRK-09 the tag marks text blocks of user messages and nothing else", testMarks)
}

func testEnabled(t *testing.T) {
	for bits := range 16 {
		on := func(bit int) bool { return bits&(1<<bit) != 0 }
		g := gate.Set{ForkSubagent: on(0), CoordinatorMode: on(1), CoordinatorEnv: on(2)}
		if want := on(0) && !(on(1) && on(2)) && on(3); fork.NewMaker().Enabled(&g, on(3)) != want {
			t.Errorf("%+v interactive %v: want %v", g, on(3), want)
		}
	}
}

func block(k llm.Kind, id byte, text string) llm.Block {
	return llm.Block{Kind: k, ID: llm.ToolUseID{id}, Content: llm.NewText(llm.Prose, text)}
}

func testMessage(t *testing.T) {
	answer := &llm.Msg{Role: llm.Assistant, Blocks: []llm.Block{
		block(llm.Thinking, 0, "hm"), block(llm.Text, 0, "now"), block(llm.ToolUse, 1, "{}"), block(llm.ToolUse, 2, "{}")}}
	m := fork.NewMaker().Message(answer, "Look left.")
	if m.Role != llm.User || len(m.Blocks) != 3 {
		t.Fatalf("%+v", m)
	}
	for i, b := range m.Blocks[:2] {
		if b.Kind != llm.ToolResult || b.ID != (llm.ToolUseID{byte(i + 1)}) || b.IsError || b.Content.Raw() != "Fork started — processing in background" {
			t.Errorf("result %d: %+v", i, b)
		}
	}
	if d := m.Blocks[2]; d.Kind != llm.Text || !strings.HasSuffix(d.Content.Raw(), "FORK_DIRECTIVE: Look left.") {
		t.Errorf("directive: %q", d.Content.Raw())
	}
}

func testNotice(t *testing.T) {
	m := fork.NewMaker()
	b := m.Notice("/work/project", "/work/trees/a")
	text := b.Content.Raw()
	for _, want := range []string{"/work/project", "/work/trees/a", "translate", "read a file again"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if b.Kind != llm.Text || m.IsForkMessage(&llm.Msg{Role: llm.User, Blocks: []llm.Block{b}}) {
		t.Error("the notice is no text, or it alone makes a fork")
	}
}

func testWording(t *testing.T) {
	m := fork.NewMaker().Message(&llm.Msg{Role: llm.Assistant}, "x")
	text := m.Blocks[0].Content.Raw()
	if !strings.HasPrefix(text, "<fork-boilerplate>\n") || !strings.HasSuffix(text, "</fork-boilerplate>\n\nFORK_DIRECTIVE: x") {
		t.Error(text)
	}
	at := 0
	for _, heading := range []string{"\nScope:", "\nResult:", "\nKey files:", "\nFiles changed:", "\nIssues:"} {
		i := strings.Index(text, heading)
		if i < at {
			t.Errorf("%q stands at %d, behind %d", heading, i, at)
		}
		at = i
	}
	for report, want := range map[string]string{"Scope: look left\nResult: found": "look left", "Scope:x": "x"} {
		if scope, ok := fork.Report(report); !ok || scope != want {
			t.Errorf("%q: %q, %v", report, scope, ok)
		}
	}
	for _, report := range []string{"", "Sure. Scope: x", " Scope: x", "scope: x"} {
		if _, ok := fork.Report(report); ok {
			t.Errorf("%q passes for a report", report)
		}
	}
}

func testMarks(t *testing.T) {
	for _, c := range []struct {
		role llm.Role
		kind llm.Kind
		want bool
	}{
		{llm.User, llm.Text, true}, {llm.Assistant, llm.Text, false}, {llm.User, llm.ToolResult, false}, {llm.Assistant, llm.ToolUse, false},
	} {
		m := &llm.Msg{Role: c.role, Blocks: []llm.Block{block(llm.Text, 0, "other"), block(c.kind, 1, "a "+fork.Tag+" b")}}
		if fork.NewMaker().IsForkMessage(m) != c.want {
			t.Errorf("%v %v: want %v", c.role, c.kind, c.want)
		}
	}
}
