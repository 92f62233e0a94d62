package shell

import (
	"fmt"
	"path"
	"regexp"
	rsyntax "regexp/syntax"
	"strconv"
	"strings"
)

// search is one call of grep.
type search struct {
	c             *call
	f             flags
	re            *regexp.Regexp
	cost          int // what looking at 16 bytes is charged with
	named         bool
	before, after int
	most          int
}

func runGrep(c *call) int {
	f, rest, ok := c.options("i n r R l L c v o q E F P w h H s e: A: B: C: m: include: exclude: exclude-dir: color:")
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

// compile reads the pattern and the counts. An expression is charged for the
// size of its program.
func (s *search) compile() error {
	p := s.f["e"]
	switch {
	case len(p) > maxPattern:
		return fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	case s.f.has("F"):
		p = regexp.QuoteMeta(p)
	case !s.f.has("E") && !s.f.has("P"):
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
	if s.re, err = regexp.Compile(p); err != nil {
		return err
	}
	return s.counts()
}

func (s *search) counts() error {
	for _, o := range [...]struct {
		name string
		to   []*int
	}{{"C", []*int{&s.before, &s.after}}, {"B", []*int{&s.before}}, {"A", []*int{&s.after}}, {"m", []*int{&s.most}}} {
		if !s.f.has(o.name) {
			continue
		}
		n, err := strconv.Atoi(s.f[o.name])
		if err != nil || n < 0 {
			return fmt.Errorf("-%s needs a whole number", o.name)
		}
		for _, p := range o.to {
			*p = min(n, maxStream)
		}
	}
	return nil
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
	s.named = (len(names) > 1 || recursive || s.f.has("H")) && !s.f.has("h")
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
			if s.takes(rel) {
				content, _ := s.c.m.read(p)
				out = append(out, source{strings.TrimSuffix(n, "/") + "/" + rel, content})
			}
		}
	}
	return out, failed
}

// takes applies --include and --exclude.
func (s *search) takes(rel string) bool {
	base := path.Base(rel)
	for _, o := range [...]string{"include", "exclude"} {
		if s.f.has(o) && s.c.m.match(s.f[o], base) != (o == "include") {
			return false
		}
	}
	return !s.f.has("exclude-dir") || !strings.Contains("/"+path.Dir(rel)+"/", "/"+s.f["exclude-dir"]+"/")
}

// in searches one file and says whether a line was found.
func (s *search) in(src source) bool {
	name := src.name
	if name == "-" {
		name = "(standard input)"
	}
	ls := lines(src.content)
	var hits []int
	for i, l := range ls {
		if s.c.m.charge((len(l)/16+1)*s.cost) && s.re.MatchString(bare(l)) != s.f.has("v") {
			hits = append(hits, i)
		}
		if s.most > 0 && len(hits) == s.most || s.c.m.halted != nil {
			break
		}
	}
	switch {
	case s.f.has("q"):
	case s.f.has("l") || s.f.has("L"):
		if (len(hits) > 0) == s.f.has("l") {
			s.c.out.put(name + "\n")
		}
	case s.f.has("c"):
		s.line(name, ":", 0, itoa(len(hits)))
	default:
		s.show(name, ls, hits)
	}
	return len(hits) > 0
}

// show prints the lines found, with those around them.
func (s *search) show(name string, ls []string, hits []int) {
	next := 0 // the first line that was not shown yet
	for k, h := range hits {
		from := max(next, h-s.before)
		if k > 0 && from > next && s.before+s.after > 0 {
			s.c.out.put("--\n")
		}
		end := min(len(ls), h+1+s.after)
		if k+1 < len(hits) {
			end = min(end, hits[k+1])
		}
		for i := from; i < end; i++ {
			if i == h {
				s.hit(name, h+1, bare(ls[h]))
			} else {
				s.line(name, "-", i+1, bare(ls[i]))
			}
		}
		next = max(end, h+1)
	}
}

func (s *search) hit(name string, n int, line string) {
	parts := []string{line}
	if s.f.has("o") {
		parts = s.re.FindAllString(line, -1)
	}
	for _, part := range parts {
		s.line(name, ":", n, part)
	}
}

func (s *search) line(name, sep string, n int, text string) {
	prefix := ""
	if s.named {
		prefix = name + sep
	}
	if s.f.has("n") && n > 0 {
		prefix += itoa(n) + sep
	}
	s.c.out.put(prefix + text + "\n")
}
