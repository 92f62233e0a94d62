package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"agentsim/sim/vtime"
)

func runEcho(c *call) int {
	args, escaped, end := c.args, false, "\n"
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, o := range args[0][1:] {
			switch o {
			case 'n':
				end = ""
			case 'e':
				escaped = true
			case 'E':
				escaped = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escaped {
		text = escapes(text, true)
	}
	c.out.put(text + end)
	return 0
}

// runPrintf knows %s, %d, %i, %x, %o, %c, %b, %q and %%, with width and
// precision.
func runPrintf(c *call) int {
	if len(c.args) == 0 {
		return c.complain(2, "usage: printf format [arguments]")
	}
	if c.args[0] == "--" && len(c.args) > 1 {
		c.args = c.args[1:]
	}
	args := c.args[1:]
	for {
		left, status := c.format(c.args[0], args)
		if status != 0 || len(left) == 0 || len(left) == len(args) || c.m.halted != nil {
			return status
		}
		args = left
	}
}

// format writes the format once and returns the arguments that are left.
func (c *call) format(format string, args []string) (left []string, status int) {
	next := func() string {
		if len(args) == 0 {
			return ""
		}
		s := args[0]
		args = args[1:]
		return s
	}
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		c.out.put(escapes(text, false))
		if !found {
			break
		}
		n := len(rest) - len(strings.TrimLeft(rest, "-+ 0123456789.*"))
		spec := rest[:n]
		if n == len(rest) || len(spec) > 12 || strings.Contains(spec, "*") {
			return nil, c.complain(1, "the format ends too early or is not known: %"+rest)
		}
		verb := rest[n]
		format = rest[n+1:]
		if verb == '%' {
			c.out.put("%")
			continue
		}
		s, ok := c.verb(verb, spec, next())
		if !ok {
			return nil, c.complain(1, "%"+string(verb)+": this shell's printf does not know it, the width is beyond 999, or the argument is no number")
		}
		c.out.put(s)
	}
	return args, 0
}

// verb formats one argument.
func (c *call) verb(verb byte, spec, arg string) (string, bool) {
	width, precision, _ := strings.Cut(strings.TrimLeft(spec, "-+ 0"), ".")
	if len(width) > 3 {
		return "", false
	}
	out := arg
	switch verb {
	case 's':
		if p, err := strconv.Atoi(precision); err == nil && p < len(out) {
			out = out[:runeStart(out, p)]
		}
	case 'b':
		out = escapes(arg, true)
	case 'c':
		out = arg[:runeLen(arg)]
	case 'q':
		out = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	case 'd', 'i', 'x', 'X', 'o', 'u':
		n, ok := c.m.number(arg, c.streams, 0)
		if !ok {
			return "", false
		}
		base := map[byte]int{'x': 16, 'X': 16, 'o': 8}[verb]
		if base == 0 {
			base = 10
		}
		out = strconv.FormatInt(n, base)
		if verb == 'X' {
			out = strings.ToUpper(out)
		}
	default:
		return "", false
	}
	return padded(out, spec, width, verb), true
}

// padded fills a text to a width, if there is one.
func padded(s, spec, width string, verb byte) string {
	w, err := strconv.Atoi(width)
	if err != nil {
		return s
	}
	fill := w - len([]rune(s))
	switch {
	case fill <= 0:
		return s
	case strings.HasPrefix(spec, "-"):
		return s + strings.Repeat(" ", fill)
	case strings.HasPrefix(spec, "0") && verb != 's':
		if strings.HasPrefix(s, "-") {
			return "-" + strings.Repeat("0", fill) + s[1:]
		}
		return strings.Repeat("0", fill) + s
	}
	return strings.Repeat(" ", fill) + s
}

func runPwd(c *call) int {
	c.out.put(c.m.dir + "\n")
	return 0
}

func runCd(c *call) int {
	to := c.m.env.Root
	switch {
	case len(c.args) > 1:
		return c.complain(1, "too many arguments")
	case len(c.args) == 1 && c.args[0] == "-":
		to, _ = c.m.lookup("OLDPWD")
	case len(c.args) == 1:
		to = c.args[0]
	}
	abs := c.m.absolute(to)
	if !c.m.isDir(abs) {
		why := noFile
		if c.m.isFile(abs) {
			why = notDir
		}
		return c.complain(1, to+": "+why)
	}
	c.m.set("OLDPWD", c.m.dir)
	c.m.dir = abs
	return 0
}

// runSleep lets virtual time pass.
func runSleep(c *call) int {
	var total vtime.Duration
	for _, a := range c.args {
		d, ok := seconds(a)
		if !ok {
			return c.complain(1, "invalid time interval "+a)
		}
		total += d
	}
	if len(c.args) == 0 {
		return c.complain(1, "missing operand")
	}
	c.m.pass(total)
	return 0
}

// seconds reads 3, 0.5, 2m or 1h, at most a billion of them.
func seconds(s string) (vtime.Duration, bool) {
	unit := vtime.Second
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			s = s[:len(s)-1]
		case 'm':
			s, unit = s[:len(s)-1], 60*vtime.Second
		case 'h':
			s, unit = s[:len(s)-1], 3600*vtime.Second
		}
	}
	whole, part, _ := strings.Cut(s, ".")
	if whole == "" && part == "" || len(whole) > 6 || len(part) > 6 {
		return 0, false
	}
	n, err := strconv.ParseUint("0"+whole, 10, 32)
	frac, err2 := strconv.ParseUint((part + "000000")[:6], 10, 32)
	if err != nil || err2 != nil {
		return 0, false
	}
	return vtime.Duration(n)*unit + vtime.Duration(frac)*(unit/1_000_000), true
}

