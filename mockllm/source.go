package mockllm

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
	"agentsim/sim/vtime"
)

// Query is what a source of behaviour is asked: the request as the model sees
// it, and the name of its stream. It is valid during Answer only.
type Query struct {
	Head      *llm.Node
	Model     string
	Settings  llm.Settings
	Stream    llm.StreamName
	MaxTokens int64
}

// ToolUseID is the id of tool use i (from 0) of the answer. It belongs to
// lineage and call; a repeated attempt gets the same ids.
func (q *Query) ToolUseID(i int) llm.ToolUseID {
	return llm.NewToolUseID(q.Stream.Key.At(uint64(q.Stream.Call)).Sub("tool-use").At(uint64(i)))
}

// Answer is what a source says. Its slices are the server's and are reused, so
// a source appends to them and keeps none.
type Answer struct {
	Blocks []llm.Block // assistant content in order
	// Causes says for the block at the same place why a tool use was made again:
	// lazy, stale, truncated; "" for no such reason. Shorter than Blocks is fine.
	Causes []string
	Stop   llm.StopReason // 0: tool_use when a block is one, else end_turn
	Output int64          // output tokens; negative: what the counter says
	// Counts are recorded token counts of the request: position → cumulative
	// tokens, negative positions counted from the last block, -1. They hold for
	// later calls of the same lineage as well.
	Counts map[int]int64
	Told   *Told // what a recording tells of the call; nil for none
}

// Told is what a recording tells of a call beside its answer. Such a call has no
// latency of the scenario's, and no window of the model's refuses it.
type Told struct {
	First, Took vtime.Duration // from its start to the first byte, and to the last
	Input       int64          // tokens behind the last block that can be cached
	Limit       *int64         // how many tokens were found at most, for no reason that is known; nil for all that there were
	// Warm says that others keep alive what the request marks first; Seen that it
	// was read, and so is there when the call ends.
	Warm, Seen bool
}

// Primer is a cache that can be read and written by somebody whose requests are not
// at hand.
type Primer interface {
	Prime(now vtime.Instant, req *cachemodel.Request) error
}

// Reset empties the answer and keeps its room.
func (a *Answer) Reset() {
	*a = Answer{Blocks: a.Blocks[:0], Causes: a.Causes[:0], Output: -1}
}

// Use appends a tool use, with the cause for which it was made again or "".
func (a *Answer) Use(q *Query, name string, input *llm.Payload, cause string) {
	n := 0
	for i := range a.Blocks {
		if a.Blocks[i].Kind == llm.ToolUse {
			n++
		}
	}
	if cause != "" {
		for len(a.Causes) < len(a.Blocks) {
			a.Causes = append(a.Causes, "")
		}
		a.Causes = append(a.Causes, cause)
	}
	a.Blocks = append(a.Blocks, llm.Block{Kind: llm.ToolUse, ID: q.ToolUseID(n), Name: name, Content: input})
}

// Serve appends a use of a tool that the server runs itself, and its result, both
// raw JSON. The model passes once more behind it, if anything follows (CACHE-27).
func (a *Answer) Serve(q *Query, name string, input, result *llm.Payload) {
	id := llm.NewToolUseID(q.Stream.Key.At(uint64(q.Stream.Call)).Sub("server-tool-use").At(uint64(len(a.Blocks))))
	a.Blocks = append(a.Blocks, llm.Block{Kind: llm.ServerToolUse, ID: id, Name: name, Content: input},
		llm.Block{Kind: llm.ServerToolResult, ID: id, Name: name, Content: result})
}

// Say appends a text or thinking block.
func (a *Answer) Say(kind llm.Kind, text *llm.Payload) {
	a.Blocks = append(a.Blocks, llm.Block{Kind: kind, Content: text})
}

// Source is a source of behaviour. Answer is a pure function of the query: same
// bytes, model name and stream name, same answer, whatever was asked before. An
// error ends the run unless it is an *llm.APIError.
type Source interface {
	Answer(q *Query, a *Answer) error
}

// ErrNotMine is what a source returns for an agent it has nothing to say for.
var ErrNotMine = errors.New("no source of behaviour answers for this agent")

// SilentError is an agent that no source has anything to say for. It is an
// ErrNotMine.
type SilentError struct {
	Lineage string
	Scripts []string // patterns of the agents that scripts speak for, in their order
}

// maxScriptsNamed is how many scripts the message of a SilentError names.
const maxScriptsNamed = 8

func (e *SilentError) Error() string {
	are := "there are none"
	if n := len(e.Scripts); n > 0 {
		are = "there are scripts for " + strings.Join(e.Scripts[:min(n, maxScriptsNamed)], ", ")
		if n > maxScriptsNamed {
			are += fmt.Sprintf(" and %d more", n-maxScriptsNamed)
		}
	}
	pattern := e.Lineage
	if i := strings.LastIndexByte(pattern, '/'); i >= 0 {
		pattern = pattern[:i] + "/*"
	}
	hint := "add a script with agent: " + e.Lineage
	if pattern != e.Lineage {
		hint += ", or with a pattern such as " + pattern
	}
	return fmt.Sprintf("no script speaks for %s, %s: %s", e.Lineage, are, hint)
}

// Unwrap makes it an ErrNotMine.
func (e *SilentError) Unwrap() error { return ErrNotMine }

// Speaker is a source that can name the agents that it speaks for.
type Speaker interface{ Agents() []string }

// Counted is a source that knows recorded counts of a call's prompt, whether the
// call is answered or not; nil for none.
type Counted interface {
	Counts(lineage string, call int) map[int]int64
}

// Sources asks each source in order until one answers.
type Sources []Source

// Answer implements Source; it returns a *SilentError when no source has an
// answer.
func (s Sources) Answer(q *Query, a *Answer) error {
	for _, one := range s {
		if err := one.Answer(q, a); !errors.Is(err, ErrNotMine) {
			return err
		}
		a.Reset()
	}
	silent := &SilentError{Lineage: q.Stream.Lineage}
	for _, one := range s {
		if by, ok := one.(Speaker); ok {
			silent.Scripts = append(silent.Scripts, by.Agents()...)
		}
	}
	return silent
}

// Counts implements Counted: those of the first source that has any.
func (s Sources) Counts(lineage string, call int) map[int]int64 {
	for _, one := range s {
		if c, ok := one.(Counted); ok {
			if counts := c.Counts(lineage, call); len(counts) > 0 {
				return counts
			}
		}
	}
	return nil
}
