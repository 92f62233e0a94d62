package llm

import "strconv"

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
)

func (r Role) String() string { return [...]string{"", "user", "assistant"}[r] }

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
)

var kindNames = [...]string{"", "tool", "text", "thinking", "tool_use", "tool_result", "image", "document"}

func (k Kind) String() string { return kindNames[k] }

// Block is one content block, system block or tool definition. The fields that
// a kind does not name are zero.
type Block struct {
	Kind    Kind
	IsError bool      // ToolResult
	ID      ToolUseID // ToolUse: its id; ToolResult: the id it answers
	Name    string    // ToolUse: the tool's wire name; ToolDef: likewise, informative (its bytes hold it already)
	// Content is the text of Text, Thinking and ToolResult, the raw JSON input of
	// ToolUse, the raw JSON definition of ToolDef, the raw JSON source of Image
	// and Document.
	Content *Payload
}

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

// appendJSON appends the block's canonical JSON. Key order per kind:
//
//	tool         the definition as given
//	text         type, text
//	thinking     type, thinking
//	tool_use     type, id, name, input (as given)
//	tool_result  type, tool_use_id, content (a string), is_error (only when true)
//	image, document  type, source (as given)
//
// A string content and a list of one text block are the same form.
func (b *Block) appendJSON(dst []byte) []byte {
	switch b.Kind {
	case ToolDef:
		return append(dst, b.Content.esc...)
	case Text:
		dst = append(dst, `{"type":"text","text":"`...)
		dst = append(dst, b.Content.esc...)
		return append(dst, `"}`...)
	case Thinking:
		dst = append(dst, `{"type":"thinking","thinking":"`...)
		dst = append(dst, b.Content.esc...)
		return append(dst, `"}`...)
	case ToolUse:
		dst = append(dst, `{"type":"tool_use","id":"`...)
		dst = b.ID.AppendText(dst)
		dst = append(dst, `","name":"`...)
		dst = append(dst, escape(b.Name)...)
		dst = append(dst, `","input":`...)
		dst = append(dst, b.Content.esc...)
		return append(dst, '}')
	case ToolResult:
		dst = append(dst, `{"type":"tool_result","tool_use_id":"`...)
		dst = b.ID.AppendText(dst)
		dst = append(dst, `","content":"`...)
		dst = append(dst, b.Content.esc...)
		if b.IsError {
			return append(dst, `","is_error":true}`...)
		}
		return append(dst, `"}`...)
	case Image, Document:
		dst = append(dst, `{"type":"`...)
		dst = append(dst, b.Kind.String()...)
		dst = append(dst, `","source":`...)
		dst = append(dst, b.Content.esc...)
		return append(dst, '}')
	}
	panic("llm: block of unknown kind " + strconv.Itoa(int(b.Kind)))
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
	case ToolUse:
		m.Frames = toolUseFrames
		m.Bytes[JSON] += uint32(len(b.Name))
	case ToolResult:
		m.Frames = toolResultFrames
	default:
		m.Frames = textFrames
	}
	return m
}
