package llm

import (
	"bytes"
	"testing"
)

// TestFeatures holds what stands in a conversation's middle against what stood
// there before.
func TestFeatures(t *testing.T) {
	t.Run("CACHE-33 an operator's message, a tool change, a found tool and an effort append to the prefix and are noted on it", appended)
	t.Run("CACHE-33 a text with clear_at leaves the conversation behind the next user message, and the part before it stays", cleared)
	t.Run("CACHE-33 an operator speaks behind the user or a server tool's result, and then the assistant", operatorsTurn)
	t.Run("CACHE-34 a conversation whose only tools are defined in its messages has another root", inlineOnly)
	t.Run("CACHE-11 a toolset's entry stands for the last of its tools, and an empty one for none", toolset)
	t.Run("CACHE-35 a thinking block behind another text than it was made behind is noted, whatever the settings", bound)
}

// talk is a conversation up to a user's first message.
func talk(b *Builder, tools bool) *Node {
	n := b.Root(testScope, testSalts)
	if tools {
		n = b.Append(n, NoRole, &Block{Kind: ToolDef, Content: NewJSON(`{"name":"Read"}`)})
	}
	n = b.Border(b.Border(n, System, testSalts), Messages, testSalts)
	return b.Append(n, User, words("Hello."))
}

func words(s string) *Block { return &Block{Kind: Text, Content: NewText(Prose, s)} }

func appended(t *testing.T) {
	for want, blk := range map[Features]*Block{
		OperatorMessage:                           words("Be brief."),
		OperatorMessage | ClearedMessage:          {Kind: Passing, Content: NewText(Prose, "Now.")},
		OperatorMessage | ToolChange:              {Kind: ToolRemoval, Content: NewJSON(`{"type":"tool_reference","name":"Read"}`)},
		OperatorMessage | MessageEffort:           {Kind: EffortChange, Content: NewText(Prose, "low")},
		OperatorMessage | ToolChange | InlineTool: {Kind: ToolAddition, Content: NewJSON(`{"type":"tool_definition","definition":{}}`)},
	} {
		var b Builder
		before := talk(&b, true)
		n := b.Append(before, Operator, blk)
		if n.Uses != want || before.Uses != 0 {
			t.Errorf("%v: noted %v", blk.Kind, n.Uses)
		}
		if !bytes.HasPrefix(AppendPrefix(nil, n), AppendPrefix(nil, before)) {
			t.Errorf("%v changes what stood before it", blk.Kind)
		}
		if later := b.Append(n, Assistant, words("Yes.")); later.Uses != want {
			t.Errorf("%v is forgotten behind it", blk.Kind)
		}
	}
	var b Builder
	if n := b.Append(talk(&b, true), User, &Block{Kind: ToolReference, Content: NewJSON(`{"name":"Grep"}`)}); n.Uses != FoundTool {
		t.Errorf("a found tool is noted as %v", n.Uses)
	}
}

func cleared(t *testing.T) {
	var b Builder
	before := talk(&b, false)
	passing := b.Append(before, Operator, &Block{Kind: Passing, Content: NewText(Prose, "Only now.")})
	answer := b.Append(passing, Assistant, words("Done."))
	result := b.Append(answer, User, &Block{Kind: ToolResult, Content: NewText(Prose, "A result.")})
	if b.Clear(answer) != answer || b.Clear(result) != result {
		t.Error("the text is cleared before the user has spoken")
	}
	next := b.Append(answer, User, words("And then?"))
	got, want := b.Clear(next), b.Append(b.Append(before, Assistant, words("Done.")), User, words("And then?"))
	if got.Hash != want.Hash || got.Bytes != want.Bytes || got.Uses&ClearedMessage != 0 {
		t.Errorf("cleared, the conversation is\n%s", AppendPrefix(nil, got))
	}
	if got.Parent.Parent != before {
		t.Error("the part before the text was made anew")
	}
	if b.Clear(before) != before {
		t.Error("a conversation without such a text was made anew")
	}
}

