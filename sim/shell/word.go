package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// piece is a word as it grows: its text, and the same as a pattern, in which
// what was quoted is escaped.
type piece struct {
	text, pat strings.Builder
	glob      bool // an unquoted pattern character stands in it
	some      bool // it is a word even if it is empty
}

// literal appends text that means itself.
func (p *piece) literal(s string) {
	p.some = true
	p.text.WriteString(s)
	p.pat.WriteString(escapePattern(s))
}

// free appends unquoted text, in which pattern characters count.
func (p *piece) free(s string) {
	if s == "" {
		return
	}
	p.some = true
	p.glob = p.glob || strings.ContainsAny(s, "*?[")
	p.text.WriteString(s)
	p.pat.WriteString(strings.ReplaceAll(s, `\`, `\\`))
}

// escapePattern makes a pattern that matches s alone.
func escapePattern(s string) string {
	if !strings.ContainsAny(s, `*?[]\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// expander makes words of one syntax word.
type expander struct {
	m     *machine
	st    *streams
	split bool // unquoted values are split at white space
	done  []*piece
	now   *piece
	ok    bool
}

// fields expands words into the arguments of a command: braces, variables,
// commands and sums, splitting, file names. ok is false after an error, which
// was said.
func (m *machine) fields(words []*syntax.Word, st *streams) (out []string, ok bool) {
	for _, w := range words {
		for _, w := range m.braces(w) {
			e := &expander{m: m, st: st, split: true, now: &piece{}, ok: true}
			e.parts(w.Parts)
			e.flush()
			if !e.ok || m.halted != nil {
				return nil, false
			}
			for _, p := range e.done {
				m.charge(entryWork)
				out = append(out, m.names(p)...)
			}
			if len(out) > maxFields {
				m.halt(errFields)
				return nil, false
			}
		}
	}
	return out, m.halted == nil
}

// text expands a word to one text, without splitting or file names.
func (m *machine) text(w *syntax.Word, st *streams) (string, bool) {
	p, ok := m.whole(w, st)
	if !ok {
		return "", false
	}
	return p.text.String(), true
}

// pattern expands a word to a pattern.
func (m *machine) pattern(w *syntax.Word, st *streams) (string, bool) {
	p, ok := m.whole(w, st)
	if !ok {
		return "", false
	}
	return p.pat.String(), true
}

func (m *machine) whole(w *syntax.Word, st *streams) (*piece, bool) {
	e := &expander{m: m, st: st, now: &piece{}, ok: true}
	if w != nil {
		e.parts(w.Parts)
	}
	return e.now, e.ok && m.halted == nil
}

// quotedParts expands what stands between double quotes, or in a here-document.
func (m *machine) quotedParts(parts []syntax.WordPart, st *streams, doc bool) (string, bool) {
	e := &expander{m: m, st: st, now: &piece{}, ok: true}
	e.quoted(parts, doc)
	return e.now.text.String(), e.ok && m.halted == nil
}

func (e *expander) flush() {
	if e.now.some {
		e.done = append(e.done, e.now)
	}
	e.now = &piece{}
}

// parts expands the parts of a word that are not in quotes.
func (e *expander) parts(parts []syntax.WordPart) {
	defer e.m.leave()
	if !e.m.enter() {
		return
	}
	for i, part := range parts {
		if !e.ok || e.m.halted != nil {
			return
		}
		switch part := part.(type) {
		case *syntax.Lit:
			e.lit(part.Value, i == 0)
		case *syntax.SglQuoted:
			if part.Dollar {
				e.now.literal(ansi(part.Value))
			} else {
				e.now.literal(part.Value)
			}
		case *syntax.DblQuoted:
			e.now.literal("")
			e.quoted(part.Parts, false)
		default:
			e.value(e.valueOf(part))
		}
	}
}

// lit appends unquoted text as it is written, with its backslashes.
func (e *expander) lit(s string, first bool) {
	if first && (s == "~" || strings.HasPrefix(s, "~/")) {
		home, _ := e.m.lookup("HOME")
		e.now.literal(home)
		s = s[1:]
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			e.now.free(s)
			return
		}
		e.now.free(s[:i])
		if s = s[i+1:]; s == "" {
			e.now.literal(`\`)
			return
		}
		if s[0] != '\n' {
			n := runeLen(s)
			e.now.literal(s[:n])
			s = s[n:]
		} else {
			s = s[1:]
		}
	}
}

// value appends an unquoted value, split where words are made.
func (e *expander) value(s string) {
	if !e.split {
		e.now.free(s)
		return
	}
	ifs := e.m.ifs()
	for s != "" {
		i := strings.IndexAny(s, ifs)
		if i < 0 {
			e.now.free(s)
			return
		}
		e.now.free(s[:i])
		if !blank(s[i]) {
			e.now.some = true // a delimiter that is seen ends a word even if that is empty
			i++
		}
		e.flush()
		if len(e.done) > maxFields {
			e.m.halt(errFields)
			return
		}
		for i < len(s) && blank(s[i]) && strings.IndexByte(ifs, s[i]) >= 0 {
			i++
		}
		s = s[i:]
	}
}

// ifs is the characters at which values are split.
func (m *machine) ifs() string {
	if v, ok := m.vars["IFS"]; ok {
		return v
	}
	return " \t\n"
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// quoted expands parts between double quotes.
func (e *expander) quoted(parts []syntax.WordPart, doc bool) {
	for _, part := range parts {
		if !e.ok || e.m.halted != nil {
			return
		}
		if lit, ok := part.(*syntax.Lit); ok {
			s := unescapeQuoted(lit.Value)
			if doc {
				s = unescapeDoc(lit.Value)
			}
			e.now.literal(s)
			continue
		}
		e.now.literal(e.valueOf(part))
	}
}

// valueOf is what an expansion stands for.
func (e *expander) valueOf(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.ParamExp:
		return e.param(part)
	case *syntax.CmdSubst:
		return e.m.substitute(part, e.st)
	case *syntax.ArithmExp:
		n, ok := e.m.arith(part.X, e.st)
		e.ok = e.ok && ok
		return formatInt(n)
	case *syntax.DblQuoted:
		s, ok := e.m.quotedParts(part.Parts, e.st, false)
		e.ok = e.ok && ok
		return s
	case *syntax.SglQuoted:
		return part.Value
	}
	panic("shell: the check let an expansion pass that is not handled")
}

// substitute is the output of commands, without its last line feeds.
func (m *machine) substitute(c *syntax.CmdSubst, st *streams) string {
	out := m.buffer()
	m.status = 0
	m.inside(func() flow {
		return m.list(c.Stmts, &streams{in: st.in, out: out, err: st.err}, m.opts.errexit)
	})
	return strings.TrimRight(out.String(), "\n")
}

// unescape takes the backslashes off unquoted text.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			if i++; i == len(s) {
				b.WriteByte('\\')
				break
			}
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted takes the backslashes off text between double quotes.
func unescapeQuoted(s string) string { return unescapeOnly(s, "\"\\$`\n") }

// unescapeDoc takes the backslashes off the text of a here-document.
func unescapeDoc(s string) string { return unescapeOnly(s, "\\$`\n") }

func unescapeOnly(s, special string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansi is the text of $'…'.
func ansi(s string) string { return escapes(s, false) }

// escapes replaces backslash escapes as echo -e, printf and $'…' know them.
// Where stop is set, \c ends the text.
func escapes(s string, stop bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] == 'c' && stop {
			break
		}
		if at := strings.IndexByte(`abefnrtv\'"`, s[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\'\""[at])
			continue
		}
		if r, n := numbered(s[i:]); n > 0 {
			b.WriteRune(r)
			i += n - 1
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}

// numbered reads x41, 101 or u00e9; n is 0 when there is none. What is no
// character of text is read as the replacement character.
func numbered(s string) (r rune, n int) {
	base, most, from := 8, 3, 0
	switch s[0] {
	case 'x':
		base, most, from = 16, 2, 1
	case 'u':
		base, most, from = 16, 4, 1
	}
	for n = from; n < len(s) && n-from < most; n++ {
		d := digit(s[n])
		if d < 0 || d >= base {
			break
		}
		r = r*rune(base) + rune(d)
	}
	if n == from {
		return 0, 0
	}
	if r == 0 {
		r = '\uFFFD'
	}
	return r, n
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
