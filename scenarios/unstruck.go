package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/mockllm/fault"
)

// Agents are the lineages of one run of a variant.
type Agents struct {
	Variant  string
	Lineages []string
}

// maxAgents is how many agents a line names.
const maxAgents = 6

// Unstruck lists the faults that could strike nobody, since no agent of these runs
// was one that they name.
func (f *File) Unstruck(sets []string, runs []Agents) (out []Idle) {
	struck := map[string]bool{} // by what is told of a fault without its reason
	var all []string
	for _, run := range runs {
		for _, name := range run.Lineages {
			if !contains(all, name) {
				all = append(all, name)
			}
		}
		s, d := f.placed(f.tree(run.Variant, &errorList{}), sets)
		if s == nil {
			continue
		}
		for i, line := range s.Faults {
			r, err := fault.Parse(line)
			if err != nil {
				continue
			}
			x := Idle{Path: "fault " + line, at: d.where("faults[" + itoa(i) + "]")}
			key := x.String()
			if _, known := struck[key]; !known {
				out = append(out, x)
			}
			struck[key] = struck[key] || slices.ContainsFunc(run.Lineages, r.Names)
		}
	}
	out = slices.DeleteFunc(out, func(x Idle) bool { return struck[x.String()] })
	for i := range out {
		out[i].Why = "no agent has such a name; there were " + someOf(all)
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
