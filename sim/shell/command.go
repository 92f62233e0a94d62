package shell

import "strings"

// command is one of the named set.
type command struct {
	effect effect
	of     func(s set, args []string) effect // where it depends on the arguments
	run    func(*call) int
}

// call is one run of a command.
type call struct {
	*streams
	m    *machine
	name string
	args []string
	flow flow
}

// set is the named set. A script can call nothing else, scripted programs
// aside.
type set map[string]command

// commandSet makes the set: each command marked with what it may do, reading
// where nothing is said.
func commandSet() set {
	return set{
		":": {run: succeed}, "true": {run: succeed}, "false": {run: fail},
		"echo": {run: runEcho}, "printf": {run: runPrintf}, "pwd": {run: runPwd}, "cd": {run: runCd},
		"test": {run: runTest}, "[": {run: runTest}, "sleep": {run: runSleep}, "read": {run: runRead},
		"exit": {run: runExit}, "break": {run: runLoop}, "continue": {run: runLoop}, "set": {run: runSet}, "unset": {run: runUnset},
		"env": {run: runEnv}, "which": {run: runWhich}, "command": {of: commandEffect, run: runCommand},
		"basename": {run: runBasename}, "dirname": {run: runDirname}, "seq": {run: runSeq},

		"cat": {run: runCat}, "head": {run: runHead}, "tail": {run: runTail}, "wc": {run: runWc}, "sort": {of: sortEffect, run: runSort},
		"uniq": {of: uniqEffect, run: runUniq}, "cut": {run: runCut}, "tr": {run: runTr}, "grep": {run: runGrep}, "diff": {run: runDiff},
		"sed": {of: sedEffect, run: runSed}, "xargs": {of: xargsEffect, run: runXargs}, "nl": {run: runNl}, "rev": {run: runRev},

		"ls": {run: runLs}, "find": {run: runFind}, "tee": {effect: writing, run: runTee}, "touch": {effect: writing, run: runTouch},
		"mkdir": {effect: writing, run: runMkdir}, "rm": {effect: writing, run: runRm}, "rmdir": {effect: writing, run: runRmdir},
		"cp": {effect: writing, run: runCp}, "mv": {effect: writing, run: runMv},

		"git": {of: gitEffect, run: runGit},
	}
}

// unknownWord stands for a word that is not known before the script runs.
const unknownWord = "\x00"

// anyUnknown reports whether some word is not known.
func anyUnknown(args []string) bool {
	for _, a := range args {
		if a == unknownWord {
			return true
		}
	}
	return false
}

func succeed(*call) int { return 0 }
func fail(*call) int    { return 1 }

// complain says what is wrong and returns the status.
func (c *call) complain(status int, text string) int {
	c.err.put(c.name + ": " + brief(text) + "\n")
	return status
}

// flags are the options of a call: how often a flag was given, and the last
// value of one that takes a value.
type flags struct {
	count  map[string]int
	values map[string]string
}

func (f *flags) has(name string) bool     { return f.count[name] > 0 }
func (f *flags) value(name string) string { return f.values[name] }
func (f *flags) or(name, def string) string {
	if f.has(name) {
		return f.values[name]
	}
	return def
}

// options reads the options that stand before the operands, and between them.
// known names them, parted by spaces: n is a flag, n: takes a value, and
// long=n is another name of one. ok is false after an option that is not
// known, which was said.
func (c *call) options(known string) (f *flags, rest []string, ok bool) {
	names, values := map[string]string{}, map[string]bool{}
	for _, w := range strings.Fields(known) {
		long, short, renamed := strings.Cut(w, "=")
		short = strings.TrimSuffix(short, ":")
		if !renamed {
			short = strings.TrimSuffix(w, ":")
			long = short
		}
		names[long] = short
		if strings.HasSuffix(w, ":") {
			values[short] = true
		}
	}
	f = &flags{map[string]int{}, map[string]string{}}
	p := optionReader{c, names, values, f}
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		if a == "--" {
			return f, append(rest, c.args[i+1:]...), true
		}
		if len(a) < 2 || a[0] != '-' {
			rest = append(rest, a)
			continue
		}
		used, ok := p.read(a, c.args[i+1:])
		if !ok {
			return f, nil, false
		}
		i += used
	}
	return f, rest, true
}

type optionReader struct {
	c      *call
	names  map[string]string
	values map[string]bool
	f      *flags
}

// read reads one argument that begins with a dash, and says how many of those
// behind it it used.
func (p *optionReader) read(a string, behind []string) (used int, ok bool) {
	if long, ok := strings.CutPrefix(a, "--"); ok {
		name, value, given := strings.Cut(long, "=")
		short, known := p.names[name]
		if !known || len(name) == 1 || given && !p.values[short] {
			return 0, p.unknown(a)
		}
		if p.values[short] && !given {
			return p.take(short, behind)
		}
		p.set(short, value)
		return 0, true
	}
	for i := 1; i < len(a); i++ {
		name := a[i : i+1]
		if _, known := p.names[name]; !known {
			return 0, p.unknown("-" + name)
		}
		if !p.values[name] {
			p.set(name, "")
			continue
		}
		if i+1 < len(a) {
			p.set(name, a[i+1:])
			return 0, true
		}
		return p.take(name, behind)
	}
	return 0, true
}

func (p *optionReader) set(name, value string) {
	p.f.count[name]++
	p.f.values[name] = value
}

func (p *optionReader) take(name string, behind []string) (int, bool) {
	if len(behind) == 0 {
		p.c.complain(2, "option "+name+" needs a value")
		return 0, false
	}
	p.set(name, behind[0])
	return 1, true
}

func (p *optionReader) unknown(a string) bool {
	p.c.complain(2, "this shell's "+p.c.name+" has no option "+a)
	return false
}

// source is one input of a command: a file by its name, or "-".
type source struct {
	name, content string
}

// sources reads the named files, or the standard input when there is none.
// Those that cannot be read were said; then failed is true.
func (c *call) sources(names []string) (out []source, failed bool) {
	if len(names) == 0 {
		return []source{{"-", c.in.rest()}}, false
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
	if len(all) == 1 {
		return all[0].content
	}
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
