package llm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Class says what a piece of content is made of; token counters weigh bytes by
// class.
type Class uint8

// The content classes. Payloads are declared Prose, Code or JSON; runs of CJK
// characters and digits inside them are counted as such.
const (
	Prose Class = iota
	Code
	JSON
	CJK
	Digits
	NumClasses
)

var classNames = [NumClasses]string{"prose", "code", "json", "cjk", "digits"}

func (c Class) String() string { return classNames[c] }

// Measure is how much content a piece, or a whole prefix, holds: bytes of raw
// text by class and the frames that blocks put around them (a text block is one
// frame, a tool use and its result are several). The tokens of a span are the
// difference of two counts of cumulative measures.
type Measure struct {
	Bytes  [NumClasses]uint32
	Frames uint32
}

// Plus adds two measures. It panics past 4 GiB in a class; requests are bounded
// far below that by the byte limit.
func (m Measure) Plus(o Measure) Measure {
	for i := range m.Bytes {
		if m.Bytes[i] > math.MaxUint32-o.Bytes[i] {
			panic("llm: a prefix of more than 4 GiB in one content class")
		}
		m.Bytes[i] += o.Bytes[i]
	}
	m.Frames += o.Frames
	return m
}

// Total is the sum of the bytes of all classes: the size of a piece wherever a
// size decides something (figures.go).
func (m Measure) Total() int64 {
	var n int64
	for _, b := range m.Bytes {
		n += int64(b)
	}
	return n
}

// Payload is immutable content: raw text and its JSON-escaped form, escaped
// once. Blocks refer to it and never copy it.
type Payload struct {
	raw     string
	esc     string // without quotes; for raw JSON the text itself
	measure Measure
	isJSON  bool
	whole   bool // esc is the whole block's JSON
	// Notes is a place for one reader's cached reading of the content, such as
	// the facts a policy found in it. It must be a function of the content.
	Notes any
}

// NewText makes a payload of text of the given class. Bytes that are no UTF-8
// become U+FFFD, as any JSON encoder would do.
func NewText(c Class, s string) *Payload {
	s = valid(s)
	return &Payload{raw: s, esc: escape(s), measure: measure(c, s)}
}

// Escaped is a text as it stands in a block's bytes.
func Escaped(s string) string { return escape(valid(s)) }

// valid is a text with U+FFFD in place of what is no UTF-8.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// First is the payload of the first n bytes of a text of ASCII without digits, which are
// esc bytes when they are escaped.
func (p *Payload) First(n, esc int) *Payload {
	first := &Payload{raw: p.raw[:n], esc: p.esc[:esc]}
	first.measure.Bytes[p.Class()] = uint32(n)
	return first
}

// Joined is the payload of one text and another one behind it. No number stands across
// where they meet.
func Joined(a, b *Payload) *Payload {
	return &Payload{raw: a.raw + b.raw, esc: a.esc + b.esc, measure: a.measure.Plus(b.measure)}
}

// NewJSON makes a payload of a JSON value whose bytes are kept exactly as given
// (tool definitions, tool_use inputs): key order and white space are part of a
// cache key (CACHE-36). White space around the value is no part of it. That s is
// one JSON value is for the caller to know; it is not checked here.
func NewJSON(s string) *Payload {
	s = strings.Trim(s, " \t\r\n")
	return &Payload{raw: s, esc: s, measure: measure(JSON, s), isJSON: true}
}

// NewWhole makes the payload of a block that has parts which its canonical form
// lacks, such as another client's ids: json is the whole block, what is its content
// by itself. That json is one object is for the caller to know.
func NewWhole(json string, what *Payload) *Payload {
	return &Payload{raw: what.raw, esc: json, measure: what.measure, isJSON: what.isJSON, whole: true}
}

// Whole is the whole block's JSON, of a payload of NewWhole or of a block that is
// kept as it is written.
func (p *Payload) Whole() (json string, ok bool) { return p.esc, p.whole }

// Raw is the content as text.
func (p *Payload) Raw() string { return p.raw }

// IsJSON reports whether the content stands in the bytes as a JSON value and
// not as a string.
func (p *Payload) IsJSON() bool { return p.isJSON }

// Measure is the content's own measure, without any frame.
func (p *Payload) Measure() Measure { return p.measure }

