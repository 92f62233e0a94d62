package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// effect is what a command may do.
type effect uint8

const (
	running effect = iota // runs code whose effect nobody knows
	reading               // looks only
	writing               // changes files, the repository or what the session keeps
)

// effects say what commands may do, also those that this shell does not run;
// one that is not named may do anything.
var effects = map[string]effect{
	":": reading, "true": reading, "false": reading, "echo": reading, "printf": reading, "pwd": reading, "cd": reading,
	"test": reading, "[": reading, "sleep": reading, "read": reading, "exit": reading, "break": reading, "continue": reading,
	"set": reading, "unset": reading, "which": reading, "basename": reading, "dirname": reading, "seq": reading,
	"cat": reading, "head": reading, "tail": reading, "wc": reading, "cut": reading, "tr": reading, "grep": reading, "diff": reading,
	"nl": reading, "rev": reading, "ls": reading,
	"tee": writing, "touch": writing, "mkdir": writing, "rm": writing, "rmdir": writing, "cp": writing, "mv": writing,
}

// unknownWord stands for a word that is not known before the script runs.
const unknownWord = "\x00"

// effectOf is what a command line may do. Some words may be unknownWord.
func effectOf(args []string) effect {
	name, args := args[0], args[1:]
	unknown := slices.Contains(args, unknownWord)
	switch name {
	case "command": // -v looks; else it runs another
		if len(args) == 0 || args[0] == "-v" {
			return reading
		}
		return effectOf(args)
	case "xargs":
		if args = xargsCommand(args); len(args) == 0 {
			return reading
		}
		return effectOf(append(slices.Clone(args), unknownWord))
	case "env":
		return reads(len(args) == 0)
	case "find":
		return reads(!anyOption(args, "-delete", "-exec", "-ok", "-fprint", "-fls"))
	case "sort":
		return reads(!unknown && !anyLetter(args, "o") && !anyOption(args, "--output"))
	case "sed":
		return reads(!unknown && !anyLetter(args, "i") && !anyOption(args, "--in-place"))
	case "uniq": // a second file is written
		operands := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
		return reads(!unknown && len(operands) < 2)
	case "git":
		return reads(gitReads(args))
	}
	return effects[name]
}

func reads(is bool) effect {
	if is {
		return reading
	}
	return writing
}

// anyOption reports whether some word begins as an option does.
func anyOption(args []string, options ...string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(a, o) })
	})
}

// anyLetter reports whether a letter is among those after some single dash.
func anyLetter(args []string, letter string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, letter)
	})
}

// xargsCommand cuts the options of xargs off.
func xargsCommand(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if o := args[0]; (o == "-n" || o == "-I") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	return args
}

// gitReads reports whether a subcommand of git looks only.
func gitReads(args []string) bool {
	args = gitCommand(args)
	if len(args) == 0 {
		return true
	}
	switch args[0] {
	case "status", "diff", "log", "show", "rev-parse", "ls-files":
		return true
	}
	return args[0] == "branch" && (len(args) == 1 || args[1] == "--show-current")
}

// ReadOnly reports whether nothing in the script can change a file or run the
// project's code: every command is marked as reading, with the options it is
// given, and no redirection writes but into nothing. What it cannot tell from
// the text alone, it denies: a command whose name or option is computed, one
// that it does not know, syntax that this shell does not have.
func ReadOnly(script string) bool {
	file, err := parse(script)
	if err != nil {
		return false
	}
	reads := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			reads = reads && callReads(n)
		case *syntax.Redirect:
			reads = reads && redirectReads(n)
		}
		return reads
	})
	return reads
}

// callReads reports whether a command is known to read.
func callReads(c *syntax.CallExpr) bool {
	if len(c.Args) == 0 {
		return true // assignments of the shell's own variables
	}
	args := make([]string, len(c.Args))
	for i, w := range c.Args {
		word, ok := constant(w)
		if !ok {
			word = unknownWord
		}
		args[i] = word
	}
	return effectOf(args) == reading
}

func redirectReads(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplOut:
		return true
	}
	s, ok := constant(r.Word)
	return ok && s == nullDevice
}
