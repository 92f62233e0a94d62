package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// param is the value of a parameter expansion. An error was said and clears ok.
func (e *expander) param(p *syntax.ParamExp) string {
	m := e.m
	name := p.Param.Value
	value, set := m.lookup(name)
	if p.Exp != nil {
		return e.operate(p.Exp, name, value, set)
	}
	if !set && m.opts.nounset {
		return e.fail(name + ": unbound variable")
	}
	switch {
	case p.Length:
		return itoa(utf8.RuneCountInString(value))
	case p.Slice != nil:
		return e.slice(p.Slice, value)
	case p.Repl != nil:
		return e.replace(p.Repl, value)
	}
	return value
}

// fail says an error of an expansion, which ends the command it stands in.
func (e *expander) fail(text string) string {
	e.st.err.put("bash: " + brief(text) + "\n")
	e.ok = false
	e.m.status = 1
	return ""
}

// operate is ${x:-y} and its like.
func (e *expander) operate(x *syntax.Expansion, name, value string, set bool) string {
	full := set && value != ""
	switch x.Op {
	case syntax.DefaultUnset, syntax.AssignUnset, syntax.ErrorUnset, syntax.AlternateUnset:
		full = set
	}
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if full {
			return value
		}
		return e.operand(x.Word)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if full {
			return value
		}
		value = e.operand(x.Word)
		e.m.set(name, value)
		return value
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if full {
			return value
		}
		return e.fail(name + ": " + e.operand(x.Word))
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if full {
			return e.operand(x.Word)
		}
		return ""
	}
	return e.trim(x, value)
}

func (e *expander) operand(w *syntax.Word) string {
	s, ok := e.m.text(w, e.st)
	e.ok = e.ok && ok
	return s
}

func (e *expander) patternOf(w *syntax.Word) string {
	s, ok := e.m.pattern(w, e.st)
	e.ok = e.ok && ok
	return s
}

// trim is ${x#pattern}, ${x%pattern}, ${x^} and ${x,}.
func (e *expander) trim(x *syntax.Expansion, value string) string {
	switch x.Op {
	case syntax.UpperAll:
		return strings.ToUpper(value)
	case syntax.LowerAll:
		return strings.ToLower(value)
	case syntax.UpperFirst, syntax.LowerFirst:
		n := runeLen(value)
		if x.Op == syntax.UpperFirst {
			return strings.ToUpper(value[:n]) + value[n:]
		}
		return strings.ToLower(value[:n]) + value[n:]
	}
	pat := e.patternOf(x.Word)
	prefix := x.Op == syntax.RemSmallPrefix || x.Op == syntax.RemLargePrefix
	large := x.Op == syntax.RemLargePrefix || x.Op == syntax.RemLargeSuffix
	if prefix {
		return value[max(0, e.m.prefix(pat, value, large)):]
	}
	for i := range len(value) + 1 {
		at := i
		if !large {
			at = len(value) - i
		}
		if (at == len(value) || value[at]&0xC0 != 0x80) && e.m.match(pat, value[at:]) {
			return value[:at]
		}
		if e.m.halted != nil {
			break
		}
	}
	return value
}

// prefix is the length of the shortest or longest beginning of s that matches,
// -1 for none.
func (m *machine) prefix(pat, s string, longest bool) int {
	for i := range len(s) + 1 {
		n := i
		if longest {
			n = len(s) - i
		}
		if n < len(s) && s[n]&0xC0 == 0x80 {
			continue
		}
		if m.match(pat, s[:n]) {
			return n
		}
		if m.halted != nil {
			break
		}
	}
	return -1
}

// slice is ${x:offset:length}, in characters.
func (e *expander) slice(sl *syntax.Slice, value string) string {
	runes := []rune(value)
	n := int64(len(runes))
	from, ok := e.m.arith(sl.Offset, e.st)
	e.ok = e.ok && ok
	if from < 0 {
		from = max(0, n+max(from, -n-1))
	}
	from = min(from, n)
	to := n
	if sl.Length != nil {
		length, ok := e.m.arith(sl.Length, e.st)
		e.ok = e.ok && ok
		if length < 0 {
			to = max(from, n+max(length, -n))
		} else {
			to = from + min(length, n-from)
		}
	}
	return string(runes[from:to])
}

// replace is ${x/pattern/with} and ${x//pattern/with}.
func (e *expander) replace(r *syntax.Replace, value string) string {
	pat, with := e.patternOf(r.Orig), ""
	if r.With != nil {
		with = e.operand(r.With)
	}
	anchor := byte(0)
	if !r.All && pat != "" && (pat[0] == '#' || pat[0] == '%') {
		anchor, pat = pat[0], pat[1:]
	}
	if pat == "" && anchor == 0 {
		return value
	}
	out := e.m.buffer()
	for i := 0; i < len(value) && e.m.halted == nil; {
		n := -1
		if anchor != '%' || e.m.match(pat, value[i:]) {
			n = e.m.prefix(pat, value[i:], true)
		}
		if n <= 0 {
			if anchor == '#' {
				return value
			}
			n = runeLen(value[i:])
			out.put(value[i : i+n])
			i += n
			continue
		}
		out.put(with)
		i += n
		if !r.All {
			out.put(value[i:])
			break
		}
	}
	return out.String()
}

// runeLen is the length of the first character, 0 of an empty text.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
