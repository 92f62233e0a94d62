package wire

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"

	"agentsim/sim/llm"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a body.
const (
	MaxBytes = 32 << 20 // of a request, decompressed
	maxDepth = 256
)

// Error is a mistake in a body and where it is.
type Error struct {
	Offset  int  // byte, from 0
	Unknown bool // nothing is wrong but that it is not known, which Options.Strict refuses
	format  string
	args    []any
}

func (e *Error) Error() string {
	return fmt.Sprintf("byte %d: "+e.format, slices.Concat([]any{e.Offset}, e.args)...)
}

// Plain is the error without words of the body.
func (e *Error) Plain() string {
	args := []any{e.Offset}
	for _, a := range e.args {
		if _, ok := a.(word); ok {
			a = word("…")
		}
		args = append(args, a)
	}
	return fmt.Sprintf("byte %d: "+e.format, args...)
}

// word is what an error quotes of a body.
type word string

// key is a key as an error names it: one that the API has is no word of the body.
func key(s string) any {
	if _, ok := treatments[s]; ok || s == "tools" || s == "system" || s == "messages" {
		return s
	}
	return word(s)
}

func at(offset int, format string, args ...any) error {
	return &Error{Offset: offset, format: format, args: args}
}

// plain is data decompressed, where it is compressed by gzip.
func plain(data []byte) ([]byte, error) {
	if len(data) < 2 || data[0] != 0x1f || data[1] != 0x8b {
		return data, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, at(0, "not gzip, though it begins so: %v", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, MaxBytes+1))
	if err != nil {
		return nil, at(len(out), "the compressed body breaks off: %v", err)
	}
	if len(out) > MaxBytes {
		return nil, at(MaxBytes, "the body expands to more than %d bytes", MaxBytes)
	}
	return out, nil
}

// check reports what keeps data from being one JSON value in UTF-8, without
// doubled keys and at most maxDepth deep.
func check(data []byte) error {
	if len(data) > MaxBytes {
		return at(MaxBytes, "the body has %d bytes; a request has at most %d", len(data), MaxBytes)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		_, err := dec.ReadToken()
		if err != nil {
			return malformed(err, len(data))
		}
		switch depth := dec.StackDepth(); {
		case depth > maxDepth:
			return at(int(dec.InputOffset())-1, "more than %d values inside one another", maxDepth)
		case depth > 0:
			continue
		}
		end := dec.InputOffset()
		if rest := bytes.TrimLeft(data[end:], " \t\r\n"); len(rest) > 0 {
			return at(len(data)-len(rest), "something follows the request")
		}
		return nil
	}
}

// malformed locates what jsontext found.
func malformed(err error, size int) error {
	var syn *jsontext.SyntacticError
	switch {
	case err == io.EOF:
		return at(0, "the body is empty")
	case !errors.As(err, &syn):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return at(size, "the body is cut off")
	case errors.Is(err, jsontext.ErrDuplicateName):
		return at(int(syn.ByteOffset), "the key %q stands there twice", key(syn.JSONPointer.LastToken()))
	}
	return at(int(syn.ByteOffset), "not JSON in UTF-8: %v", syn.Err)
}

// value is a value of a body that check has passed.
type value struct {
	text []byte
	at   int // of its first byte in the body
}

// member is a key of an object and what it holds.
type member struct {
	key string
	at  int // of the key
	value
}

// first is the first byte of a value, 0 of none.
func (v value) first() byte {
	if len(v.text) == 0 {
		return 0
	}
	return v.text[0]
}

// parser takes values apart, one level at a time. After the first mistake it appends no
// block any more, and what is asked of it is empty.
type parser struct {
	err      error // the first mistake
	dec      jsontext.Decoder
	opt      *Options
	build    *llm.Builder
	head     *llm.Node             // the last block so far
	written  value                 // the block being read
	spot     spot                  // where it is
	deferred map[string]*llm.Block // definitions that are no part of the prefix, by name
	reading  value                 // what once reads
	appended []seenBlock           // of it
	alone    bool                  // it does more than append blocks
	body     *Body
}

// fail notes a mistake, if it is the first.
func (p *parser) fail(offset int, format string, args ...any) {
	if p.err == nil {
		p.err = at(offset, format, args...)
	}
}

// open points the decoder behind the first bracket of a value.
func (p *parser) open(v value) {
	p.dec.Reset(bytes.NewBuffer(v.text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	p.dec.ReadToken() // it is JSON
}

// next is the value that the decoder reads next, of v.
func (p *parser) next(v value) value {
	text, _ := p.dec.ReadValue()
	end := int(p.dec.InputOffset())
	return value{v.text[end-len(text) : end], v.at + end - len(text)}
}

// members lists what an object holds.
func (p *parser) members(v value, what string) (out []member) {
	if v.first() != '{' {
		p.fail(v.at, "%s must be an object", what)
		return nil
	}
	for p.open(v); p.dec.PeekKind() != '}'; {
		key := p.next(v)
		out = append(out, member{unquoted(key), key.at, p.next(v)})
	}
	return out
}

// items lists what an array holds.
func (p *parser) items(v value, what string) (out []value) {
	if v.first() != '[' {
		p.fail(v.at, "%s must be a list", what)
		return nil
	}
	for p.open(v); p.dec.PeekKind() != ']'; {
		out = append(out, p.next(v))
	}
	return out
}

// text is a string value.
func (p *parser) text(v value, what string) string {
	if v.first() != '"' {
		p.fail(v.at, "%s must be a string", what)
		return ""
	}
	return unquoted(v)
}

func unquoted(v value) string {
	if inner := v.text[1 : len(v.text)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	s, _ := jsontext.AppendUnquote(nil, v.text) // it is a string
	return string(s)
}

// without is an object's text less some of its members.
func without(v value, members []member, dropped func(key string) bool) string {
	if !slices.ContainsFunc(members, func(m member) bool { return dropped(m.key) }) {
		return string(v.text)
	}
	out, end := []byte{}, 0
	for _, m := range members {
		from := end // with the comma before it
		end = m.value.at + len(m.value.text) - v.at
		switch {
		case dropped(m.key):
			continue
		case len(out) == 0:
			from = m.at - v.at
			out = append(out, v.text[:members[0].at-v.at]...)
		}
		out = append(out, v.text[from:end]...)
	}
	if len(out) == 0 {
		out = append(out, '{')
	}
	return string(append(out, v.text[end:]...))
}
