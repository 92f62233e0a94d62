package llm

import "strings"

// Features are parts of a request that only some models take, as a set. Each of
// the first five changes what the model is told or offered without a change of
// what was sent before, so that the cached prefix stays (CACHE-33).
type Features uint8

// The features.
const (
	OperatorMessage Features = 1 << iota // a message of role system among the others
	ClearedMessage                       // such a message with clear_at next_user_message
	ToolChange                           // tool_addition and tool_removal blocks
	FoundTool                            // a deferred tool, by tool_reference
	MessageEffort                        // another effort from one message on
	InlineTool                           // a tool_addition that defines its tool (CACHE-34)
	// Misbound says that a thinking block stands behind another prefix than the
	// one it was made behind (CACHE-35). No model takes that.
	Misbound
)

var featureNames = [...]string{"messages with role system", "clear_at", "tool_addition and tool_removal", "tool_reference",
	"effort of one message", "tool definitions in messages", "moved thinking blocks"}

// String names the features of the set, separated by commas.
func (f Features) String() string {
	var names []string
	for i, name := range featureNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// needs is what one block needs a model to take.
func needs(role Role, b *Block) Features {
	var f Features
	if role == Operator {
		f = OperatorMessage
	}
	switch b.Kind {
	case ToolAddition:
		f |= ToolChange
		if b.definesTool() {
			f |= InlineTool
		}
	case ToolRemoval:
		f |= ToolChange
	case ToolReference:
		f |= FoundTool
	case EffortChange:
		f |= MessageEffort
	case Passing:
		f |= ClearedMessage
	}
	return f
}

// definesTool reports whether a ToolAddition holds a whole definition and not
// just the name of a tool that the request has.
func (b *Block) definesTool() bool { return strings.Contains(b.Content.raw, `"tool_definition"`) }

// ToolsInlineOnly reports whether a conversation's only tools are defined in its
// messages. Such a request has Settings.ToolsInline: its first definition brings
// in what the API says about tools at the very front (CACHE-34).
func ToolsInlineOnly(head *Node) bool { return head.Uses&InlineTool != 0 && !head.HasTools }

// Toolset appends the tools that one mcp_toolset entry of a request expands to,
// at the tools level, and returns the last one. A cache_control on the entry
// lands there (CACHE-11). An entry without tools adds nothing and gives nil.
func (b *Builder) Toolset(parent *Node, tools []Block) (head, last *Node) {
	head = parent
	for i := range tools {
		last = b.Append(head, NoRole, &tools[i])
		head = last
	}
	return head, last
}

// Clear is the conversation that ends with n as the model sees it: without the
// operator's texts that a user message behind them has cleared. The part of it
// before the first such text is n's own; what follows is made again, so the cache
// holds the former and not the latter. Results of tools are no user message here.
func (b *Builder) Clear(n *Node) *Node {
	if n == nil || n.Uses&ClearedMessage == 0 {
		return n
	}
	head, _ := b.clear(n, false)
	return head
}

// clear makes n's chain again; spoken says that the user has spoken behind n.
func (b *Builder) clear(n *Node, spoken bool) (head *Node, changed bool) {
	if n.Uses&ClearedMessage == 0 {
		return n, false
	}
	user := spoken || n.Role == User && n.Block.Kind != ToolResult
	parent, changed := b.clear(n.Parent, user)
	switch {
	case n.IsBorder():
		return n, false
	case n.Block.Kind == Passing && spoken:
		return parent, true
	case !changed:
		return n, false
	}
	return b.Append(parent, n.Role, n.Block), true
}
