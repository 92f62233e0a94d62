package lint

import (
	"slices"

	"agentsim/sim/llm"
	"agentsim/sim/mark"
	"agentsim/sim/vtime"
)

// Run is what was said and done in a run.
type Run struct {
	Agents []Agent // by ordinal
	Calls  []Call  // in the order of their requests
	Work   *Work   // nil of a recording, which has no scenario
	End    vtime.Instant
}

// Agent is one agent with all its activations.
type Agent struct {
	Lineage   string // such as main/12.3
	ID        string // what others call it: in SendMessage, in notifications
	Type      string
	Structure string   // root, subagent or fork
	Parent    int32    // ordinal; -1 for a root
	Tools     []string // names in its pool; nil when not known
	Place     int32    // 0 in the project's directory; others are in one place with an equal number
	Spans     []Activation
}

// Activation is a time in which an agent was at work, and the id of the tool use
// that brought it about: that spawned the agent, or that wrote to it.
type Activation struct {
	Span
	ToolUse string
}

// Span is a stretch of time.
type Span struct{ From, To vtime.Instant }

// meets reports whether two spans have more than an end in common.
func (s Span) meets(o Span) bool { return s.From < o.To && o.From < s.To }

// holds reports whether an instant lies inside.
func (s Span) holds(t vtime.Instant) bool { return s.From <= t && t < s.To }

// Call is a request that was answered, with what was new in it.
type Call struct {
	N      int64 // number in the run, from 1
	Agent  int32
	Call   int // the agent's own number for it, from 0
	Span       // from the request to the last byte of its answer
	Said   []Block
	Answer []Block
	Tools  []ToolUse // of the answer, in order
	User   bool      // a message of the user stands in Said
}

// Block is one block of a message.
type Block struct {
	Pos     int32 // position in the conversation, from 1
	Role    string
	Kind    string
	Name    string // of a tool use
	ToolUse string // id of a tool use, or of the one that a result answers
	Text    string
	IsError bool
	Unknown bool // the record holds its size and nothing of its content
}

// told reports whether one of the blocks is known.
func told(blocks []Block) bool {
	return slices.ContainsFunc(blocks, func(b Block) bool { return !b.Unknown })
}

// is reports whether the block is of a kind and known.
func (b *Block) is(k llm.Kind) bool { return b.Kind == k.String() && !b.Unknown }

// ToolUse is one tool use and when it ran.
type ToolUse struct {
	ID, Name string
	Span
	Done, IsError bool
}

// Work is what the scenario of a simulated run says of its work.
type Work struct {
	Marks mark.Key
	Items []Item
	Facts []Fact
	Tests []string // commands that test the project
}

// Item is one item of work.
type Item struct {
	ID, Kind string
	Needs    []string // facts; file:<path> and gist:<path> for a file
	Files    []string // that it edits, as far as they are named; of a verification those that it verifies
	After    []string // implementations: of a verification those that it verifies, of research those that it follows
}

// Fact is a piece of knowledge and the file that it stands in; "" for none.
type Fact struct{ Name, File string }

// item finds an item of work by its id.
func (w *Work) item(id string) *Item {
	i := slices.IndexFunc(w.Items, func(it Item) bool { return it.ID == id })
	if i < 0 {
		return nil
	}
	return &w.Items[i]
}
