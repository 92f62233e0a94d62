// Package mark is the grammar of knowledge as it stands in bytes: facts, places,
// file versions, assignments and outcomes.
//
// A mark is `[[verb word … tag]]` on one line. It holds no character that JSON
// or XML escaping, line numbering or truncation can alter: it is whole or
// absent. The tag is keyed by the seed, so marks that happen to stand
// in real files mean nothing (a foreign tag fits by chance once in 65,536).
//
//	[[f NAME TAG]]                      a fact, known to whoever has it in a request
//	[[at NAME PATH:LINE TAG]]           the place where a fact can be read
//	[[file PATH HASH FROM-TO/TOTAL TAG]] the content of this version of a file, these lines
//	[[do ITEM TAG]]                     an assignment
//	[[done ITEM TAG]]                   a report that the item is done
//	[[failed ITEM NAME,NAME TAG]]       a report that these facts were missing
//	[[on PATH HASH TAG]]                a report relied on this version of a file
//	[[out ITEM TAG]]                    a summary: the item was given to a child that has not reported
//	[[lost ITEM TAG]]                   a summary: the child that had the item ended badly and without a word
//	[[made ITEM N TAG]]                 a summary: edit N of the item, from 0, is made
//	[[defect ITEM NAME TAG]]            an edit of the item that is wrong, for want or because of this fact
//	[[crew AGENT STATE ITEMS TAG]]      a summary: a worker, how it stands, what it was given/what of that last
//	[[tried ITEM AGENT/N/WHY TAG]]      a summary: who had the item last, how often it was given out, what went wrong
//	[[inject NAME TAG]]                 an instruction that nobody entitled to has given
//
// A name alone (in an assignment, a pattern, a sentence) is not knowledge.
package mark

import (
	"strings"

	"agentsim/sim/rng"
)

// Verb is the first word of a mark.
type Verb string

// The verbs.
const (
	Fact   Verb = "f"
	At     Verb = "at"
	File   Verb = "file"
	Do     Verb = "do"
	Done   Verb = "done"
	Failed Verb = "failed"
	On     Verb = "on"
	Out    Verb = "out"
	Lost   Verb = "lost"
	Made   Verb = "made"
	Defect Verb = "defect"
	Inject Verb = "inject"
	Crew   Verb = "crew"
	Tried  Verb = "tried"
)

// arity is the number of words between verb and tag; -1 for an unknown verb.
func arity(v Verb) int {
	switch v {
	case Fact, Do, Done, Out, Lost, Inject:
		return 1
	case At, Failed, On, Made, Defect, Tried:
		return 2
	case File, Crew:
		return 3
	}
	return -1
}

// Mark is one mark without its tag. Args are the words in order, as written.
type Mark struct {
	Verb Verb
	Args [3]string
}

// Key makes and checks tags. Its zero value is a valid key of its own.
type Key struct{ k rng.Key }

// NewKey is the key of a seed. A scenario's name is in no key, so that renaming it
// changes no byte.
func NewKey(seed uint64) Key { return KeyOf(rng.Root(seed)) }

// KeyOf is the key of the seed that a root is made of.
func KeyOf(root rng.Key) Key { return Key{root.Sub("mark")} }

// Text renders a mark. Words are escaped, so any name or path is allowed. The
// wrong number of words is a programmer's error and panics.
func (k Key) Text(v Verb, args ...string) string { return string(k.AppendText(nil, v, args...)) }

// AppendText appends Text to dst.
func (k Key) AppendText(dst []byte, v Verb, args ...string) []byte {
	if len(args) != arity(v) {
		panic("mark: wrong number of words for verb " + string(v))
	}
	dst = append(dst, "[["...)
	start := len(dst)
	dst = append(dst, v...)
	for _, a := range args {
		dst = append(dst, ' ')
		dst = append(dst, Escape(a)...)
	}
	tag := k.tag(string(dst[start:]))
	dst = append(dst, ' ')
	dst = append(dst, tag[:]...)
	return append(dst, "]]"...)
}

func (k Key) tag(body string) [4]byte {
	x := k.k.Sub(body).Seen()
	const hex = "0123456789abcdef"
	return [4]byte{hex[x>>60], hex[x>>56&15], hex[x>>52&15], hex[x>>48&15]}
}

// Scan calls fn for each valid mark in s, in order. Marks of another key, of an
// unknown verb or with the wrong number of words are passed over. Args are
// unescaped. It reads s once and allocates only for words that were escaped.
func (k Key) Scan(s string, fn func(Mark)) {
	for {
		i := strings.Index(s, "[[")
		if i < 0 {
			return
		}
		for s = s[i+2:]; s != "" && s[0] == '['; {
			s = s[1:] // the innermost pair opens the mark
		}
		j := 0
		for j < len(s) && s[j] != ']' && s[j] != '[' && s[j] != '\n' {
			j++
		}
		if strings.HasPrefix(s[j:], "]]") {
			if m, ok := k.parse(s[:j]); ok {
				fn(m)
			}
		}
		s = s[j:]
	}
}

// parse reads what stands between the brackets. The tag is checked first, which
// nearly everything that is no mark of this key fails.
func (k Key) parse(body string) (m Mark, ok bool) {
	cut := len(body) - 5
	if cut < 0 || body[cut] != ' ' {
		return m, false
	}
	body, tag := body[:cut], body[cut+1:]
	if want := k.tag(body); string(want[:]) != tag {
		return m, false
	}
	verb, rest, more := strings.Cut(body, " ")
	m.Verb = Verb(verb)
	n := 0
	for ; more && n < len(m.Args); n++ {
		var w string
		w, rest, more = strings.Cut(rest, " ")
		m.Args[n] = Unescape(w)
	}
	return m, !more && n == arity(m.Verb)
}

// Escape writes a word with letters, digits and `._-/:@,+~` as they are and
// every other byte as %XX, so that no word needs quoting anywhere.
func Escape(s string) string {
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) {
			return escapeFrom(s)
		}
	}
	return s
}

func escapeFrom(s string) string {
	const hex = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		if c := s[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._-/:@,+~", c) >= 0
}

// Unescape undoes Escape.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := strings.IndexByte(hexUpper, s[i+1]), strings.IndexByte(hexUpper, s[i+2])
			if hi >= 0 && lo >= 0 {
				b = append(b, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}

const hexUpper = "0123456789ABCDEF"
