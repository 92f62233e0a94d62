package shell

import (
	"errors"
	"strconv"
	"strings"
)

// sedEffect writes with -i, and with what is not known before it runs.
func sedEffect(_ set, args []string) effect {
	for _, a := range args {
		if a == unknownWord || strings.HasPrefix(a, "--in-place") || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "i") {
			return writing
		}
	}
	return reading
}

// edit is one command of a sed script.
type edit struct {
	from, to address
	ranged   bool
	not      bool
	verb     byte
	re       *regex
	with     string
	global   bool
	print    bool
	inside   bool // the range has begun
}

// address is a line number, the last line ($), or an expression.
type address struct {
	line int
	last bool
	re   *regex
}

func (a address) none() bool { return a.line == 0 && !a.last && a.re == nil }

func runSed(c *call) int {
	f, rest, ok := c.options("n quiet=n E r i in-place=i e: expression=e: s")
	if !ok {
		return 2
	}
	script := f.value("e")
	if !f.has("e") {
		if len(rest) == 0 {
			return c.complain(1, "there is no script")
		}
		script, rest = rest[0], rest[1:]
	}
	edits, err := c.m.sedScript(script, f.has("E") || f.has("r"))
	if err != nil {
		return c.complain(1, err.Error())
	}
	if f.has("i") && len(rest) == 0 {
		return c.complain(1, "-i needs a file")
	}
	all, failed := c.sources(rest)
	if !f.has("i") {
		c.sed(edits, joined(all), f.has("n"), c.out)
		return truth(!failed)
	}
	for _, s := range all {
		out := c.m.buffer()
		c.sed(edits, s.content, f.has("n"), out)
		if c.m.halted != nil {
			break
		}
		if why := c.m.write(c.m.absolute(s.name), out.String()); why != "" {
			failed = c.complain(4, s.name+": "+why) != 0
		}
	}
	return truth(!failed)
}

// sed applies a script to a text.
func (c *call) sed(edits []edit, text string, quiet bool, out *buffer) {
	for i := range edits {
		edits[i].inside = false
	}
	ls := lines(text)
	for i, l := range ls {
		line, end := bare(l), l[len(bare(l)):]
		kept, quit := true, false
		for k := range edits {
			e := &edits[k]
			if !e.applies(i+1, i == len(ls)-1, line) {
				continue
			}
			switch e.verb {
			case 'd':
				kept = false
			case 'p':
				out.put(line + "\n")
			case 'q':
				quit = true
			case 's':
				changed := e.substitute(line)
				if e.print && changed != line {
					out.put(changed + "\n")
				}
				line = changed
			}
			if !kept || quit {
				break
			}
		}
		if kept && !quiet {
			out.put(line + end)
		}
		if quit || c.m.halted != nil {
			return
		}
	}
}

// applies says whether an edit applies to a line.
func (e *edit) applies(n int, last bool, line string) bool {
	in := true
	switch {
	case e.from.none():
	case !e.ranged:
		in = e.from.is(n, last, line)
	case e.inside:
		e.inside = !(e.to.is(n, last, line) || e.to.line > 0 && n >= e.to.line)
		in = e.to.line == 0 || n <= e.to.line
	default:
		in = e.from.is(n, last, line)
		e.inside = in && !(e.to.line > 0 && e.to.line <= n) && !(e.to.last && last)
	}
	return in != e.not
}

func (a address) is(n int, last bool, line string) bool {
	return a.line == n && n > 0 || a.last && last || a.re != nil && a.re.has(line)
}

// substitute replaces the first match, or all.
func (e *edit) substitute(line string) string {
	if !e.re.pay(line) {
		return line
	}
	var b []byte
	at := 0
	most := 1
	if e.global {
		most = -1
	}
	for _, m := range e.re.re.FindAllStringSubmatchIndex(line, most) {
		b = append(b, line[at:m[0]]...)
		b = e.re.re.ExpandString(b, e.with, line, m)
		at = m[1]
		if len(b) > maxStream {
			e.re.m.halt(errStream)
			return line
		}
	}
	return string(append(b, line[at:]...))
}

