package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/scenarios/document"
	"agentsim/sim/vtime"
)

// Programs are the commands, by their first words, that the shell of the Bash
// tool runs in place of real builds and tests where a scenario names none.
var Programs = []string{"go test", "go build", "go vet", "make", "npm test"}

// How long a command of the Bash tool may run: at most so long, and where its
// call does not say how long, so long. The shell needs some of it to start what
// the command names, at most Startup.
const (
	MaxTakes     = 10 * vtime.Minute
	UntimedTakes = 2 * vtime.Minute
	Startup      = vtime.Second
)

// builds are the commands by which a project with a file is built and tested.
var builds = [...]struct {
	file     string
	commands []string
}{{"go.mod", []string{"go build ./...", "go test ./..."}}, {"package.json", []string{"npm test"}}, {"Makefile", []string{"make"}}}

// Checks are the commands by which one finds out in passing whether the project with
// these files holds: its tests that need no timeout of their own, else those by which
// it is built and tested as its files say.
func (s *Scenario) Checks(files []string) (out []string) {
	for _, t := range s.Project.Tests {
		if t.Takes+Startup <= UntimedTakes {
			out = append(out, t.Command)
		}
	}
	for _, found := range builds {
		if len(out) == 0 && slices.Contains(files, found.file) {
			out = found.commands
		}
	}
	return out
}

// Timeout is the timeout, in milliseconds, that a call of a command of the project
// asks for: whole minutes where it is a test that takes, with what the shell needs
// to start it, longer than one may that says nothing; as long as may be where a time
// is drawn that may be longer; else 0.
func (s *Scenario) Timeout(words string) int64 {
	for _, t := range s.Project.Tests {
		if command(t.Command) == command(words) && t.Takes+Startup > UntimedTakes {
			return ((t.Takes + Startup + vtime.Minute - 1) / vtime.Minute * vtime.Minute).Milliseconds()
		}
	}
	if t := s.Tools.Commands.Takes; t != nil && isProgram(command(words)) && !s.isTest(words) && vtime.Duration(t.Hi)+Startup > UntimedTakes {
		return MaxTakes.Milliseconds()
	}
	return 0
}

// tests holds project.tests and what items say of runs and defects against the
// rest of the scenario.
func (c *checker) tests() {
	for i := range c.s.Work {
		c.itemRuns("work["+itoa(i)+"]", &c.s.Work[i])
		c.itemDefects("work["+itoa(i)+"]", &c.s.Work[i])
	}
	seen := map[string]bool{}
	for i, t := range c.s.Project.Tests {
		c.testRun("project.tests["+itoa(i)+"]", &t, seen)
	}
}

// testRun checks a test.
func (c *checker) testRun(path string, t *TestRun, seen map[string]bool) {
	words := command(t.Command)
	switch {
	case words == "":
		c.bad(path, "command: go test ./...", "a test without a command")
	case strings.ContainsAny(t.Command, "|&;<>()$`\\\"'#\n*?[]{}~="):
		c.bad(path+".command", "plain words, such as go test ./...", "bad command %q of a test: the shell would read it otherwise", t.Command)
	case seen[words]:
		c.bad(path+".command", "", "test %q is given twice", t.Command)
	}
	seen[words] = true
	if t.Takes > MaxTakes-Startup {
		c.bad(path+".takes", "takes: "+(MaxTakes-Startup).String()+", or several commands of less",
			"test %q takes longer than the Bash tool lets a command run, which is %s with the shell's own start", t.Command, MaxTakes)
	}
	n, err := c.present().matching(t.Files)
	switch {
	case t.Files == "":
		c.bad(path, `files: "**/*.go"`, "test %q covers no files", t.Command)
	case err != nil:
		c.bad(path+".files", "such as internal/**/*.go", "bad glob %q", t.Files)
	case halfStars(t.Files):
		c.bad(path+".files", wholeStars, "glob %q has ** beside other characters, where it means *", t.Files)
	case n == 0 && !(c.file.foreign && c.file.dir == nil):
		c.bad(path+".files", "", "glob %q matches no file", t.Files)
	}
}

// itemRuns checks the commands that an item runs.
func (c *checker) itemRuns(path string, it *Item) {
	for i, r := range it.Runs {
		words := command(r)
		if c.s.isTest(words) || isProgram(words) {
			continue
		}
		var known []string
		for _, t := range c.s.Project.Tests {
			known = append(known, t.Command)
		}
		hint := document.DidYouMean(r, append(known, Programs...))
		if hint == "" {
			hint = "declare it under project.tests, or write one of " + strings.Join(Programs, ", ")
		}
		c.bad(path+".runs["+itoa(i)+"]", hint, "work item %q runs %q, which is no test of the project and no known command", it.ID, r)
	}
}

func (s *Scenario) isTest(words string) bool {
	return slices.ContainsFunc(s.Project.Tests, func(t TestRun) bool { return command(t.Command) == command(words) })
}

