package audit

import (
	"slices"
	"strings"
)

// wholly is PRM-01 for a command that rules have allowed: each of its parts is allowed
// by one, or only looks. It is said of commands that leave nothing to be expanded.
func (u *permissions) wholly(a *agent, x *use) {
	if x.name != "Bash" && x.name != "run_shell" {
		return
	}
	command := field(x.input, "command")
	if command == "" || strings.ContainsAny(command, "\"'`\\$(){}[]<>#!\n") {
		return
	}
	for _, part := range parts(command) {
		if part == "" || slices.Contains(looks, strings.Fields(part)[0]) {
			continue
		}
		if u.fails(prm01, u.covered(a, x.name, part)) {
			u.report(prm01, a, "no command of which a part is not allowed", part)
		}
	}
}

// looks are commands that change nothing, whatever they are given.
var looks = []string{"cd", "ls", "cat", "pwd", "echo", "head", "tail", "wc", "grep", "true", "false", "sleep", "test", "sort", "uniq", "cut", "diff"}

// parts are the commands of a line.
func parts(command string) []string {
	list := strings.FieldsFunc(command, func(c rune) bool { return c == ';' || c == '&' || c == '|' })
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// covered reports whether a rule to allow may speak of a simple command.
func (u *permissions) covered(a *agent, tool, part string) bool {
	s := u.opt.Session
	is := func(rule string) bool {
		name, spec, found := strings.Cut(rule, "(")
		if name != tool && name != "Bash" {
			return false
		}
		spec = strings.TrimSuffix(spec, ")")
		return !found || spec == "*" || coversCommand(spec, part) != no
	}
	if slices.ContainsFunc(s.Allow, is) || slices.ContainsFunc(u.rules, is) {
		return true
	}
	return slices.ContainsFunc(s.Allowed[a.facts.Type], is) || a.parent != nil && u.covered(a.parent, tool, part)
}
