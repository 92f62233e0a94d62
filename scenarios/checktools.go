package scenarios

import (
	"slices"
	"strings"
)

// usual are tools that do any work, as a list to write: with the shell, which
// nobody has who does not name it.
var usual = []string{"Agent", "Read", "Glob", "Grep", "Edit", "Bash"}

// workTools refuses work that cannot be done for want of a tool: a list replaces
// those offered by default, the shell is none of these, and sub-agents have it
// where the list or their definition names it. Else they have tools of their own,
// as have workers and all of the minimal stack.
func (c *checker) workTools() {
	if c.s.Stack == MinimalStack || c.s.Coordinates() || c.s.leads() || c.s.allScripted() {
		return
	}
	list, at, whose := c.s.offers()
	for i := range c.s.Work {
		it := &c.s.Work[i]
		var lacks []string
		for _, name := range it.tools() {
			if (c.s.Strategy() == "subagent" && it.By == "" || c.s.teams()) && (name != "Bash" || foreignType(c.s.typeOf(it))) {
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