func operatorsTurn(t *testing.T) {
	var b Builder
	user := talk(&b, false)
	op := b.Append(user, Operator, words("Be brief."))
	said := b.Append(op, Assistant, words("Yes."))
	use := b.Append(user, Assistant, &Block{Kind: ServerToolUse, Name: "web_search", Content: NewJSON(`{}`)})
	found := b.Append(use, Assistant, &Block{Kind: ServerToolResult, Name: "web_search", Content: NewJSON(`[]`)})
	for _, n := range []*Node{op, said, found, b.Append(found, Operator, words("Go on."))} {
		if err := WellFormedSince(n, nil); err != nil {
			t.Errorf("%s: %v", AppendPrefix(nil, n), err)
		}
	}
	border := user.Parent
	for _, n := range []*Node{
		b.Append(op, User, words("More.")), b.Append(said, Operator, words("More.")), b.Append(border, Operator, words("First.")),
		b.Append(user, Operator, &Block{Kind: ToolUse, Content: NewJSON(`{}`)}),
		b.Append(user, User, &Block{Kind: EffortChange, Content: NewText(Prose, "low")}),
		b.Append(user, Assistant, &Block{Kind: ServerToolResult, Name: "web_search", Content: NewJSON(`[]`)}),
	} {
		if WellFormedSince(n, nil) == nil {
			t.Errorf("accepted: %s", AppendPrefix(nil, n))
		}
	}
}

func inlineOnly(t *testing.T) {
	defines := &Block{Kind: ToolAddition, Content: NewJSON(`{"type":"tool_definition","definition":{}}`)}
	for _, tools := range []bool{true, false} {
		var b Builder
		if n := b.Append(talk(&b, tools), Operator, defines); ToolsInlineOnly(n) == tools {
			t.Errorf("with tools of the request %v: inline only is %v", tools, tools)
		}
	}
	with, without := Settings{ToolsInline: true}.Salts(SaltRules{}), Settings{}.Salts(SaltRules{})
	if with.Root == without.Root || with.System != without.System || with.Messages != without.Messages {
		t.Errorf("salts %+v and %+v", with, without)
	}
}

func toolset(t *testing.T) {
	var b Builder
	root := b.Root(testScope, testSalts)
	tools := []Block{{Kind: ToolDef, Content: NewJSON(`{"name":"a"}`)}, {Kind: ToolDef, Content: NewJSON(`{"name":"b"}`)}}
	head, last := b.Toolset(root, tools)
	if last != head || last.Block != &tools[1] || last.Pos != 2 {
		t.Errorf("the entry stands for position %d", last.Pos)
	}
	if head, last := b.Toolset(root, nil); head != root || last != nil {
		t.Error("an entry without tools stands for a block")
	}
}

func bound(t *testing.T) {
	think := func(b *Builder, first string, salts Salts, bound uint64) *Node {
		n := b.Border(b.Border(b.Root(testScope, salts), System, salts), Messages, salts)
		n = b.Append(n, User, words(first))
		if bound == 0 {
			bound = n.Said
		}
		thought := &Block{Kind: Thinking, Content: NewText(Prose, "Hm.")}
		thought.Bind(bound)
		return b.Append(n, Assistant, thought)
	}
	b := &Builder{Binds: true}
	made := think(b, "Hello.", testSalts, 0)
	key := made.Block.bound()
	if made.Uses&Misbound != 0 || key == 0 {
		t.Fatal("a block is not bound to where it was made")
	}
	if think(b, "Hello.", Salts{Root: 9}, key).Uses&Misbound != 0 {
		t.Error("other settings move it")
	}
	edited := think(b, "Hullo.", testSalts, key)
	if edited.Uses&Misbound == 0 || b.Append(edited, Assistant, words("So.")).Uses&Misbound == 0 {
		t.Error("an edit before it goes unnoticed")
	}
	if n := think(&Builder{}, "Hullo.", testSalts, key); n.Said != 0 || n.Uses != 0 {
		t.Error("a builder that binds nothing does")
	}
}
