package shell

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const grepOptions = "i ignore-case=i n line-number=n r recursive=r R l files-with-matches=l L c count=c v invert-match=v o only-matching=o " +
	"q quiet=q E extended-regexp=E F fixed-strings=F P w word-regexp=w x h H s e: regexp=e: A: after-context=A: B: before-context=B: C: context=C: " +
	"include: exclude: exclude-dir: m: max-count=m: color: G"

// search is one call of grep.
type search struct {
	c             *call
	f             *flags
	re            *regex
	named         bool
	before, after int
	most          int
}

func runGrep(c *call) int {
	f, rest, ok := c.options(grepOptions)
	if !ok {
		return 2
	}
	if !f.has("e") {
		if len(rest) == 0 {
			return c.complain(2, "there is no pattern")
		}
		f.set("e", rest[0])
		rest = rest[1:]
	}
	s := &search{c: c, f: f}
	var err error
	if s.re, err = c.m.compile(grepPattern(f), f.has("i")); err != nil {
		return c.complain(2, err.Error())
	}
	if !s.bounds() {
		return c.complain(2, "a count must be a whole number")
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

func (f *flags) set(name, value string) {
	f.count[name]++
	f.values[name] = value
}

// grepPattern is the expression that the options make of the pattern.
func grepPattern(f *flags) string {
	p := f.value("e")
	switch {
	case f.has("F"):
		p = regexp.QuoteMeta(p)
	case !f.has("E") && !f.has("P"):
		p = basic(p)
	}
	if f.has("w") {
		p = `\b(?:` + p + `)\b`
	}
	if f.has("x") {
		p = `^(?:` + p + `)$`
	}
	return p
}

func (s *search) bounds() bool {
	for _, o := range [...]struct {
		name string
		to   []*int
	}{{"C", []*int{&s.before, &s.after}}, {"B", []*int{&s.before}}, {"A", []*int{&s.after}}, {"m", []*int{&s.most}}} {
		if !s.f.has(o.name) {
			continue
		}
		n, err := strconv.Atoi(s.f.value(o.name))
		if err != nil || n < 0 {
			return false
		}
		for _, p := range o.to {
			*p = min(n, maxStream)
		}
	}
	return true
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
		if n == "-" || !s.c.m.isDir(abs) {
			got, bad := s.c.sources([]string{n})
			out, failed = append(out, got...), failed || bad
			continue
		}
		if !recursive {
			s.c.complain(2, n+": "+isDirectory)
			failed = true
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
	if s.f.has("include") && !s.c.m.match(s.f.value("include"), base) || s.f.has("exclude") && s.c.m.match(s.f.value("exclude"), base) {
		return false
	}
	return !s.f.has("exclude-dir") || !slices.Contains(strings.Split(path.Dir(rel), "/"), s.f.value("exclude-dir"))
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
		if s.re.has(bare(l)) != s.f.has("v") {
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
		for i := from; i < h; i++ {
			s.line(name, "-", i+1, bare(ls[i]))
		}
		s.hit(name, h+1, bare(ls[h]))
		end := min(len(ls), h+1+s.after)
		if k+1 < len(hits) {
			end = min(end, hits[k+1])
		}
		for i := h + 1; i < end; i++ {
			s.line(name, "-", i+1, bare(ls[i]))
		}
		next = max(end, h+1)
	}
}

func (s *search) hit(name string, n int, line string) {
	if !s.f.has("o") {
		s.line(name, ":", n, line)
		return
	}
	for _, part := range s.re.re.FindAllString(line, -1) {
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
