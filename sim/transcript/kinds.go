package transcript

import (
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Kind names a kind of event.
type Kind uint8

// The kinds, in the order in which a reader meets them.
const (
	KindRunStart Kind = iota + 1
	KindAgentStart
	KindStage
	KindRequest
	KindResponse
	KindAPIError
	KindToolCall
	KindToolResult
	KindPermission
	KindStateWrite
	KindListener
	KindAbort
	KindTask
	KindNotification
	KindWakeUp
	KindUserMessage
	KindRebase
	KindReplace
	KindGate
	KindFinding
	KindItem
	KindAgentEnd
	KindRunEnd
)

// RunStart opens a run.
type RunStart struct {
	Scenario, Variant string
	Seed              uint64
	Policy            string // scheduling policy
	Spec              string // hex SHA-256 of the effective spec, files included
	Semantics         int    // version of what runs mean
}

// AgentStart is a new agent, or a new activation of one.
type AgentStart struct {
	ID         llm.AgentID
	Lineage    string // "main", "main/12.3"
	Parent     int32  // ordinal of the parent, -1 for a root
	Type       string // definition's name: "main", "general-purpose", "Explore", "fork"
	Structure  string // root, subagent, fork
	Model      string
	Depth      int
	Chain      uint64 // query chain id
	PoolMode   string
	RunMode    string
	Async      bool
	Source     string // query source, such as agent:builtin:fork
	Activation int
	Tools      []string      // wire names in the pool, in order
	ToolUse    llm.ToolUseID // the call that spawned it; zero for a root
	Context    ContextFacts
}

// ContextFacts is what the isolated context was made with (ISO).
type ContextFacts struct {
	FileCache     string // empty, cloned, own
	FilesKnown    int
	Abort         string // root, linked, unlinked
	SetAppState   string // root, shared, no-op
	AvoidPrompts  bool
	Replacements  int      // content-replacement decisions it started with
	Thinking      bool     // thinking on
	UserContext   []string // names of user-context parts present, such as claudeMd, date
	SystemContext []string // likewise for system context, such as gitStatus
}

// Stage is one of the five stages of a spawn (SUB-06).
type Stage struct {
	Lineage string // of the child to be
	N       int    // 1 type, 2 pool, 3 prompt, 4 context, 5 branch
	Name    string
	Detail  string
}

// Request is a call of the model, sent.
type Request struct {
	Call, Attempt   int
	Head            *llm.Node // its hash stands in the text
	Model           string
	Breakpoints     []llm.Breakpoint
	Automatic       bool
	Expect          *llm.Expectation // not in the text
	InvokingRequest llm.ToolUseID    // only on the first after a spawn or resume (SUB-15)
}

// Response is the answer, complete.
type Response struct {
	Call, Attempt int
	Resp          *llm.Response
	Head          *llm.Node // the conversation with the answer appended
	Model         string
}

// APIError is a call that failed.
type APIError struct {
	Call, Attempt int
	Err           *llm.APIError
	RetryIn       vtime.Duration // 0 when it is not retried
	GivesUp       bool
	Model         string
}

// ToolCall is a tool use, about to run.
type ToolCall struct {
	Call, Index int
	ID          llm.ToolUseID
	Name        string
	Input       llm.Hash // identity of the input's bytes
}

// ToolResult is a tool use, done.
type ToolResult struct {
	Call, Index int
	ID          llm.ToolUseID
	Name        string
	IsError     bool
	RemovedBy   string // for a call outside the pool: the filter layer that removed it (FLT-09)
	Bytes       int    // of the result's text
	Took        vtime.Duration
}

// Permission is a decision about a tool use.
type Permission struct {
	Tool, Mode, Decision, Why string
}

// StateWrite is an attempt to write application state.
type StateWrite struct {
	Field  string
	Effect string // applied, no-op, root
}

// Listener is an abort listener added to or removed from another agent.
type Listener struct {
	Op string // add, remove
	On int32
}

// Abort is the instant at which an agent's controller fired.
type Abort struct {
	Target int32
	Why    string // user-interrupt, parent, task-stop, kill-agents, limit
}

// Task is a change of a task's state.
type Task struct {
	ID         string
	Type       string
	From, To   string
	Activation int
}

// Notification is a task notification on its way.
type Notification struct {
	TaskID     string
	Op         string // queued, delivered, dropped
	Place      string // loop (after tool results), idle (wakes the parent)
	Status     string
	Activation int
	Bytes      int
}

// WakeUp is an idle agent that goes on.
type WakeUp struct {
	Why    string // notification, user
	Prefix int64  // tokens of the prefix it wakes at
}

// UserMessage is a message of the user's script.
type UserMessage struct{ Bytes int }

// Rebase is a history whose bytes were made anew: what stood before no longer
// is a prefix of what is sent.
type Rebase struct {
	Why      string // settings, model, re-render
	Position int32  // first position that changed; 0 at a border
}

// Replace is a decision of content replacement (LOOP-11).
type Replace struct {
	ID       llm.ToolUseID
	From, To int // bytes
}

// Gate is a gate that flipped.
type Gate struct{ Name, Value string }

// Finding is something that a reader should know and that is no error.
type Finding struct{ Rule, Detail string }

// Item is a work item's outcome as an agent reported it.
type Item struct {
	Item    string
	Outcome string // done, rework, failed, wrong
	Missing []string
	Rereads map[string]int // further reads by cause: lazy, stale, compaction, truncated; not in the text when empty
}

// AgentEnd is an agent's end, or the end of an activation.
type AgentEnd struct {
	Status   string // completed, failed, killed, max_turns
	Why      string
	Turns    int
	ToolUses int
	Own      llm.Usage // consumed by its own calls
	Rolled   llm.Usage // consumed by it and all its descendants so far
}

// RunEnd closes a run.
type RunEnd struct {
	Outcome string // completed, limit, deadlock, interrupted
	Detail  string
}