func isProgram(words string) bool {
	return slices.ContainsFunc(Programs, func(p string) bool { return words == p || strings.HasPrefix(words, p+" ") })
}

// command is a command's words, one blank between them, as the shell sees them.
func command(s string) string { return strings.Join(strings.Fields(s), " ") }

// itemDefects checks the facts that make an item's edits wrong.
func (c *checker) itemDefects(path string, it *Item) {
	for _, list := range []struct {
		key, does string
		names     []string
	}{{"pitfalls", "is tripped up by the want of", it.Pitfalls}, {"misled_by", "is misled by", it.MisledBy}} {
		for i, name := range list.names {
			at := path + "." + list.key + "[" + itoa(i) + "]"
			switch {
			case !c.declared(name):
				c.bad(at, c.factHint(name), "work item %q %s %q, a fact nobody holds", it.ID, list.does, name)
			case slices.Contains(it.Knows, name) || slices.Contains(it.Yields, name):
				c.bad(at, "take it out of knows and yields", "work item %q %s %q, which it always knows", it.ID, list.does, name)
			case list.key == "misled_by" && slices.Contains(it.Pitfalls, name):
				c.bad(at, "", "work item %q %s %q, a pitfall of it: its edits would be wrong with it and without", it.ID, list.does, name)
			}
		}
		if len(list.names) > 0 && len(it.Edits) == 0 {
			c.badKey(path+"."+list.key, "edits: says which files it changes", "work item %q has %s, but no edits that could be wrong", it.ID, list.key)
		}
	}
}

// usual are tools that do any work, as a list to write: with the shell, which
// nobody has who does not name it.
var usual = []string{"Agent", "Read", "Glob", "Grep", "Edit", "Bash"}

// workTools refuses work that cannot be done for want of a tool: a list replaces
// those offered by default, the shell is none of these, and sub-agents have it
// where the list or their definition names it. Else they have tools of their own,
// as have workers and all of the minimal stack. On a directory those without a list
// have all that the client's sessions have, the shell among them.
func (c *checker) workTools() {
	if c.s.Stack == MinimalStack || c.s.Coordinates() || c.s.leads() || c.s.allScripted() {
		return
	}
	list, at, whose := c.s.offers()
	if list == nil && c.file.foreign {
		return
	}
	for i := range c.s.Work {
		it := &c.s.Work[i]
		var lacks []string
		for _, name := range it.tools() {
			if (c.s.Structure.Base() == Subagent && it.By == "" || c.s.teams()) && (name != "Bash" || foreignType(c.s.typeOf(it))) {
				continue
			}
			if list == nil && name == "Bash" || list != nil && !slices.Contains(*list, name) {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) == 0 {
			continue
		}
		path, what := at+".tools", "the list replaces the tools offered by default"
		write := slices.Clone(usual)
		switch {
		case list == nil && len(it.Runs) > 0:
			path, what = "work["+itoa(i)+"].runs[0]", "it is not among the tools offered by default"
		default:
			write = slices.Concat(*list, slices.DeleteFunc(write, func(name string) bool { return slices.Contains(*list, name) }))
		}
		c.bad(path, "tools: ["+strings.Join(write, ", ")+"] below "+whose, "work item %q cannot be done without %s: %s", it.ID, strings.Join(lacks, ", "), what)
		return
	}
}

// NoTool is the error of a name that is no tool, and what it may mean.
func NoTool(name string, tools []string) error {
	return fmt.Errorf("there is no tool %q: %s", name, cmp.Or(document.DidYouMean(name, tools), "write one of "+strings.Join(tools, ", ")))
}

// offers is the list of tools of whoever leads the work, nil for those offered by
// default, where it stands, and whose it is.
func (s *Scenario) offers() (list *[]string, at, whose string) {
	s.eachRoot(func(path string, r *Root) {
		switch {
		case list != nil || at != "" && r.Tools == nil:
		case path == "main":
			list, at, whose = r.Tools, path, "script: main:"
		default:
			list, at, whose = r.Tools, path, "root "+r.Name
		}
	})
	return list, at, whose
}

// foreignType reports whether a type is not built in.
func foreignType(typ string) bool {
	return typ != "" && !slices.Contains(agentTypes, typ) && !slices.Contains(moreTypes, typ)
}

// tools are those without which an item is not done.
func (it *Item) tools() (out []string) {
	if len(it.Reads)+len(it.FoundIn)+len(it.Edits) > 0 {
		out = append(out, "Read")
	}
	if len(it.Reads)+len(it.Edits) > 0 { // nobody is told where files are: they are listed first
		out = append(out, "Glob")
	}
	if len(it.Edits) > 0 {
		out = append(out, "Edit")
	}
	if len(it.Runs) > 0 {
		out = append(out, "Bash")
	}
	return out
}
