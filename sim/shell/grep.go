package shell

import (
	"fmt"
	"path"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// search is one call of grep.
type search struct {
	c     *call
	f     flags
	re    *regexp.Regexp
	begin string // of every match
	cost  int    // what looking at 16 bytes is charged with
	named bool
}

func runGrep(c *call) int {
	f, rest, ok := c.options("i n r l c v q E include:")
	if !ok {
		return 2
	}
	if len(rest) == 0 {
		return c.complain(2, "there is no pattern")
	}
	s := &search{c: c, f: f}
	if err := s.compile(rest[0]); err != nil {
		return c.complain(2, err.Error())
	}
	all, status := s.files(rest[1:])
	found := false
	for _, src := range all {
		found = s.in(src) || found
		if c.m.halted != nil || found && f.has("q") {
			break
		}
	}
	if status != 0 && !f.has("q") {
		return 2
	}
	return truth(found)
}

// basic turns a basic expression into an extended one: there \( \) \{ \} \| \+ \?
// are operators and the bare signs are not.
var basic = strings.NewReplacer(`\\`, `\\`, `\(`, `(`, `\)`, `)`, `\{`, `{`, `\}`, `}`, `\|`, `|`, `\+`, `+`, `\?`, `?`,
	`(`, `\(`, `)`, `\)`, `{`, `\{`, `}`, `\}`, `|`, `\|`, `+`, `\+`, `?`, `\?`)

// compile reads the pattern, which is charged for the size of its program.
func (s *search) compile(p string) error {
	if len(p) > maxPattern {
		return fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	if !s.f.has("E") {
		p = basic.Replace(p)
	}
	if s.f.has("i") {
		p = "(?i)" + p
	}
	tree, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return err
	}
	s.cost = 16 + len(tree.Simplify().String()) // repetitions are written out
	if !s.c.m.charge(100 * s.cost) {
		return s.c.m.halted
	}
	if s.re, err = regexp.Compile(p); err == nil {
		s.begin, _ = s.re.LiteralPrefix()
	}
	return err
}

// files are what is searched.
func (s *search) files(names []string) (out []file, status int) {
	s.named = len(names) > 1 || s.f.has("r")
	if s.f.has("r") && len(names) == 0 {
		names = []string{"."}
	}
	if !s.f.has("r") {
		return s.c.files(names)
	}
	for _, n := range names {
		abs := s.c.m.absolute(n)
		if !s.c.m.isDir(abs) {
			got, bad := s.c.files([]string{n})
			out, status = append(out, got...), max(status, bad)
			continue
		}
		for _, p := range s.c.m.filesBelow(abs) {
			if !s.f.has("include") || s.c.m.match(s.f["include"], path.Base(p)) {
				content, _ := s.c.m.read(p)
				out = append(out, file{strings.TrimSuffix(n, "/") + p[len(abs):], content, s.c.m.version(p)})
			}
		}
	}
	return out, status
}

// in searches one file and says whether a line was found.
func (s *search) in(src file) bool {
	name := src.name
	if name == "-" {
		name = "(standard input)"
	}
	first, numbered, other := s.f.has("q") || s.f.has("l"), s.f.has("n"), s.f.has("v")
	quiet, hits, n := first || s.f.has("c"), 0, 0
	if v := src.version; v != nil && !other && !v.Contains(s.begin) {
		s.c.m.charge(v.Pieces() * s.cost) // as its lines one by one
		src.content = ""
	}
	for l := range strings.Lines(src.content) {
		if n++; first && hits > 0 || !s.c.m.charge((len(l)/16+1)*s.cost) {
			break
		}
		l = strings.TrimSuffix(l, "\n")
		if (strings.Contains(l, s.begin) && s.re.MatchString(l)) == other {
			continue
		}
		if hits++; quiet {
			continue
		}
		if numbered {
			l = strconv.Itoa(n) + ":" + l
		}
		s.line(name, l)
	}
	switch {
	case s.f.has("q"):
	case s.f.has("l") && hits > 0:
		s.c.out.put(name + "\n")
	case s.f.has("c"):
		s.line(name, strconv.Itoa(hits))
	}
	return hits > 0
}

// line prints what was found in a file, after its name if there are several.
func (s *search) line(name, text string) {
	if s.named {
		text = name + ":" + text
	}
	s.c.out.put(text + "\n")
}
