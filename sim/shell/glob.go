package shell

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// match reports whether a pattern matches a whole text: *, ?, [class] and
// backslashes. It takes at most as many steps as both have characters,
// multiplied, which are charged.
func (m *machine) match(pat, s string) bool {
	if strings.IndexByte(pat, '*') >= 0 && !m.charge(len(pat)*len(s)/16) {
		return false
	}
	if !m.charge(len(s)) {
		return false
	}
	return matches(pat, s)
}

// matches goes through both, and back to behind the last star where they part.
func matches(pat, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		if p < len(pat) && pat[p] == '*' {
			star, mark = p, i
			p++
			continue
		}
		if pn, sn, ok := one(pat[p:], s[i:]); ok {
			p += pn
			i += sn
			continue
		}
		if star < 0 {
			return false
		}
		mark += runeLen(s[mark:])
		p, i = star+1, mark
	}
	return strings.Trim(pat[p:], "*") == ""
}

// one matches one character: how long the pattern's part and the text's are.
func one(pat, s string) (pn, sn int, ok bool) {
	if pat == "" {
		return 0, 0, false
	}
	r, sn := utf8.DecodeRuneInString(s)
	switch pat[0] {
	case '?':
		return 1, sn, true
	case '[':
		if in, n, valid := class(pat, r); valid {
			return n, sn, in
		}
	case '\\':
		if len(pat) > 1 {
			q, n := utf8.DecodeRuneInString(pat[1:])
			return 1 + n, sn, q == r
		}
	}
	q, n := utf8.DecodeRuneInString(pat)
	return n, sn, q == r
}

// class reads [abc], [a-z], [!a], [[:digit:]]; n is its length.
func class(pat string, r rune) (in bool, n int, valid bool) {
	i := 1
	not := i < len(pat) && (pat[i] == '!' || pat[i] == '^')
	if not {
		i++
	}
	for first := true; i < len(pat); first = false {
		if pat[i] == ']' && !first {
			return in != not, i + 1, true
		}
		if name, rest, ok := strings.Cut(strings.TrimPrefix(pat[i:], "[:"), ":]"); ok && strings.HasPrefix(pat[i:], "[:") && len(name) < 8 {
			in = in || named(name, r)
			i = len(pat) - len(rest)
			continue
		}
		lo, size := classRune(pat[i:])
		i += size
		hi := lo
		if i+1 < len(pat) && pat[i] == '-' && pat[i+1] != ']' {
			hi, size = classRune(pat[i+1:])
			i += 1 + size
		}
		in = in || lo <= r && r <= hi
	}
	return false, 0, false
}

func classRune(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}

// named reports whether a character is of a POSIX class.
func named(class string, r rune) bool {
	digit := '0' <= r && r <= '9'
	lower, upper := 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z'
	switch class {
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "space":
		return strings.ContainsRune(" \t\n\r\v\f", r)
	case "blank":
		return r == ' ' || r == '\t'
	case "punct":
		return '!' <= r && r <= '~' && !lower && !upper && !digit
	case "xdigit":
		return digit || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F'
	}
	return false
}

// names is the files that a word's pattern matches, sorted, or the word itself.
func (m *machine) names(p *piece) []string {
	text := p.text.String()
	if !p.glob {
		return []string{text}
	}
	parts := strings.Split(p.pat.String(), "/")
	found := []string{""}
	if parts[0] == "" {
		found = []string{"/"}
		parts = parts[1:]
	}
	for i, part := range parts {
		found = m.step1(found, part, i < len(parts)-1)
	}
	if len(found) == 0 {
		return []string{text}
	}
	return found
}

// step1 goes one part of a path further.
func (m *machine) step1(from []string, part string, more bool) (out []string) {
	if part == "" {
		return from
	}
	slash := ""
	if more {
		slash = "/"
	}
	plain := unescape(part)
	isPattern := strings.ContainsAny(part, "*?[")
	for _, dir := range from {
		if !isPattern || plain == "." || plain == ".." {
			if abs := m.absolute(dir + plain); m.exists(abs) {
				out = append(out, dir+plain+slash)
			}
			continue
		}
		for _, e := range m.entries(m.absolute(dir + ".")) {
			if more && !e.dir || e.name[0] == '.' && part[0] != '.' || !m.match(part, e.name) {
				continue
			}
			if out = append(out, dir+e.name+slash); len(out) > maxFields {
				m.halt(errFields)
				return nil
			}
		}
	}
	slices.Sort(out)
	return out
}
