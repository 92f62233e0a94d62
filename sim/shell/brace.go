package shell

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands {a,b} and {1..9} in a word. A word without any is itself.
func (m *machine) braces(w *syntax.Word) []*syntax.Word {
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}
	if !syntax.SplitBraces(copied) {
		return []*syntax.Word{w}
	}
	var out []*syntax.Word
	for _, parts := range m.product(copied.Parts) {
		out = append(out, &syntax.Word{Parts: parts})
	}
	return out
}

// product lists the ways to choose from the braces among parts.
func (m *machine) product(parts []syntax.WordPart) [][]syntax.WordPart {
	defer m.leave()
	if !m.enter() {
		return nil
	}
	all := [][]syntax.WordPart{nil}
	for _, part := range parts {
		choices := [][]syntax.WordPart{{part}}
		if b, ok := part.(*syntax.BraceExp); ok {
			choices = m.choices(b)
		}
		if len(all)*len(choices) > maxFields {
			m.halt(errFields)
			return nil
		}
		next := make([][]syntax.WordPart, 0, len(all)*len(choices))
		for _, a := range all {
			for _, c := range choices {
				if !m.charge(16 * (len(a) + len(c))) {
					return nil
				}
				next = append(next, append(a[:len(a):len(a)], c...))
			}
		}
		all = next
	}
	return all
}

// choices lists what a brace stands for.
func (m *machine) choices(b *syntax.BraceExp) (out [][]syntax.WordPart) {
	if b.Sequence {
		return m.sequence(b)
	}
	for _, w := range b.Elems {
		out = append(out, m.product(w.Parts)...)
		if len(out) > maxFields {
			m.halt(errFields)
			return nil
		}
	}
	return out
}

// sequence lists {from..to..step}, of numbers or letters.
func (m *machine) sequence(b *syntax.BraceExp) (out [][]syntax.WordPart) {
	from, letters := bound(b.Elems[0])
	to, _ := bound(b.Elems[1])
	step := int64(1)
	if len(b.Elems) > 2 {
		if n, err := strconv.ParseInt(b.Elems[2].Lit(), 10, 32); err == nil && n != 0 {
			step = max(n, -n)
		}
	}
	if (max(from, to)-min(from, to))/step >= maxFields {
		m.halt(errFields)
		return nil
	}
	for n := from; ; {
		s := strconv.FormatInt(n, 10)
		if letters {
			s = string(rune(n))
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{Value: s}})
		switch {
		case from <= to && n+step <= to:
			n += step
		case from > to && n-step >= to:
			n -= step
		default:
			return out
		}
	}
}

// bound is one end of a sequence: a number of at most nine digits, which the
// caller's limit covers, or a letter.
func bound(w *syntax.Word) (n int64, letter bool) {
	s := w.Lit()
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return n, false
	}
	if len(s) == 1 && digit(s[0]) < 0 || len(s) == 1 {
		return int64(s[0]), true
	}
	return 1 << 40, false // beyond any limit
}
