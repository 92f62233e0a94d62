package recording

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"

	"github.com/zeebo/xxh3"
)

// Session is one recorded session: a main thread and what it spawned.
type Session struct {
	Format   string // of the recording: claude-code, raw-bodies, codex, tracelab, kv-cache-tester, rows
	Origin   string // repository or corpus it comes from; "" when unknown
	ID       string // the client's, or a hash of it
	Client   string // claude-code, codex; "" when unknown
	Files    []File
	Threads  []Thread  // a parent before its children
	Requests []Request // by Start; equal ones in the order of the recording
	Skipped  []Skip    // what was not understood or left out
	// BlockTokens is how many tokens a block of Request.Blocks has; 0 when the
	// recording names no blocks.
	BlockTokens int64
	Prices      *PriceFile `json:",omitempty"` // by which it is billed; nil for the table's
}

// PriceFile is a file of the user's own prices, as it was given.
type PriceFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// File is one file a session was read from.
type File struct {
	Name   string
	SHA256 string // hex
	Bytes  int64
}

// Skip is something a reader passed over, or took for what nothing says, counted.
type Skip struct {
	What  string // such as line of unknown type "bridge-session"
	Count int64
	File  string // where it was met first
	Line  int64  // from 1; 0 when it belongs to no line
	Taken bool   // it was read, and What says as what
}

// ThreadKind says how a thread came to be.
type ThreadKind uint8

// The kinds of threads.
const (
	Main     ThreadKind = iota
	SubAgent            // a conversation of its own
	Fork                // it went on from a copy of its parent's conversation
	Compact             // a request or more of the client's own, such as a fork that summarises its parent's conversation
)

func (k ThreadKind) String() string {
	return [...]string{"main", "subagent", "fork", "compact"}[k]
}

// Thread is one conversation of a session.
type Thread struct {
	Name   string // main, or the agent's id as recorded
	Kind   ThreadKind
	Type   string // the agent's type, such as Explore; "" when unknown
	Parent int32  // -1 for a main thread, and when unknown
	// SpawnedBy is the request whose answer spawned the thread, ToolUse the
	// recorded id of the tool use; -1 and "" when unknown.
	SpawnedBy int32
	ToolUse   string
	Async     bool // its spawner did not wait for it
	// Workflow is the run of a workflow that the thread belongs to; "" for none.
	Workflow string
	// CopiedHead is how many requests of its parent the recording of a fork
	// repeated; they are left out of Session.Requests.
	CopiedHead int
	// Partial is true where the recording leaves out the thread's last request, and its
	// thinking and text, as lines of progress do.
	Partial bool `json:"-"`
	// ToolTokens and SystemTokens are the sizes of the tool definitions and of the
	// system prompt; 0 when unknown.
	ToolTokens, SystemTokens int64
}

// Request is one call of the model.
type Request struct {
	ID      string // the API's message id, or a hash of it
	Thread  int32
	Pred    int32 // the request whose conversation it goes on from; -1 for a thread's first
	Model   string
	Version string // of the client; "" when unknown

	Start vtime.Instant // of the line that caused it: about when it was sent
	First vtime.Instant // of the answer's first line
	Last  vtime.Instant // of the answer's last line

	Usage llm.Usage
	// OutputKnown is false where the recording holds a placeholder of the stream's
	// beginning; Usage.Output is then a lower bound.
	OutputKnown bool
	// WritesKnown is false for an API that bills no writes; Usage.Input is then
	// all that was not read.
	WritesKnown bool
	// Billed is false where the recording holds no usage at all; Usage is then
	// the size of the prompt as Input.
	Billed bool

	UserTurn  bool // a message of the user caused it, not a tool's result
	Compacted bool // the first one after a compaction
	Stop      string
	// AnswerBlocks is how many content blocks the answer has; 0 when unknown. A
	// client that logs a line for each block tells it.
	AnswerBlocks int

	// Settings are those that lines tell, Told what they tell of what lies between
	// Pred and this request, in order.
	Settings Settings
	Told     []Told
	// Orphan is true where the request names one that it goes on from, and that one
	// is not in the recording: nobody knows what was left for it to read.
	Orphan bool

	// ServerMiss is the API's own diagnosis of a miss, such as tools_changed, and
	// ServerMissed how many tokens it names; "" and 0 when none was given.
	ServerMiss   string
	ServerMissed int64

	// Blocks are the ids of the prompt's blocks, in order, where the recording names
	// them: of its full blocks of Session.BlockTokens, or of all where BlockBytes has
	// the size of each.
	Blocks     []uint64
	BlockBytes []int64
	// Changed is where the prompt stops being a continuation of Pred's and what that
	// lets the cache lose, and which marks are others, as Differences says it, where the
	// recording holds the bodies of both; "" where Pred's stands in front of it whole.
	Changed string
	// Said is what the conversation gained since Pred, without that one's answer;
	// Answer is what the model answered. Both are nil without content.
	// Where Front is not nil, Said is the whole conversation, and Front are the tools
	// and system blocks before it.
	Front  []llm.Block
	Said   []llm.Msg
	Answer []llm.Block
	// Tools tells of the answer's tool uses, in order.
	Tools []ToolUse
}

// ByThread lists the requests of each thread in order, and says which of them each
// request is, from 0.
func (s *Session) ByThread() (of [][]int32, nth []int) {
	of, nth = make([][]int32, len(s.Threads)), make([]int, len(s.Requests))
	for i := range s.Requests {
		t := s.Requests[i].Thread
		nth[i] = len(of[t])
		of[t] = append(of[t], int32(i))
	}
	return of, nth
}

// ToolUse is one tool use of an answer and how it ended.
type ToolUse struct {
	ID      string // as recorded
	Name    string
	Spawned int32          // thread that it spawned; -1 for none
	Done    bool           // its result was recorded
	IsError bool           // of the result
	Bytes   int64          // of the result's text
	Took    vtime.Duration // from the tool use's line to its result's; 0 when unknown
}

// ToolUseID is the id under which a recorded tool use stands in content and events:
// a hash of the recorded one, so that equal ids stay equal; zero for none.
func ToolUseID(recorded string) (id llm.ToolUseID) {
	if recorded == "" {
		return id
	}
	sum := xxh3.HashString128(recorded).Bytes()
	copy(id[:], sum[:])
	if id == (llm.ToolUseID{}) {
		id[0] = 1
	}
	return id
}