// runRead reads a line into variables; the last one takes what is left.
func runRead(c *call) int {
	f, vars, ok := c.options("r p:")
	if !ok {
		return 2
	}
	line, ok := c.in.line()
	if !f.has("r") {
		line = unescape(line)
	}
	ifs := c.m.ifs()
	if len(vars) == 0 {
		vars = []string{"REPLY"}
		ifs = ""
	}
	line = strings.TrimFunc(line, func(r rune) bool { return r < 128 && blank(byte(r)) && strings.ContainsRune(ifs, r) })
	for i, v := range vars {
		word := line
		if at := strings.IndexAny(line, ifs); i < len(vars)-1 && at >= 0 {
			word = line[:at]
			line = strings.TrimLeft(line[at+1:], strings.Trim(ifs, ",:;|"))
		} else if i < len(vars)-1 {
			line = ""
		}
		c.m.set(v, word)
	}
	return truth(ok)
}

func runExit(c *call) int {
	c.flow = flow{kind: exiting}
	if len(c.args) == 0 {
		return c.m.status
	}
	n, err := strconv.Atoi(c.args[0])
	if err != nil {
		return c.complain(2, c.args[0]+": numeric argument required")
	}
	return n & 255
}

// runLoop is break and continue.
func runLoop(c *call) int {
	n := 1
	if len(c.args) > 0 {
		var err error
		if n, err = strconv.Atoi(c.args[0]); err != nil || n < 1 {
			return c.complain(1, c.args[0]+": loop count out of range")
		}
	}
	c.flow = flow{breaking, n}
	if c.name == "continue" {
		c.flow.kind = continuing
	}
	return 0
}

// runSet knows -e, -u, -o pipefail and their opposites.
func runSet(c *call) int {
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			return c.complain(2, a+": only options can be set in this shell")
		}
		on := a[0] == '-'
		for _, o := range a[1:] {
			name := string(o)
			if o == 'o' {
				if i++; i == len(c.args) {
					return c.complain(2, "-o needs a name")
				}
				name = c.args[i]
			}
			switch name {
			case "e", "errexit":
				c.m.opts.errexit = on
			case "u", "nounset":
				c.m.opts.nounset = on
			case "pipefail":
				c.m.opts.pipefail = on
			default:
				return c.complain(2, "this shell has no option "+name)
			}
		}
	}
	return 0
}

func runUnset(c *call) int {
	for _, a := range c.args {
		c.m.unset(a)
		delete(c.m.exported, a)
	}
	return 0
}

// runEnv lists the exported variables; it starts nothing.
func runEnv(c *call) int {
	if len(c.args) > 0 {
		return c.complain(2, "this shell's env only lists")
	}
	var out []string
	for name := range c.m.exported { // order: sorted below
		if v, ok := c.m.lookup(name); ok {
			out = append(out, name+"="+v+"\n")
		}
	}
	slices.Sort(out)
	c.out.put(strings.Join(out, ""))
	return 0
}

func runWhich(c *call) int {
	status := 0
	for _, a := range c.args {
		if _, ok := c.m.commands[a]; ok || c.m.program([]string{a}) != nil {
			c.out.put("/usr/bin/" + a + "\n")
		} else {
			status = 1
		}
	}
	return status
}

// commandEffect is that of command -v, which looks, or of what it runs.
func commandEffect(s set, args []string) effect {
	if len(args) == 0 || args[0] == "-v" {
		return reading
	}
	return s.effectOf(args)
}

// runCommand is command -v name, or command name arguments.
func runCommand(c *call) int {
	switch {
	case len(c.args) == 0:
		return 0
	case c.args[0] == "-v":
		c.args = c.args[1:]
		return runWhich(c)
	}
	c.flow = c.m.call(c.args, c.streams)
	return c.m.status
}

func runBasename(c *call) int {
	if len(c.args) == 0 {
		return c.complain(1, "missing operand")
	}
	name := path.Base(c.args[0])
	if len(c.args) > 1 && name != c.args[1] {
		name = strings.TrimSuffix(name, c.args[1])
	}
	c.out.put(name + "\n")
	return 0
}

func runDirname(c *call) int {
	for _, a := range c.args {
		c.out.put(path.Dir(a) + "\n")
	}
	return truth(len(c.args) > 0)
}

// runSeq counts: seq last, seq first last, seq first step last.
func runSeq(c *call) int {
	bounds := []int64{1, 1, 1}
	for i, a := range c.args {
		n, err := strconv.ParseInt(a, 10, 32)
		if err != nil || i > 2 {
			return c.complain(1, "invalid argument "+a)
		}
		bounds[i] = n
	}
	first, step, last := int64(1), int64(1), bounds[0]
	switch len(c.args) {
	case 0:
		return c.complain(1, "missing operand")
	case 2:
		first, last = bounds[0], bounds[1]
	case 3:
		first, step, last = bounds[0], bounds[1], bounds[2]
	}
	if step == 0 {
		return c.complain(1, "the step must not be 0")
	}
	for n := first; step > 0 && n <= last || step < 0 && n >= last; n += step {
		if c.out.put(formatInt(n) + "\n"); c.m.halted != nil {
			break
		}
	}
	return 0
}
