package shell

import "strings"

// call is one run of a command.
type call struct {
	*streams
	m    *machine
	name string
	args []string
}

// commands are what a script can call, scripted programs aside. What each may do
// is said in effects, of others too.
func commands() map[string]func(*call) int {
	return map[string]func(*call) int{
		":": succeed, "true": succeed, "false": fail, "echo": runEcho, "pwd": runPwd, "cd": runCd, "sleep": runSleep, "exit": runExit,
		"cat": runCat, "head": runHead, "tail": runTail, "nl": runNl, "wc": runWc, "sort": runSort, "sed": runSed, "grep": runGrep,
		"ls": runLs, "find": runFind, "touch": runTouch, "mkdir": runMkdir, "rm": runRm, "cp": runCp, "mv": runMv,
		"git": runGit,
	}
}

// complain says what is wrong and returns the status.
func (c *call) complain(status int, text string) int {
	c.err.put(c.name + ": " + brief(text) + "\n")
	return status
}

// flags are the options of a call, each with its last value.
type flags map[string]string

func (f flags) has(name string) bool { _, ok := f[name]; return ok }

// options reads the options before the operands, and between them. known names
// them, parted by spaces: n is a flag, n: takes a value; a name of several letters
// comes after two dashes. ok is false after an option that is not known, which was
// said.
func (c *call) options(known string) (f flags, rest []string, ok bool) {
	values := map[string]bool{} // of each known option: whether it takes a value
	for _, w := range strings.Fields(known) {
		name, value := strings.CutSuffix(w, ":")
		values[name] = value
	}
	f = flags{}
	args := c.args
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a == "--":
			return f, append(rest, args...), true
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			if args, ok = c.option(a, args, values, f); !ok {
				return f, nil, false
			}
		}
	}
	return f, rest, true
}

// option reads one argument that begins with a dash, and returns the arguments
// that are left after it.
func (c *call) option(a string, rest []string, values map[string]bool, f flags) ([]string, bool) {
	long := strings.HasPrefix(a, "--")
	for a = strings.TrimLeft(a, "-"); a != ""; {
		name, value, given := a[:1], a[1:], len(a) > 1
		if long {
			name, value, given = strings.Cut(a, "=")
		}
		takes, known := values[name]
		switch {
		case !known || long && len(name) == 1:
			c.complain(2, "this shell's "+c.name+" has no option "+name)
			return nil, false
		case !takes:
			f[name] = ""
			if a = value; long {
				a = ""
			}
			continue
		case !given && len(rest) == 0:
			c.complain(2, "option "+name+" needs a value")
			return nil, false
		case !given:
			value, rest = rest[0], rest[1:]
		}
		f[name], a = value, ""
	}
	return rest, true
}

// source is one input of a command: a file by its name, or "-".
type source struct {
	name, content string
}

// sources reads the named files, or the standard input when there is none.
// Those that cannot be read were said; then failed is true.
func (c *call) sources(names []string) (out []source, failed bool) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, n := range names {
		if n == "-" {
			out = append(out, source{n, c.in.rest()})
			continue
		}
		content, why := c.m.read(n)
		if why != "" {
			c.complain(1, n+": "+why)
			failed = true
			continue
		}
		out = append(out, source{n, content})
	}
	return out, failed
}

// joined is the content of all sources.
func joined(all []source) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.content)
	}
	return b.String()
}

// lines are the lines of a text, each with its line feed, which the last one
// may lack.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.SplitAfter(s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// bare is a line without its line feed.
func bare(line string) string { return strings.TrimSuffix(line, "\n") }
