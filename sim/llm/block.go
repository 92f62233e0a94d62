package llm

import "encoding/binary"

// Level is the part of a request that a block stands in, in the cache's order.
type Level uint8

// The levels, in order.
const (
	Tools Level = iota
	System
	Messages
)

func (l Level) String() string { return [...]string{"tools", "system", "messages"}[l] }

// Role says who speaks in a message.
type Role uint8

// The roles.
const (
	NoRole Role = iota // tools and system blocks
	User
	Assistant
	Operator // a message of role system among the others (CACHE-33)
)

func (r Role) String() string { return [...]string{"", "user", "assistant", "system"}[r] }

// Kind is the type of a block.
type Kind uint8

// The kinds of blocks.
const (
	ToolDef Kind = iota + 1
	Text
	Thinking
	ToolUse
	ToolResult
	Image
	Document
	ServerToolUse    // of a tool that the API runs itself (CACHE-27)
	ServerToolResult // what that tool answered, in the assistant's own message
	ToolAddition     // offers a tool from here on (CACHE-33, CACHE-34)
	ToolRemoval      // takes one away
	ToolReference    // a deferred tool that a search found, with its definition
	EffortChange     // another effort from this message on
	Passing          // an operator's text that the next user message clears
	Opaque           // of a type that is not known here, as it is written
)

var kindNames = [...]string{"", "tool", "text", "thinking", "tool_use", "tool_result", "image", "document",
	"server_tool_use", "server_tool_result", "tool_addition", "tool_removal", "tool_reference", "effort", "passing_text", "opaque"}

func (k Kind) String() string { return kindNames[k] }

// Block is one content block, system block or tool definition. The fields that
// a kind does not name are zero.
type Block struct {
	Kind    Kind
	IsError bool      // ToolResult
	ID      ToolUseID // ToolUse, ServerToolUse: its id; their results: the id they answer; Thinking: see Bind
	Name    string    // the tool's wire name; of a ToolDef informative (its bytes hold it already)
	// Content is the text of Text, Passing, Thinking and ToolResult, the effort of
	// EffortChange, and raw JSON of the others: a use's input, a server tool's
	// result, a definition (ToolDef, ToolReference), a source (Image, Document) and
	// the tool that ToolAddition and ToolRemoval name or define. A payload of NewWhole
	// holds the block's whole JSON beside.
	Content *Payload
}

// Bind signs a Thinking block for the place it was made at: said is Node.Said of
// the block before it (CACHE-35). The signature stands in no bytes; it takes the
// room of the id that such a block does not have.
func (b *Block) Bind(said uint64) { binary.BigEndian.PutUint64(b.ID[:8], said) }

// bound is what a Thinking block was bound to, 0 for nothing.
func (b *Block) bound() uint64 { return binary.BigEndian.Uint64(b.ID[:8]) }

// Msg is one message of a persistent list, newest last. It is the structured
// form that stands beside the chain of Nodes; the chain can be rendered from it
// again.
type Msg struct {
	Prev   *Msg
	Role   Role
	Blocks []Block
}

// FormVersion is the version of the canonical form; it is part of every hash.
const FormVersion = 1

// form is the canonical JSON of a kind of block, but for its content, as the text
// between the parts that differ: id and name where the kind has them, then content.
type form struct{ open, afterID, afterName, end string }

// forms by kind. What is in quotes is a text, else raw JSON as given. A string
// content and a list of one text block are the same form.
var forms = [...]form{
	ToolDef:          {},
	Text:             {`{"type":"text","text":"`, "", "", `"}`},
	Thinking:         {`{"type":"thinking","thinking":"`, "", "", `"}`},
	ToolUse:          {`{"type":"tool_use","id":"`, `","name":"`, `","input":`, `}`},
	ToolResult:       {`{"type":"tool_result","tool_use_id":"`, `","content":"`, "", `"}`},
	Image:            {`{"type":"image","source":`, "", "", `}`},
	Document:         {`{"type":"document","source":`, "", "", `}`},
	ServerToolUse:    {`{"type":"server_tool_use","id":"srv`, `","name":"`, `","input":`, `}`},
	ServerToolResult: {`_tool_result","tool_use_id":"srv`, `","content":`, "", `}`}, // behind the tool's name
	ToolAddition:     {`{"type":"tool_addition","tool":`, "", "", `}`},
	ToolRemoval:      {`{"type":"tool_removal","tool":`, "", "", `}`},
	ToolReference:    {`{"type":"tool_reference","tool":`, "", "", `}`},
	EffortChange:     {`{"type":"effort","effort":"`, "", "", `"}`},
	Passing:          {`{"type":"text","text":"`, "", "", `","clear_at":"next_user_message"}`},
	Opaque:           {},
}

// Opening is how the JSON of a block that is not kept whole begins, "" where it has no
// form; of a server tool's result what follows the tool's name.
func (k Kind) Opening() string { return forms[k].open }

// AppendJSON appends the block's canonical JSON. A block that has more parts than
// its form stands there whole (NewWhole).
func (b *Block) AppendJSON(dst []byte) []byte {
	if b.Content.whole {
		return append(dst, b.Content.esc...)
	}
	f := &forms[b.Kind]
	if b.Kind == ServerToolResult {
		dst = append(append(dst, `{"type":"`...), escape(b.Name)...)
	}
	dst = append(dst, f.open...)
	if f.afterID != "" {
		dst = append(b.ID.AppendText(dst), f.afterID...)
	}
	if f.afterName != "" {
		dst = append(append(dst, escape(b.Name)...), f.afterName...)
	}
	dst = append(dst, b.Content.esc...)
	if b.IsError {
		return append(dst, `","is_error":true}`...)
	}
	return append(dst, f.end...)
}

// The weight of the words that a provider wraps around a block, in frames. A
// tool use and its result together weigh about fifteen times a text block
// (measured on the recordings that sim/llm/tokens names).
const (
	textFrames       = 1
	toolUseFrames    = 12
	toolResultFrames = 3
)

// Measure is the block's content and its frames.
func (b *Block) Measure() Measure {
	m := b.Content.measure
	switch b.Kind {
	case ToolUse, ServerToolUse:
		m.Frames = toolUseFrames
		m.Bytes[JSON] += uint32(len(b.Name))
	case ToolResult, ServerToolResult:
		m.Frames = toolResultFrames
	default:
		m.Frames = textFrames
	}
	return m
}