// sedScript reads commands parted by ; or line feeds.
func (m *machine) sedScript(s string, extended bool) (out []edit, err error) {
	r := &sedReader{m: m, s: s, extended: extended}
	for r.skip(); r.i < len(r.s); r.skip() {
		e, err := r.edit()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if len(out) > 100 {
			return nil, errors.New("the script has more than 100 commands")
		}
	}
	return out, nil
}

type sedReader struct {
	m        *machine
	s        string
	i        int
	extended bool
}

func (r *sedReader) skip() {
	for r.i < len(r.s) && strings.IndexByte(" \t\n;", r.s[r.i]) >= 0 {
		r.i++
	}
}

func (r *sedReader) take(c byte) bool {
	if r.i < len(r.s) && r.s[r.i] == c {
		r.i++
		return true
	}
	return false
}

func (r *sedReader) edit() (e edit, err error) {
	if e.from, err = r.address(); err != nil {
		return e, err
	}
	if !e.from.none() && r.take(',') {
		e.ranged = true
		if e.to, err = r.address(); err != nil || e.to.none() {
			return e, errors.Join(err, errors.New("a range needs two addresses"))
		}
	}
	e.not = r.take('!')
	if r.i == len(r.s) {
		return e, errors.New("an address without a command")
	}
	e.verb = r.s[r.i]
	r.i++
	switch e.verb {
	case 'p', 'd', 'q':
		return e, nil
	case 's':
		return e, r.substitution(&e)
	}
	return e, errors.New("this shell's sed knows s, p, d and q, not " + strconv.QuoteRune(rune(e.verb)))
}

func (r *sedReader) address() (a address, err error) {
	switch {
	case r.take('$'):
		a.last = true
	case r.take('/'):
		p, err := r.until('/')
		if err != nil {
			return a, err
		}
		a.re, err = r.compile(p, false)
		return a, err
	default:
		from := r.i
		for r.i < len(r.s) && '0' <= r.s[r.i] && r.s[r.i] <= '9' {
			r.i++
		}
		if r.i > from {
			if a.line, err = strconv.Atoi(r.s[from:r.i]); err != nil || a.line == 0 {
				return a, errors.New("lines count from 1")
			}
		}
	}
	return a, nil
}

// until reads up to a delimiter that is not escaped.
func (r *sedReader) until(end byte) (string, error) {
	var b strings.Builder
	for r.i < len(r.s) {
		c := r.s[r.i]
		r.i++
		switch {
		case c == end:
			return b.String(), nil
		case c == '\\' && r.i < len(r.s) && r.s[r.i] == end:
			if strings.IndexByte("|+?(){}", end) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(end)
			r.i++
		case c == '\\' && r.i < len(r.s):
			b.WriteByte(c)
			b.WriteByte(r.s[r.i])
			r.i++
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a command is not ended by " + strconv.QuoteRune(rune(end)))
}

func (r *sedReader) compile(p string, fold bool) (*regex, error) {
	if !r.extended {
		p = basic(p)
	}
	return r.m.compile(p, fold)
}

func (r *sedReader) substitution(e *edit) error {
	if r.i == len(r.s) {
		return errors.New("s needs a pattern")
	}
	delim := r.s[r.i]
	r.i++
	if delim == '\\' || delim == '\n' || delim >= 0x80 {
		return errors.New("s cannot be delimited so")
	}
	pattern, err := r.until(delim)
	if err != nil {
		return err
	}
	with, err := r.until(delim)
	if err != nil {
		return err
	}
	fold := false
	for ; r.i < len(r.s) && strings.IndexByte("; \n}", r.s[r.i]) < 0; r.i++ {
		switch r.s[r.i] {
		case 'g':
			e.global = true
		case 'p':
			e.print = true
		case 'i', 'I':
			fold = true
		default:
			return errors.New("s knows the flags g, p and i only")
		}
	}
	e.with = positional(with)
	e.re, err = r.compile(pattern, fold)
	return err
}
