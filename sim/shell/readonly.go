package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ReadOnly reports whether nothing in the script can change a file or run the
// project's code: every command is marked as reading, with the options it is
// given, and no redirection writes but into nothing. What it cannot tell from
// the text alone, it denies: a command whose name or option is computed, one
// that it does not know, syntax that this shell does not have.
func ReadOnly(script string) bool {
	file, err := parse(script)
	if err != nil {
		return false
	}
	s, reads := commandSet(), true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			reads = reads && s.callReads(n)
		case *syntax.Redirect:
			reads = reads && redirectReads(n)
		}
		return reads
	})
	return reads
}

// callReads reports whether a command is known to read.
func (s set) callReads(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return true // assignments of the shell's own variables
	}
	args := make([]string, len(c.Args))
	for i, w := range c.Args {
		word, ok := constant(w)
		if !ok {
			word = unknownWord
		}
		args[i] = word
	}
	return s.effectOf(args) == reading
}

func redirectReads(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplOut:
		return true
	}
	s, ok := constant(r.Word)
	return ok && s == nullDevice
}

// constant is a word's text if it expands to that, whatever happens. One that
// may begin with a dash, or become several words, is not.
func constant(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{~") && !(p.Value == "[" && len(w.Parts) == 1) {
				return "", false
			}
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(unescapeQuoted(lit.Value))
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// effect is what a command may do.
type effect uint8

const (
	reading effect = iota // looks only
	writing               // changes files, the repository or what the session keeps
	running               // runs code of the project, whose effect nobody knows
)

// effectOf is what a command line may do. Some words may be unknownWord.
func (s set) effectOf(args []string) effect {
	c, ok := s[args[0]]
	if !ok {
		return running
	}
	if c.of != nil {
		return c.of(s, args[1:])
	}
	return c.effect
}
