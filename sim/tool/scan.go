package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// kindOf tells a valid JSON value's kind from its first byte.
func kindOf(first byte) kind {
	switch first {
	case '"':
		return jsonString
	case 't':
		return jsonTrue
	case 'f':
		return jsonFalse
	case 'n':
		return jsonNull
	case '[':
		return jsonArray
	case '{':
		return jsonObject
	}
	return jsonNumber
}

// value is one JSON value as it is written in the input; the zero value is none.
type value struct {
	raw  string
	kind kind
}

// phrase says what the value is; a number as written.
func (v value) phrase() string {
	if v.kind == jsonNumber {
		return v.raw
	}
	return v.kind.String()
}

// text is a string's content; other values as written.
func (v value) text() string {
	switch {
	case v.kind != jsonString:
		return v.raw
	case strings.IndexByte(v.raw, '\\') < 0:
		return v.raw[1 : len(v.raw)-1]
	}
	if b, err := jsontext.AppendUnquote(make([]byte, 0, len(v.raw)), v.raw); err == nil {
		return string(b)
	}
	var s string // with half a character in it, which becomes U+FFFD
	if err := json.Unmarshal([]byte(v.raw), &s); err != nil {
		panic("tool: a string of a valid input is none: " + err.Error())
	}
	return s
}

// integer is a whole number from 0 to 999,999,999 without sign, point or
// exponent.
func (v value) integer() (n int, ok bool) {
	if v.kind != jsonNumber || len(v.raw) > 9 { // an error would be allocated
		return 0, false
	}
	n64, err := strconv.ParseUint(v.raw, 10, 32)
	return int(n64), err == nil
}

// integerOr is the integer, or def when the field was not given.
func (v value) integerOr(def int) int {
	if n, ok := v.integer(); ok {
		return n
	}
	return def
}

// object is the members of the JSON object that an input is, up to and with the
// bracket that ends it, for member to read.
func object(raw string) (members string, err error) {
	if !utf8.ValidString(raw) {
		return "", errors.New("the input is not UTF-8 text")
	}
	if !json.Valid([]byte(raw)) { // which makes no copy, since nothing keeps the bytes
		return "", fmt.Errorf("the input is not valid JSON: %w", json.Unmarshal([]byte(raw), new(any)))
	}
	members, ok := strings.CutPrefix(strings.TrimSpace(raw), "{")
	if !ok {
		return "", errors.New("the input is not a JSON object")
	}
	return members, nil
}

// member is the first of an object's members and what is left; ok is false where
// there is none.
func member(members string) (name, v value, rest string, ok bool) {
	if members == "" {
		return name, v, "", false
	}
	name, rest = part(members)
	if name.kind == absent { // {}
		return name, v, "", false
	}
	v, rest = part(rest)
	return name, v, rest, true
}

// part is the first value of what is left of a valid object, and what is behind
// the sign that ends it.
func part(s string) (v value, rest string) {
	depth, quoted, i := 0, false, 0
	for ; quoted || depth > 0 || s[i] != ',' && s[i] != ':' && s[i] != '}'; i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		}
	}
	if v.raw = strings.TrimSpace(s[:i]); v.raw != "" {
		v.kind = kindOf(v.raw[0])
	}
	return v, s[i+1:]
}
