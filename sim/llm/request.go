package llm

import (
	"agentsim/sim/rng"
	"agentsim/sim/vtime"
)

// TTL is the lifetime asked for at a breakpoint.
type TTL uint8

// The two lifetimes; the zero value is the default.
const (
	TTL5m TTL = iota
	TTL1h
)

// Duration is the lifetime.
func (t TTL) Duration() vtime.Duration {
	if t == TTL1h {
		return vtime.Hour
	}
	return 5 * vtime.Minute
}

func (t TTL) String() string { return [...]string{"5m", "1h"}[t] }

// Marks are the marked positions from a call on: from 1, or from the last block, -1.
type Marks struct {
	FromCall int   `yaml:"from_call"`
	At       []int `yaml:"at"`
}

// Breakpoint is one cache_control marker.
type Breakpoint struct {
	Node *Node
	TTL  TTL
	// Batch, unless 0, numbers the batch of computer or browser actions that the
	// block belongs to: markers of one batch act as one breakpoint, at the last of
	// them, and each counts (CACHE-11).
	Batch uint8
}

// Counts gives token counts of prefixes for one model and one request's
// settings. At is the number of tokens of the prefix that ends with n, hidden
// tokens included; it never decreases along a chain. Err is how far At may be
// off, in tokens; 0 for exact counts.
type Counts interface {
	At(n *Node) int64
	Err(n *Node) int64
}

// Request is one call of the model as the client sends it.
type Request struct {
	Model       string // dated or undated model id, already resolved
	Head        *Node  // the last block
	Settings    Settings
	MaxTokens   int64
	Breakpoints []Breakpoint // explicit markers in order, at most 4
	Automatic   bool         // top-level cache_control: a breakpoint on the last cacheable block
	AutoTTL     TTL
	// Salts are those of Settings for this model; the chain's borders hold them.
	Salts Salts
	// Expect is the earlier request to diagnose a miss against; nil for none.
	Expect *Expectation
	// Stream is the name under which the model's answer and its latency are
	// drawn: lineage, call ordinal and attempt.
	Stream StreamName
	// OnBegin, if set, is told when the response begins.
	OnBegin BeginListener
}

// BeginListener is told the instant at which a response began.
type BeginListener interface{ Began(at vtime.Instant) }

// StreamName names an agent's call: who (lineage, such as "main/12.3"), which
// call (from 0, never reset by compaction) and which attempt (from 0).
type StreamName struct {
	Lineage string
	Key     rng.Key // root.Sub(lineage), computed once per agent
	Call    int
	Attempt int
}

// HiddenSuffix ends the lineage of a request that the client sends on its own: behind
// the name of whom it goes on from, and the number of the call that comes next.
const HiddenSuffix = ".hidden"

// AsideSuffix ends the lineage of an agent that answers a side question, before its
// number among those of its root.
const AsideSuffix = "/aside-"

// StopReason says why a response ended.
type StopReason uint8

// The stop reasons of the Messages API.
const (
	EndTurn StopReason = iota + 1
	StopToolUse
	MaxTokens
	StopSequence
	Refusal
	PauseTurn
)

var stopNames = [...]string{"", "end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal", "pause_turn"}

func (s StopReason) String() string { return stopNames[s] }

// Usage is what a call is billed for, in tokens. Prompt tokens are
// Input + Write5m + Write1h + Read; Input excludes everything written or read.
type Usage struct {
	Input   int64
	Write5m int64
	Write1h int64
	Read    int64
	Output  int64
}

// Prompt is the whole prompt in tokens.
func (u Usage) Prompt() int64 { return u.Input + u.Write5m + u.Write1h + u.Read }

// Written is cache_creation_input_tokens.
func (u Usage) Written() int64 { return u.Write5m + u.Write1h }

// Plus adds field by field.
func (u Usage) Plus(o Usage) Usage {
	return Usage{u.Input + o.Input, u.Write5m + o.Write5m, u.Write1h + o.Write1h, u.Read + o.Read, u.Output + o.Output}
}

// Hit is the usage had lost tokens been read that were paid for again: those that were
// written come first, then plain ones. Tokens that are in neither were not sent again.
func (u Usage) Hit(lost int64) Usage {
	for _, paid := range []*int64{&u.Write5m, &u.Write1h, &u.Input} {
		n := min(lost, *paid)
		*paid -= n
		lost -= n
		u.Read += n
	}
	return u
}

// Total is all tokens of the call: the four usage figures' sum.
func (u Usage) Total() int64 { return u.Prompt() + u.Output }
