package blocktrace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// mooncake reads a trace of Mooncake's format.
type mooncake struct {
	name  string
	lines *bufio.Scanner
	line  int
	shift uint64
	block int64
	last  int64 // timestamp of the request before
	row   mooncakeRow
	req   Request
	done  error
}

type mooncakeRow struct {
	Timestamp *int64   `json:"timestamp"`
	Input     *int64   `json:"input_length"`
	Output    *int64   `json:"output_length"`
	IDs       []uint64 `json:"hash_ids"`
}

func newMooncake(name string, r io.Reader, shift uint64, block int) *mooncake {
	m := &mooncake{name: name, lines: bufio.NewScanner(r), shift: shift, block: int64(block)}
	m.lines.Buffer(nil, MaxEntry)
	return m
}

func (m *mooncake) Format() string { return "mooncake" }

func (m *mooncake) BlockTokens() int { return int(m.block) }

func (m *mooncake) Next() (*Request, error) {
	if m.done == nil {
		m.done = m.next()
	}
	if m.done != nil {
		return nil, m.done
	}
	return &m.req, nil
}

func (m *mooncake) next() error {
	m.line++
	if !m.lines.Scan() {
		switch err := m.lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return m.wrong("the line is longer than %d bytes", MaxEntry)
		case err != nil:
			return fmt.Errorf("%s:%d: %w", m.name, m.line, err)
		}
		return io.EOF
	}
	m.row = mooncakeRow{IDs: m.row.IDs[:0]}
	if err := strictly(m.lines.Bytes(), &m.row); err != nil {
		return m.wrong("%v", err)
	}
	return m.check()
}

func (m *mooncake) wrong(format string, args ...any) error {
	return &Error{m.name, m.line, fmt.Sprintf(format, args...)}
}

// check holds the row's fields against one another and makes the request.
func (m *mooncake) check() error {
	row := &m.row
	switch {
	case row.Timestamp == nil || row.Input == nil || row.Output == nil || len(row.IDs) == 0:
		return m.wrong("a request has the fields timestamp, input_length, output_length and hash_ids")
	case *row.Input < 1 || *row.Output < 0 || *row.Timestamp < 0:
		return m.wrong("input_length is at least 1, output_length and timestamp are at least 0")
	case *row.Timestamp < m.last:
		return m.wrong("timestamp %d comes after %d: requests stand in the order of time", *row.Timestamp, m.last)
	case *row.Timestamp > maxSeconds*1000:
		return m.wrong("timestamp %d: milliseconds since the trace began, at most a century", *row.Timestamp)
	}
	if want := (*row.Input-1)/m.block + 1; int64(len(row.IDs)) != want {
		return m.wrong("%d hash_ids for %d tokens: want %d, one for each %d tokens begun", len(row.IDs), *row.Input, want, m.block)
	}
	m.last = *row.Timestamp
	for i := range row.IDs {
		row.IDs[i] += m.shift
	}
	m.req = Request{At: *row.Timestamp * 1e6, Output: *row.Output, Line: m.line}
	m.req.IDs, m.req.Full, m.req.Tokens = row.IDs, int(*row.Input/m.block), *row.Input
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
	case errors.As(err, &kind):
		return fmt.Errorf("%s is a %s; write %s", kind.Field, kind.Value, wanted(kind.Type.String()))
	case errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return fmt.Errorf("not JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// wanted names a type for people.
func wanted(kind string) string {
	switch strings.TrimLeft(kind, "*[]") {
	case "int64", "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 on"
	case "string":
		return "a text"
	case "json.Number":
		return "a number"
	}
	return "a list of objects"
}
