// Package blocktrace reads traces that tell prompts as ids of blocks, in Mooncake's
// format (github.com/kvcache-ai/Mooncake, FAST25-release/traces): a line a request,
// in the order of time, of the fields timestamp (milliseconds), input_length,
// output_length (tokens) and hash_ids, one for each block of 512 tokens, the last
// one included that may not be full.
//
// Rules:
//   - A trace streams: memory is bounded by its longest line, of at most MaxEntry
//     bytes.
//   - Reading is strict: a field that is not known, missing, of another type or
//     against another field is an error that names the trace and the line.
//   - Ids of one trace never meet those of another.
package blocktrace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentsim/cachemodel"
)

// MaxEntry is the longest line that is read, in bytes.
const MaxEntry = 64 << 20

// maxMillis bounds instants, so that sums of them cannot overflow.
const maxMillis = 100 * 366 * 24 * 3600 * 1000

// MooncakeBlock is the tokens of a block in Mooncake's own traces, which do not say
// it themselves.
const MooncakeBlock = 512

// Request is one request of a trace.
type Request struct {
	cachemodel.BlockRequest
	At     int64 // nanoseconds since the trace began
	Output int64 // tokens
	Line   int   // from 1
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
	// traces with different scopes are different blocks.
	Scope uint64
	Block int // tokens of a block; 0 is MooncakeBlock
}

// Reader gives a trace's requests one by one.
type Reader struct {
	name  string
	lines *bufio.Scanner
	line  int
	shift uint64 // added to every id, so that those of two scopes do not meet
	block int64
	last  int64 // timestamp of the request before
	row   row
	req   Request
	done  error
}

type row struct {
	Timestamp *int64   `json:"timestamp"`
	Input     *int64   `json:"input_length"`
	Output    *int64   `json:"output_length"`
	IDs       []uint64 `json:"hash_ids"`
}

// Open begins to read a trace; name stands in errors.
func Open(name string, r io.Reader, opt Options) *Reader {
	t := &Reader{name: name, lines: bufio.NewScanner(r), shift: opt.Scope * 0x9e3779b97f4a7c15, block: int64(cmp.Or(opt.Block, MooncakeBlock))}
	t.lines.Buffer(nil, MaxEntry)
	return t
}

// BlockTokens is the tokens of a block.
func (t *Reader) BlockTokens() int { return int(t.block) }

// Next reads the next request, which is valid until the next call. It returns
// io.EOF at the end, and *Error for what is wrong with the trace. After an error
// there is nothing to read.
func (t *Reader) Next() (*Request, error) {
	if t.done == nil {
		t.done = t.next()
	}
	if t.done != nil {
		return nil, t.done
	}
	return &t.req, nil
}

func (t *Reader) next() error {
	t.line++
	if !t.lines.Scan() {
		switch err := t.lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return t.wrong("the line is longer than %d bytes", MaxEntry)
		case err != nil:
			return fmt.Errorf("%s:%d: %w", t.name, t.line, err)
		}
		return io.EOF
	}
	t.row = row{IDs: t.row.IDs[:0]}
	text := t.lines.Bytes()
	if t.line == 1 {
		text = bytes.TrimPrefix(text, []byte("\ufeff")) // byte order mark
	}
	if err := strictly(text, &t.row); err != nil {
		return t.wrong("%v", err)
	}
	return t.check()
}

func (t *Reader) wrong(format string, args ...any) error {
	return &Error{t.name, t.line, fmt.Sprintf(format, args...)}
}

// check holds the row's fields against one another and makes the request.
func (t *Reader) check() error {
	row := &t.row
	switch {
	case row.Timestamp == nil || row.Input == nil || row.Output == nil || len(row.IDs) == 0:
		return t.wrong("a request has the fields timestamp, input_length, output_length and hash_ids")
	case *row.Input < 1 || *row.Output < 0 || *row.Timestamp < 0:
		return t.wrong("input_length is at least 1, output_length and timestamp are at least 0")
	case *row.Timestamp < t.last:
		return t.wrong("timestamp %d comes after %d: requests stand in the order of time", *row.Timestamp, t.last)
	case *row.Timestamp > maxMillis:
		return t.wrong("timestamp %d: milliseconds since the trace began, at most a century", *row.Timestamp)
	}
	if want := (*row.Input-1)/t.block + 1; int64(len(row.IDs)) != want {
		return t.wrong("%d hash_ids for %d tokens: want %d, one for each %d tokens begun", len(row.IDs), *row.Input, want, t.block)
	}
	t.last = *row.Timestamp
	for i := range row.IDs {
		row.IDs[i] += t.shift
	}
	t.req = Request{At: *row.Timestamp * 1e6, Output: *row.Output, Line: t.line}
	t.req.IDs, t.req.Full, t.req.Tokens = row.IDs, int(*row.Input/t.block), *row.Input
	return nil
}

// strictly decodes one JSON value with known fields only and nothing behind it.
func strictly(text []byte, into any) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("an empty line: write one request a line")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return plain(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the request: write one request a line")
	}
	return nil
}

// plain says in our words what the decoder found wrong.
func plain(err error) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("a %s where an object belongs", kind.Value)
	case errors.As(err, &kind) && kind.Field == "hash_ids":
		return fmt.Errorf("hash_ids is a %s; write a whole number from 0 on", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s is a %s; write a whole number", kind.Field, kind.Value)
	case errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("not JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}
