package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// test is the truth of what stands in [[ ]]. ok is false after an error.
func (m *machine) test(x syntax.TestExpr, st *streams) (holds, ok bool) {
	defer m.leave()
	if !m.enter() || !m.charge(1) {
		return false, false
	}
	switch x := x.(type) {
	case *syntax.Word:
		s, ok := m.text(x, st)
		return s != "", ok
	case *syntax.ParenTest:
		return m.test(x.X, st)
	case *syntax.UnaryTest:
		return m.unaryTest(x, st)
	case *syntax.BinaryTest:
		return m.binaryTest(x, st)
	}
	return false, false
}

func (m *machine) unaryTest(x *syntax.UnaryTest, st *streams) (holds, ok bool) {
	if x.Op == syntax.TsNot {
		holds, ok = m.test(x.X, st)
		return !holds, ok
	}
	w, ok := x.X.(*syntax.Word)
	if !ok {
		return false, false
	}
	s, ok := m.text(w, st)
	if !ok {
		return false, false
	}
	return m.about(x.Op.String(), s, st)
}

// about is the truth of a test of one word, such as -f.
func (m *machine) about(op, s string, st *streams) (holds, ok bool) {
	abs := m.absolute(s)
	switch op {
	case "-e", "-a", "-r":
		return s != "" && m.exists(abs), true
	case "-w":
		return s != "" && m.exists(abs) && (m.isDir(abs) || m.writable(abs) == ""), true
	case "-f":
		return s != "" && abs != nullDevice && m.isFile(abs), true
	case "-d":
		return s != "" && m.isDir(abs), true
	case "-s":
		content, why := m.read(s)
		return why == "" && content != "", true
	case "-x":
		return s != "" && m.isDir(abs), true
	case "-L", "-h", "-p", "-S", "-b", "-c", "-t":
		return false, true
	case "-z":
		return s == "", true
	case "-n":
		return s != "", true
	case "-v":
		_, set := m.lookup(s)
		return set, true
	}
	st.err.put("bash: test: " + brief(op) + ": unary operator expected\n")
	return false, false
}

func (m *machine) binaryTest(x *syntax.BinaryTest, st *streams) (holds, ok bool) {
	if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
		holds, ok = m.test(x.X, st)
		if !ok || holds != (x.Op == syntax.AndTest) {
			return holds, ok
		}
		return m.test(x.Y, st)
	}
	left, ok1 := x.X.(*syntax.Word)
	right, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		return false, false
	}
	a, ok1 := m.text(left, st)
	p, ok2 := m.whole(right, st)
	if !ok1 || !ok2 {
		return false, false
	}
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort:
		return m.match(p.pat.String(), a), true
	case syntax.TsNoMatch:
		return !m.match(p.pat.String(), a), true
	case syntax.TsReMatch:
		re, err := m.compile(p.text.String(), false)
		if err != nil {
			st.err.put("bash: " + brief(err.Error()) + "\n")
			return false, false
		}
		return re.has(a), true
	}
	return m.compare(x.Op.String(), a, p.text.String(), st)
}

// compare is the truth of a test of two words.
func (m *machine) compare(op, a, b string, st *streams) (holds, ok bool) {
	switch op {
	case "=", "==":
		return a == b, true
	case "!=":
		return a != b, true
	case "<":
		return a < b, true
	case ">":
		return a > b, true
	case "-nt", "-ot", "-ef": // files have no times here; equal names are one file
		return op == "-ef" && m.absolute(a) == m.absolute(b), true
	}
	x, ok := m.number(a, st, 0)
	if !ok {
		return false, false
	}
	y, ok := m.number(b, st, 0)
	if !ok {
		return false, false
	}
	switch op {
	case "-eq":
		return x == y, true
	case "-ne":
		return x != y, true
	case "-lt":
		return x < y, true
	case "-le":
		return x <= y, true
	case "-gt":
		return x > y, true
	case "-ge":
		return x >= y, true
	}
	st.err.put("bash: test: " + brief(op) + ": binary operator expected\n")
	return false, false
}

// condition reads the words of test and [.
type condition struct {
	c    *call
	args []string
	bad  bool
}

// runTest is test, and [ with its ].
func runTest(c *call) int {
	args := c.args
	if c.name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			return c.complain(2, "missing ]")
		}
		args = args[:len(args)-1]
	}
	if len(args) == 0 {
		return 1
	}
	t := &condition{c: c, args: args}
	holds := t.or()
	if t.bad || len(t.args) > 0 {
		if !t.bad {
			c.complain(2, "too many arguments")
		}
		return 2
	}
	return truth(holds)
}

func (t *condition) next() string {
	if len(t.args) == 0 {
		if !t.bad {
			t.c.complain(2, "argument expected")
		}
		t.bad = true
		return ""
	}
	s := t.args[0]
	t.args = t.args[1:]
	return s
}

func (t *condition) take(s string) bool {
	if len(t.args) > 1 && t.args[0] == s {
		t.args = t.args[1:]
		return true
	}
	return false
}

func (t *condition) or() bool {
	holds := t.and()
	for t.take("-o") {
		other := t.and()
		holds = holds || other
	}
	return holds
}

func (t *condition) and() bool {
	holds := t.primary()
	for t.take("-a") {
		other := t.primary()
		holds = holds && other
	}
	return holds
}

func (t *condition) primary() bool {
	defer t.c.m.leave()
	if !t.c.m.enter() {
		t.bad = true
		return false
	}
	if len(t.args) >= 3 && isBinary(t.args[1]) {
		a, op, b := t.next(), t.next(), t.next()
		return t.hold(t.c.m.compare(op, a, b, t.c.streams))
	}
	if t.take("!") {
		return !t.primary()
	}
	if t.take("(") {
		holds := t.or()
		if t.next() != ")" {
			t.bad = true
		}
		return holds
	}
	if len(t.args) >= 2 && len(t.args[0]) == 2 && t.args[0][0] == '-' {
		op, s := t.next(), t.next()
		return t.hold(t.c.m.about(op, s, t.c.streams))
	}
	return t.next() != ""
}

func (t *condition) hold(holds, ok bool) bool {
	t.bad = t.bad || !ok
	return holds
}

func isBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}

// positional replaces \1 by ${1} and & by ${0}, as sed writes them, for a
// replacement.
func positional(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '$':
			b.WriteString("$$")
		case s[i] == '&':
			b.WriteString("${0}")
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch {
			case '0' <= s[i] && s[i] <= '9':
				b.WriteString("${" + s[i:i+1] + "}")
			case s[i] == 'n':
				b.WriteByte('\n')
			case s[i] == 't':
				b.WriteByte('\t')
			case s[i] == '$':
				b.WriteString("$$")
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
