package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"agentsim/mockllm/fault"
	"agentsim/scenarios/document"
)

// Ran is what there was in one run of a variant.
type Ran struct {
	Variant  string
	Lineages []string // of its agents
	Tools    []string // that they called
}

// maxAgents is how many agents a line names.
const maxAgents = 6

// Unstruck lists what these runs found nobody for: faults, scripts of agents that
// there were not, and times of tools that nobody called. Of the file's own scripts
// and times it speaks only where all variants ran.
func (f *File) Unstruck(sets []string, runs []Ran) (out []Idle) {
	used := map[string]bool{} // by what is told without its reason
	var all, ran []string
	for _, run := range runs {
		ran = append(ran, run.Variant)
		for _, name := range run.Lineages {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
		s, d := f.placed(f.tree(run.Variant, &document.Problems{}), sets)
		if s == nil {
			continue
		}
		for _, x := range s.unstruck(&run, d) {
			key := x.String()
			if _, known := used[key]; !known {
				out = append(out, x.Idle)
			}
			used[key] = used[key] || x.used
		}
	}
	partly := slices.ContainsFunc(f.VariantNames(), func(name string) bool { return !slices.Contains(ran, name) })
	out = slices.DeleteFunc(out, func(x Idle) bool {
		return used[x.String()] || partly && !x.overrides() && !strings.HasPrefix(x.Path, "fault ")
	})
	for i := range out {
		switch what, _, _ := strings.Cut(out[i].Path, " "); what {
		case "fault":
			out[i].Why = "no agent has such a name; there were " + someOf(all)
		case "script":
			out[i].Why = "no agent plays it; there were " + someOf(all)
		default:
			out[i].Why = "nobody called the tool"
		}
	}
	return out
}

// struck is a part of a scenario and whether a run used it.
type struck struct {
	Idle
	used bool
}

// unstruck lists what a run may have found nobody for.
func (s *Scenario) unstruck(run *Ran, d *document.Decoder) (out []struck) {
	for i, line := range s.Faults {
		if r, err := fault.Parse(line); err == nil {
			out = append(out, struck{Idle{Path: "fault " + line, at: d.Where("faults[" + itoa(i) + "]")}, slices.ContainsFunc(run.Lineages, r.Names)})
		}
	}
	played := map[int]bool{}
	for _, name := range run.Lineages { // each plays the first that names it
		played[slices.IndexFunc(s.Scripts, func(sc Script) bool { return doublestar.MatchUnvalidated(sc.Agent, name) })] = true
	}
	for i := range s.Scripts {
		out = append(out, struck{Idle{Path: "script " + s.Scripts[i].Agent, at: d.Where("answers[" + itoa(i) + "]")}, played[i]})
	}
	for _, t := range [...]struct{ path, full, minimal string }{
		{"tools.read", "Read", "read_file"}, {"tools.grep", "Grep", "grep_search"}, {"tools.glob", "Glob", "list_files"}, {"tools.edit", "Edit", "edit_file"}} {
		if !sameAt(s, Defaults(), t.path) {
			out = append(out, struck{Idle{Path: t.path, at: d.Where(t.path)}, slices.Contains(run.Tools, t.full) || slices.Contains(run.Tools, t.minimal)})
		}
	}
	return out
}

// someOf names the first of a list, and how many more there are.
func someOf(names []string) string {
	if n := len(names) - maxAgents; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxAgents], ", "), n)
	}
	return strings.Join(names, ", ")
}
