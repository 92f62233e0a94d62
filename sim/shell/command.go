package shell

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"agentsim/sim/vtime"
	"agentsim/sim/workspace"
)

// command is one that a script can call.
type command struct {
	run   func(*call) int
	reads bool // it looks only, whatever its options
}

// call is one run of a command.
type call struct {
	*streams
	m      *machine
	name   string
	args   []string
	dashed []string // of git, the paths behind --; nil for no --
	deltas []delta  // of git, what --stat is to tell
}

// commands are what a script can call, scripted programs aside.
func commands() map[string]command {
	return map[string]command{
		"true": {succeed, true}, "false": {fail, true}, "echo": {runEcho, true}, "pwd": {runPwd, true}, "cd": {runCd, true}, "sleep": {runSleep, true},
		"cat": {runCat, true}, "head": {runHead, true}, "tail": {runTail, true}, "wc": {runWc, true}, "sed": {runSed, true}, "grep": {runGrep, true},
		"ls": {runLs, true}, "find": {runFind, true},
		"touch": {runTouch, false}, "mkdir": {runMkdir, false}, "rm": {runRm, false}, "cp": {runCp, false}, "mv": {runMv, false}, "ln": {runLn, false},
		"git": {runGit, false},
	}
}

// complain says what is wrong and returns the status.
func (c *call) complain(status int, text string) int {
	c.err.put(c.name + ": " + brief(text) + "\n")
	return status
}

// each does something to every operand, and complains where that says why it
// could not be done.
func (c *call) each(names []string, what string, do func(name, abs string) (why string)) (status int) {
	for _, n := range names {
		if c.m.halted != nil {
			break
		}
		if why := do(n, c.m.absolute(n)); why != "" {
			status = c.complain(1, "cannot "+what+" '"+n+"': "+why)
		}
	}
	return status
}

// flags are the options of a call, each with its last value.
type flags map[string]string

func (f flags) has(name string) bool { _, ok := f[name]; return ok }

// count is a number of lines as an option: head -5.
var count = regexp.MustCompile(`^-[0-9]+$`)

// options reads the options before the operands, and between them. known names
// them, parted by spaces: n is a flag, n: takes a value. The value of n: may be
// given as in head -5. ok is false after an option that is not known, which was said.
func (c *call) options(known string) (f flags, rest []string, ok bool) {
	set := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, w := range strings.Fields(known) {
		name, value := strings.CutSuffix(w, ":")
		letter := name
		if len(name) > 1 {
			letter = ""
		}
		if value {
			set.StringP(name, letter, "", "")
		} else {
			set.BoolP(name, letter, false, "")
		}
	}
	args := make([]string, len(c.args))
	for i, a := range c.args {
		if count.MatchString(a) && set.Lookup("n") != nil && (i == 0 || c.args[i-1] != "-n") {
			a = "-n" + a[1:]
		}
		args[i] = a
	}
	if err := set.Parse(args); err != nil {
		c.m.unknown.add(brief(strings.Join(append([]string{c.name}, c.args...), " ")))
		c.complain(2, "this shell's "+c.name+" takes no such options: "+err.Error())
		return nil, nil, false
	}
	f = flags{}
	set.Visit(func(o *pflag.Flag) { f[o.Name] = o.Value.String() })
	return f, set.Args(), true
}

// file is one input of a command by its name, "-" for the standard input.
type file struct {
	name, content string
	version       *workspace.File // which content is all of; nil where that is not known
}

// files reads the named files, or the standard input when there is none. Those that
// cannot be read were said; then the status is 1.
func (c *call) files(names []string) (out []file, status int) {
	return c.inputs(names, func(name, why string) string { return name + ": " + why })
}

// inputs is files for a command that has its own words for what cannot be read.
func (c *call) inputs(names []string, words func(name, why string) string) (out []file, status int) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	for _, n := range names {
		if n == "-" {
			out = append(out, file{name: n, content: c.in.s})
			c.in.s = ""
			continue
		}
		content, why := c.m.read(n)
		if why != "" {
			status = c.complain(1, words(n, why))
			continue
		}
		out = append(out, file{name: n, content: content})
	}
	return out, status
}

// joined is the content of all files.
func joined(all []file) string {
	var b strings.Builder
	for _, f := range all {
		b.WriteString(f.content)
	}
	return b.String()
}

// lines are the lines of a text, each with its line feed, which the last one
// may lack.
func lines(s string) []string { return slices.Collect(strings.Lines(s)) }

func succeed(*call) int { return 0 }
func fail(*call) int    { return 1 }

func runEcho(c *call) int {
	end := "\n"
	if len(c.args) > 0 && c.args[0] == "-n" {
		c.args, end = c.args[1:], ""
	}
	c.out.put(strings.Join(c.args, " ") + end)
	return 0
}

func runPwd(c *call) int {
	c.out.put(c.m.dir + "\n")
	return 0
}

func runCd(c *call) int {
	to := append(c.args, c.m.env.Root)[0]
	abs := c.m.absolute(to)
	if !c.m.isDir(abs) {
		return c.complain(1, to+": "+c.m.why(abs))
	}
	c.m.dir = abs
	return 0
}

// runSleep lets virtual time pass: seconds, or what a unit says.
func runSleep(c *call) int {
	time := strings.Join(c.args, " ")
	if strings.Trim(time, "0123456789.") == "" {
		time += "s"
	}
	d, err := vtime.ParseDuration(time)
	if err != nil {
		return c.complain(1, "invalid time interval "+time)
	}
	c.m.pass(d)
	return 0
}
