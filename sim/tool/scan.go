package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// kind is what a JSON value is.
type kind uint8

const (
	absent kind = iota
	jsonString
	jsonNumber
	jsonTrue
	jsonFalse
	jsonNull
	jsonArray
	jsonObject
)

func (k kind) String() string {
	return [...]string{"nothing", "a string", "a number", "true", "false", "null", "a list", "an object"}[k]
}

// value is one JSON value where it stands in the input.
type value struct {
	raw     string // a string's inside, other values as written
	kind    kind
	escaped bool // a string with escapes
}

// phrase says what the value is; a number as written.
func (v value) phrase() string {
	if v.kind == jsonNumber {
		return v.raw
	}
	return v.kind.String()
}

// text is a string's content.
func (v value) text() string {
	if !v.escaped {
		return v.raw
	}
	var s string
	if err := json.Unmarshal([]byte(`"`+v.raw+`"`), &s); err != nil {
		panic("tool: the scanner took a string that is none: " + err.Error())
	}
	return s
}

// integer is a whole number from 0 to 999,999,999 without sign, point or
// exponent.
func (v value) integer() (n int, ok bool) {
	if v.kind != jsonNumber || len(v.raw) > 9 {
		return 0, false
	}
	for i := 0; i < len(v.raw); i++ {
		c := v.raw[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// integerOr is the integer, or def when the field was not given.
func (v value) integerOr(def int) int {
	if n, ok := v.integer(); ok {
		return n
	}
	return def
}

// scanner reads one JSON object member by member without copying it.
type scanner struct {
	s     string
	i     int
	begun bool // a member was read
}

// maxDepth bounds nested values.
const maxDepth = 100

var errNoObject = errors.New("the input is not a JSON object")

func (s *scanner) broken() error {
	if s.i >= len(s.s) {
		return errors.New("the input is not valid JSON: it ends too early")
	}
	return fmt.Errorf("the input is not valid JSON at byte %d", s.i)
}

// open reads the object's brace.
func (s *scanner) open() error {
	s.space()
	if s.i == len(s.s) || s.s[s.i] != '{' {
		return errNoObject
	}
	s.i++
	return nil
}

// next reads one member. more is false behind the last one, when nothing but
// white space may follow.
func (s *scanner) next() (name, v value, more bool, err error) {
	s.space()
	if s.take('}') {
		s.space()
		if s.i != len(s.s) {
			return name, v, false, s.broken()
		}
		return name, v, false, nil
	}
	if s.begun && !s.take(',') {
		return name, v, false, s.broken()
	}
	s.begun = true
	name, v, ok := s.member()
	if !ok {
		return name, v, false, s.broken()
	}
	return name, v, true, nil
}

func (s *scanner) member() (name, v value, ok bool) {
	s.space()
	if name, ok = s.str(); !ok {
		return name, v, false
	}
	s.space()
	if !s.take(':') {
		return name, v, false
	}
	v, ok = s.value(0)
	return name, v, ok
}

func (s *scanner) space() {
	for s.i < len(s.s) {
		switch s.s[s.i] {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) take(c byte) bool {
	if s.i < len(s.s) && s.s[s.i] == c {
		s.i++
		return true
	}
	return false
}

// value reads any value with the white space before it.
func (s *scanner) value(depth int) (v value, ok bool) {
	s.space()
	if s.i == len(s.s) || depth > maxDepth {
		return v, false
	}
	start := s.i
	switch c := s.s[s.i]; {
	case c == '"':
		return s.str()
	case c == '{':
		v.kind, ok = jsonObject, s.list('}', depth)
	case c == '[':
		v.kind, ok = jsonArray, s.list(']', depth)
	case c == 't':
		v.kind, ok = jsonTrue, s.word("true")
	case c == 'f':
		v.kind, ok = jsonFalse, s.word("false")
	case c == 'n':
		v.kind, ok = jsonNull, s.word("null")
	default:
		v.kind, ok = jsonNumber, s.number()
	}
	v.raw = s.s[start:s.i]
	return v, ok
}

func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(s.s[s.i:], w) {
		return false
	}
	s.i += len(w)
	return true
}

// list reads an object's members or an array's values up to the closing
// bracket.
func (s *scanner) list(end byte, depth int) bool {
	s.i++
	s.space()
	if s.take(end) {
		return true
	}
	for {
		if !s.item(end, depth) {
			return false
		}
		s.space()
		if s.take(end) {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

func (s *scanner) item(end byte, depth int) bool {
	if end == '}' {
		s.space()
		if _, ok := s.str(); !ok {
			return false
		}
		s.space()
		if !s.take(':') {
			return false
		}
	}
	_, ok := s.value(depth + 1)
	return ok
}

// str reads a string with its quotes.
func (s *scanner) str() (v value, ok bool) {
	if !s.take('"') {
		return v, false
	}
	start := s.i
	v.kind = jsonString
	for s.i < len(s.s) {
		switch c := s.s[s.i]; {
		case c == '"':
			v.raw = s.s[start:s.i]
			s.i++
			return v, true
		case c == '\\':
			v.escaped = true
			if !s.escape() {
				return v, false
			}
		case c < 0x20:
			return v, false
		default:
			s.i++
		}
	}
	return v, false
}

// escape reads a backslash and what it escapes.
func (s *scanner) escape() bool {
	s.i++
	if s.i == len(s.s) {
		return false
	}
	c := s.s[s.i]
	s.i++
	if c != 'u' {
		return strings.IndexByte(`"\/bfnrt`, c) >= 0
	}
	for range 4 {
		if s.i == len(s.s) || strings.IndexByte("0123456789abcdefABCDEF", s.s[s.i]) < 0 {
			return false
		}
		s.i++
	}
	return true
}

// number reads -?int(.digits)?([eE][+-]?digits)?.
func (s *scanner) number() bool {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return false
	}
	if s.take('.') && !s.digits() {
		return false
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.s) && '0' <= s.s[s.i] && s.s[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}