// Class is the class that the content was declared with: Prose, Code or JSON. Of
// content that holds none of it, such as digits alone, it is Prose, which
// measures the same.
func (p *Payload) Class() Class {
	for _, c := range [...]Class{Code, JSON} {
		if p.measure.Bytes[c] > 0 {
			return c
		}
	}
	return Prose
}

// Identity is the hash by which equal content is stored once.
func (p *Payload) Identity() Hash {
	h := xxh3.HashString128(p.raw)
	if p.whole {
		h = xxh3.HashString128(p.esc)
		h.Lo ^= 0x77686f6c65
	}
	if p.isJSON {
		h.Hi ^= 0x6a736f6e
	}
	return Hash{h.Hi, h.Lo}
}

// escape writes s as the inside of a JSON string. The table: `"` and `\` get a
// backslash; \b \f \n \r \t their letters; other bytes below 0x20 `\u00xx` in
// lower case; everything else stands as it is.
func escape(s string) string {
	more := 0
	for i := 0; i < len(s); i += 8 {
		more += bits.OnesCount64(escaped(word(s, i)))
	}
	if more == 0 {
		return s
	}
	var room [512]byte
	b := room[:]
	if n := len(s) + more + 8; n > len(room) { // eight, since words are written whole
		b = make([]byte, n)
	}
	i, n := 0, 0
	for i < len(s) {
		x := word(s, i)
		binary.LittleEndian.PutUint64(b[n:], x)
		marks := escaped(x)
		if marks == 0 {
			i, n = i+8, n+8
			continue
		}
		plain := bits.TrailingZeros64(marks) / 8
		i, n = i+plain, n+plain
		b[n], b[n+1] = '\\', letters[s[i]]
		if n += 2; b[n-1] == 0 {
			n += copy(b[n-1:], fmt.Sprintf("u%04x", s[i])) - 1
			b = append(b, "    "...)
		}
		i++
	}
	return string(b[:n-(i-len(s))])
}

// letters are what some bytes have behind the backslash.
var letters = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// every has a byte in each of its eight.
const every = 0x0101010101010101

// escaped marks the bytes of x that do not stand as they are in a JSON string: the
// highest bit of each, and no other.
func escaped(x uint64) uint64 {
	const high, low = 0x80 * every, 0x7f * every
	quote, slash := x^'"'*every, x^'\\'*every
	return ^((x&low + 0x60*every | x) & ((quote & low) + low | quote) & ((slash & low) + low | slash)) & high
}

// other marks the bytes of x that measure as no plain character, likewise: digits, and
// what is not ASCII.
func other(x uint64) uint64 {
	const high, low = 0x80 * every, 0x7f * every
	return (x | (x&low+(0x80-'0')*every) & ^(x&low+(0x80-'9'-1)*every)) & high
}

// word is the eight bytes of s from i; what it lacks of them is blank.
func word(s string, i int) uint64 {
	if i+8 > len(s) {
		return lastWord(s[i:])
	}
	return binary.LittleEndian.Uint64([]byte(s[i : i+8])) // which makes no copy, since nothing keeps the bytes
}

// lastWord is word of less than eight bytes.
func lastWord(s string) uint64 {
	x := uint64(' ' * every)
	for i := len(s) - 1; i >= 0; i-- {
		x = x<<8 | uint64(s[i])
	}
	return x
}

// MeasureOf is the measure of a text of the given class.
func MeasureOf(c Class, s string) Measure { return measure(c, s) }

// measure counts raw bytes: digits and CJK characters to their own classes, the
// rest to c. The digits of a figure of a run count as figureDigits.
func measure(c Class, s string) Measure {
	var m Measure
	rest := len(s) // bytes of no other class
	for i := 0; i < len(s); {
		marks := other(word(s, i))
		if marks == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(marks) / 8
		class, counts, n := Digits, 1, 1
		if s[i] >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			if class, counts = CJK, n; !isCJK(r) {
				class = c
			}
		} else if run := figure(s, i); run > 0 {
			counts, n = figureDigits, run
		}
		m.Bytes[class] += uint32(counts)
		rest -= n
		i += n
	}
	m.Bytes[c] += uint32(rest)
	return m
}

// isCJK covers the blocks whose characters are tokens of their own: Hiragana to
// CJK ideographs, Hangul syllables, compatibility and full-width forms and the
// supplementary ideographs.
func isCJK(r rune) bool {
	return r >= 0x3040 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff
}
