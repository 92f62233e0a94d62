package shell

import (
	"errors"
	"fmt"
	"regexp"
	rsyntax "regexp/syntax"
	"strings"
)

// regex is a compiled expression that charges for its use.
type regex struct {
	m    *machine
	re   *regexp.Regexp
	cost int // steps for 16 bytes of text
}

// maxPattern bounds an expression, in bytes as written.
const maxPattern = 2000

// compile compiles an extended expression.
func (m *machine) compile(s string, fold bool) (*regex, error) {
	if len(s) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	if fold {
		s = "(?i)" + s
	}
	tree, err := rsyntax.Parse(s, rsyntax.Perl)
	if err != nil {
		return nil, errors.New(err.Error())
	}
	prog, err := rsyntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if !m.charge(100 * len(prog.Inst)) {
		return nil, m.halted
	}
	re, err := regexp.Compile(s)
	return &regex{m, re, 16 + len(prog.Inst)}, err
}

// pay charges for going through a text once.
func (r *regex) pay(s string) bool { return r.m.charge((len(s)/16 + 1) * r.cost) }

func (r *regex) has(s string) bool { return r.pay(s) && r.re.MatchString(s) }

// basic turns a basic expression, as grep and sed have it, into an extended
// one: there \( \) \{ \} \| \+ \? are operators and the bare signs are not.
func basic(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			i++
			if strings.IndexByte("(){}|+?", s[i]) < 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		case c == '[':
			n := bracket(s[i:])
			b.WriteString(s[i : i+n])
			i += n - 1
		case strings.IndexByte("(){}|+?", c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '*' && (i == 0 || i == 1 && s[0] == '^'):
			b.WriteString(`\*`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// bracket is the length of a bracket expression, 1 of a bracket alone.
func bracket(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "[:") {
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 1
				continue
			}
		}
		if s[i] == ']' {
			return i + 1
		}
	}
	return 1
}
