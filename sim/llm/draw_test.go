package llm

import (
	"fmt"

	"pgregory.net/rapid"

	"agentsim/sim/rng"
)

// drawText draws text with everything that needs escaping or measuring.
func drawText(t *rapid.T, label string) string {
	return rapid.StringOf(rapid.RuneFrom([]rune("ab z09\"\\/\b\f\n\r\t\x00\x1f\x7f<>&\u2028é中ｱ한😀\uFFFD{}[],:"))).Draw(t, label)
}

// rawInputs are JSON objects in spellings that differ only in their bytes.
var rawInputs = []string{`{}`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `{ "a" : 1 }`, "{\"a\":[1,{\"c\":\"]}\\\"\"}],\n\"d\":null}", `{"u":"\u00e9"}`, `{"u":"é"}`}

func drawRaw(t *rapid.T) *Payload {
	return NewJSON(rapid.SampledFrom(rawInputs).Draw(t, "raw"))
}

// piece is one step of building a conversation: a border or a block.
type piece struct {
	border Level // System or Messages; else 0
	role   Role
	blk    *Block
}

// drawPieces draws tools, system blocks and messages of every kind. Roles come
// in any order; what the API would refuse is part of it.
func drawPieces(t *rapid.T) (out []piece) {
	for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
		raw := fmt.Sprintf(`{"name":"T%d", "input_schema":%s}`, i, drawRaw(t).Raw())
		out = append(out, piece{blk: &Block{Kind: ToolDef, Name: fmt.Sprint("T", i), Content: NewJSON(raw)}})
	}
	out = append(out, piece{border: System})
	for range rapid.IntRange(0, 3).Draw(t, "system") {
		out = append(out, piece{blk: &Block{Kind: Text, Content: NewText(Prose, drawText(t, "system text"))}})
	}
	out = append(out, piece{border: Messages})
	for range rapid.IntRange(0, 12).Draw(t, "blocks") {
		role := rapid.SampledFrom([]Role{User, Assistant, Operator}).Draw(t, "role")
		out = append(out, piece{role: role, blk: drawBlock(t)})
	}
	return out
}

func drawBlock(t *rapid.T) *Block {
	b := &Block{Kind: rapid.SampledFrom([]Kind{Text, Thinking, ToolUse, ToolResult, Image, Document, ServerToolUse, ServerToolResult,
		ToolAddition, ToolRemoval, ToolReference, EffortChange, Passing}).Draw(t, "kind")}
	switch b.Kind {
	case ToolUse, ToolResult, ServerToolUse, ServerToolResult:
		b.ID = NewToolUseID(rng.Root(rapid.Uint64Range(0, 9).Draw(t, "id")))
	}
	switch b.Kind {
	case ToolUse, ServerToolUse:
		b.Name = rapid.SampledFrom([]string{"Read", "mcp__x__y", `odd "name"`}).Draw(t, "name")
		b.Content = drawRaw(t)
	case ServerToolResult:
		b.Name = rapid.SampledFrom([]string{"web_search", "code_execution"}).Draw(t, "name")
		b.Content = drawRaw(t)
	case Image, Document, ToolAddition, ToolRemoval, ToolReference:
		b.Content = drawRaw(t)
	default:
		b.Content = NewText(Prose, drawText(t, "text"))
		b.IsError = b.Kind == ToolResult && rapid.Bool().Draw(t, "error")
	}
	return b
}

// nodesOf builds the chain of the pieces and returns all its nodes.
func nodesOf(b *Builder, s Scope, salts Salts, pieces []piece) []*Node {
	nodes := []*Node{b.Root(s, salts)}
	for _, p := range pieces {
		last := nodes[len(nodes)-1]
		if p.border != 0 {
			nodes = append(nodes, b.Border(last, p.border, salts))
			continue
		}
		nodes = append(nodes, b.Append(last, p.role, p.blk))
	}
	return nodes
}

// drawChain draws pieces and builds them in the test's scope.
func drawChain(t *rapid.T, b *Builder) []*Node {
	return nodesOf(b, testScope, testSalts, drawPieces(t))
}

var (
	testScope = Scope{Organisation: "org", Workspace: "ws", Model: "claude-sonnet-4-6"}
	testSalts = Salts{Root: 1, System: 2, Messages: 3}
)

func head(nodes []*Node) *Node { return nodes[len(nodes)-1] }
