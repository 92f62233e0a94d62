package shell

import (
	"fmt"
	"path"
	"regexp"
	rsyntax "regexp/syntax"
	"strings"
)

// search is one call of grep.
type search struct {
	c     *call
	f     flags
	re    *regexp.Regexp
	cost  int // what looking at 16 bytes is charged with
	named bool
}

func runGrep(c *call) int {
	f, rest, ok := c.options("i n r R l c v q E F w e: include:")
	if !ok {
		return 2
	}
	if !f.has("e") {
		if len(rest) == 0 {
			return c.complain(2, "there is no pattern")
		}
		f["e"], rest = rest[0], rest[1:]
	}
	s := &search{c: c, f: f}
	if err := s.compile(); err != nil {
		return c.complain(2, err.Error())
	}
	all, failed := s.files(rest)
	found := false
	for _, src := range all {
		found = s.in(src) || found
		if c.m.halted != nil || found && f.has("q") {
			break
		}
	}
	if failed && !f.has("q") {
		return 2
	}
	return truth(found)
}

// compile reads the pattern, which is charged for the size of its program.
func (s *search) compile() error {
	p := s.f["e"]
	switch {
	case len(p) > maxPattern:
		return fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	case s.f.has("F"):
		p = regexp.QuoteMeta(p)
	case !s.f.has("E"):
		p = basic(p)
	}
	if s.f.has("w") {
		p = `\b(?:` + p + `)\b`
	}
	if s.f.has("i") {
		p = "(?i)" + p
	}
	tree, err := rsyntax.Parse(p, rsyntax.Perl)
	if err != nil {
		return err
	}
	prog, err := rsyntax.Compile(tree.Simplify())
	if err != nil {
		return err
	}
	if !s.c.m.charge(100 * len(prog.Inst)) {
		return s.c.m.halted
	}
	s.cost = 16 + len(prog.Inst)
	s.re, err = regexp.Compile(p)
	return err
}

// basic turns a basic expression into an extended one: there \( \) \{ \} \| \+ \?
// are operators and the bare signs are not.
func basic(s string) string {
	var b strings.Builder
	in := false // brackets
	for i := 0; i < len(s); i++ {
		special := strings.IndexByte("(){}|+?", s[i]) >= 0
		switch {
		case in:
			in = s[i] != ']' || s[i-1] == '[' || s[i-1] == '^' && s[i-2] == '['
		case s[i] == '\\' && i+1 < len(s):
			i++
			if strings.IndexByte("(){}|+?", s[i]) < 0 {
				b.WriteByte('\\')
			}
		case special, s[i] == '*' && (i == 0 || i == 1 && s[0] == '^'):
			b.WriteByte('\\')
		case s[i] == '[':
			in = true
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// files are what is searched.
func (s *search) files(names []string) (out []source, failed bool) {
	recursive := s.f.has("r") || s.f.has("R")
	if recursive && len(names) == 0 {
		names = []string{"."}
	}
	s.named = len(names) > 1 || recursive
	if len(names) == 0 {
		return s.c.sources(nil)
	}
	for _, n := range names {
		abs := s.c.m.absolute(n)
		if n == "-" || !s.c.m.isDir(abs) || !recursive {
			got, bad := s.c.sources([]string{n})
			out, failed = append(out, got...), failed || bad
			continue
		}
		for _, p := range s.c.m.filesBelow(abs) {
			rel := strings.TrimPrefix(p[len(abs):], "/")
			if !s.f.has("include") || s.c.m.match(s.f["include"], path.Base(rel)) {
				content, _ := s.c.m.read(p)
				out = append(out, source{strings.TrimSuffix(n, "/") + "/" + rel, content})
			}
		}
	}
	return out, failed
}

// in searches one file and says whether a line was found.
func (s *search) in(src source) bool {
	name := src.name
	if name == "-" {
		name = "(standard input)"
	}
	hits := 0
	for i, l := range lines(src.content) {
		if !s.c.m.charge((len(l)/16 + 1) * s.cost) {
			break
		}
		if s.re.MatchString(bare(l)) == s.f.has("v") {
			continue
		}
		if hits++; !s.f.has("q") && !s.f.has("l") && !s.f.has("c") {
			s.line(name, i+1, bare(l))
		}
	}
	switch {
	case s.f.has("q"):
	case s.f.has("l"):
		if hits > 0 {
			s.c.out.put(name + "\n")
		}
	case s.f.has("c"):
		s.line(name, 0, itoa(hits))
	}
	return hits > 0
}

// line prints a line found, after its number if there is one.
func (s *search) line(name string, n int, text string) {
	prefix := ""
	if s.named {
		prefix = name + ":"
	}
	if s.f.has("n") && n > 0 {
		prefix += itoa(n) + ":"
	}
	s.c.out.put(prefix + text + "\n")
}
