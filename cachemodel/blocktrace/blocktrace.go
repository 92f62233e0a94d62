// Package blocktrace reads traces that tell prompts as ids of blocks: those of
// Mooncake and those of kv-cache-tester.
//
// Rules:
//   - A trace streams: memory is bounded by its longest line or entry, of at most
//     MaxEntry bytes.
//   - Reading is strict: a field that is not known, missing, of another type or
//     against another field is an error that names the trace and the line.
//   - Ids that mean something in one trace only never meet those of another.
//   - No floats: instants are whole nanoseconds, and a decimal number that is not
//     is an error.
//
// Mooncake (github.com/kvcache-ai/Mooncake, FAST25-release/traces): a line a
// request, in the order of time, of the fields timestamp (milliseconds),
// input_length, output_length (tokens) and hash_ids, one for each block of 512
// tokens, the last one included that may not be full.
//
// kv-cache-tester (github.com/callanjfox/kv-cache-tester, traces): a document a
// conversation. Its requests have t (seconds), in, out (tokens) and hash_ids, one
// for each full block of block_size tokens; an entry of type subagent holds
// requests of its own, whose t counts from its own. They are given where they
// stand. hash_id_scope says whether ids mean the same in every document.
package blocktrace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"agentsim/cachemodel"
)

// MaxEntry is the longest line or entry that is read, in bytes.
const MaxEntry = 64 << 20

// MooncakeBlock is the tokens of a block in Mooncake's traces, which do not say
// it themselves.
const MooncakeBlock = 512

// Request is one request of a trace.
type Request struct {
	cachemodel.BlockRequest
	At     int64  // nanoseconds since the trace began
	Output int64  // tokens
	Agent  string // path of sub-agents, such as agent_001; "" for the main one
	Model  string // as the trace names it; "" where it does not
	Line   int    // where it begins, from 1
}

// Reader gives a trace's requests one by one.
type Reader interface {
	// Next reads the next request, which is valid until the next call. It returns
	// io.EOF at the end, and *Error for what is wrong with the trace. After an
	// error there is nothing to read.
	Next() (*Request, error)
	// BlockTokens is the tokens of a block, known once Next has given a request.
	BlockTokens() int
	// Format names the trace's format.
	Format() string
}

// Error says what is wrong where in a trace.
type Error struct {
	Trace string
	Line  int // from 1
	What  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Trace, e.Line, e.What) }

// Options say how a trace is read.
type Options struct {
	// Scope tells the trace from others that are read into the same cache: ids of
	// traces with different scopes are different blocks, where the trace does not
	// say that its ids are global.
	Scope uint64
	// MooncakeBlock is the tokens of a block in a trace of Mooncake's format; 0 is
	// the 512 of its own traces.
	MooncakeBlock int
}

// Open tells the trace's format by its first field and begins to read it; name
// stands in errors.
func Open(name string, r io.Reader, opt Options) (Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if rest, marked := bytes.CutPrefix(head, []byte("\ufeff")); marked { // byte order mark
		head = rest
		if _, err := b.Discard(3); err != nil {
			return nil, err
		}
	}
	if opt.MooncakeBlock == 0 {
		opt.MooncakeBlock = MooncakeBlock
	}
	shift := scopeShift(opt.Scope)
	switch first := firstField(head); first {
	case "timestamp", "input_length", "output_length", "hash_ids":
		return newMooncake(name, b, shift, opt.MooncakeBlock), nil
	case "id", "models", "block_size", "hash_id_scope", "tool_tokens", "system_tokens", "requests", "totals":
		return newConversation(name, b, shift), nil
	case "":
		return nil, &Error{name, 1, "not a trace: write a JSON object with a first field"}
	default:
		return nil, &Error{name, 1, fmt.Sprintf("not a trace: no format begins with the field %q; known are timestamp (Mooncake) and id (kv-cache-tester)", first)}
	}
}

// firstField is the name of an object's first field, or "".
func firstField(head []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	if !ok {
		return ""
	}
	rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`))
	name, _, ended := bytes.Cut(rest, []byte(`"`))
	if !ok || !ended {
		return ""
	}
	return string(name)
}

// scopeShift is what is added to every id of a scope, so that the ids of two
// scopes, which are small numbers or hashes, do not meet.
func scopeShift(scope uint64) uint64 { return scope * 0x9e3779b97f4a7c15 }
