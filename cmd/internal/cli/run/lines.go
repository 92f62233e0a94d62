package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim"
	"agentsim/sim/audit"
)

// heading says what ran: the scenario, its seed, models, work and variants.
func (a *answer) heading() string {
	world := a.between("file", func(x executed) int { return x.Spec.Project.Len() })
	if slices.ContainsFunc(a.done, func(x executed) bool { return len(x.Spec.Scenario.Work) > 0 }) {
		if slices.ContainsFunc(a.done, func(x executed) bool { return x.Result.Files < x.Spec.Project.Len() }) {
			least, most := a.span(func(x executed) int { return x.Result.Files })
			world = strconv.Itoa(most) + " of the " + world
			if least < most {
				world = strconv.Itoa(least) + " to " + world
			}
		}
		world = a.between("item", func(x executed) int { return len(x.Spec.Scenario.Work) }) + " of work on " + world
	}
	var seeds []uint64
	for _, x := range a.done {
		seeds = append(seeds, x.Spec.Seed())
	}
	text := fmt.Sprintf("%s   %s · %s · %s", a.file.Name, ui.Seeds(seeds), strings.Join(models(a.done), ", "), world)
	if len(a.done) == 1 && a.done[0].Spec.Variant == "" {
		return text
	}
	return text + " · " + ui.Plural(len(a.done), "variant")
}

// between counts things; where variants differ in that, from the least to the
// most.
func (a *answer) between(what string, of func(executed) int) string {
	least, most := a.span(of)
	if least == most {
		return ui.Plural(most, what)
	}
	return strconv.Itoa(least) + " to " + ui.Plural(most, what)
}

// span is the least and the most that variants have of something.
func (a *answer) span(of func(executed) int) (least, most int) {
	var counts []int
	for _, x := range a.done {
		counts = append(counts, of(x))
	}
	return slices.Min(counts), slices.Max(counts)
}

func models(done []executed) (names []string) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, x := range done {
		p := &x.Spec.Scenario.Provider
		add(p.ModelID(p.Model))
		for _, m := range x.Metrics.Models {
			add(m.Name)
		}
	}
	return names
}

// gathered lists what the variants say, each thing once.
func gathered(done []executed, says func(*sim.Result) []string) []string {
	var all []report.Said
	for _, x := range done {
		all = append(all, report.Said{Variant: x.Spec.Variant, Texts: says(x.Result)})
	}
	return report.Gathered(all)
}

// assumed is what the runs rest on, and which tests ran more often or less than their work
// asks for.
func assumed(done []executed) []string {
	var all []report.Said
	for _, x := range done {
		texts := x.Result.Assumed
		if x.course != nil && (len(done) == 1 || testRuns(done, x) == "") { // else why says how often
			texts = slices.Concat(texts, x.course.otherwise())
		}
		all = append(all, report.Said{Variant: x.Spec.Variant, Texts: texts})
	}
	return report.Gathered(all)
}

// checks is how often the conservation laws were held against a call or a run.
func checks(done []executed) (n int64) {
	for _, x := range done {
		n += x.Result.Checks
	}
	return n
}

// isolation says how many invariants were held against the runs, how often, and
// which were broken; "" without an auditor.
func isolation(done []executed) string {
	var all, broken []string
	var made, bad int64
	unchecked := ""
	for _, x := range done {
		if x.Result.Audit == nil {
			continue
		}
		unchecked = cmp.Or(unchecked, x.Spec.Unchecked())
		for _, c := range x.Result.Audit.Counts {
			made, bad = made+c.Made, bad+c.Broken
			all = append(all, c.ID)
			if c.Broken > 0 {
				broken = append(broken, c.ID)
			}
		}
	}
	if made == 0 {
		return ""
	}
	verdict := "none broken"
	if bad > 0 {
		verdict = ui.Count(bad) + " broken: " + strings.Join(sorted(broken), ", ")
	}
	if unchecked != "" {
		verdict += " (" + unchecked + ")"
	}
	return fmt.Sprintf("%s, %s checks, %s", ui.Plural(len(sorted(all)), "invariant"), ui.Count(made), verdict)
}

// sorted are the words of a list, each once.
func sorted(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}

// invariants are what was checked, for machines; none without an auditor.
func invariants(r *audit.Report) *report.Sheet {
	type col = report.Column[audit.Count]
	var counts []audit.Count
	if r != nil {
		counts = r.Counts
	}
	return report.TableOf("", counts,
		col{Name: "invariant", Of: func(c audit.Count) report.Value { return report.Text(c.ID) }},
		col{Name: "what", Of: func(c audit.Count) report.Value { return report.Text(c.What) }},
		col{Name: "checks", Of: func(c audit.Count) report.Value { return report.Count(c.Made) }},
		col{Name: "broken", Of: func(c audit.Count) report.Value { return report.Count(c.Broken).If(c.Broken > 0) }})
}

// unfinished says which roots ended before their conversation did, and how many
// agents below them failed, for each variant; look says where to see these.
func unfinished(done []executed, look func(executed) string) (out []string) {
	for _, x := range done {
		lines := harness.OpenRoots(x.Spec.Scenario, x.Metrics)
		if text := failedChildren(x.Metrics); text != "" {
			lines = append(lines, text+look(x))
		}
		for _, line := range lines {
			if x.Spec.Variant != "" && len(done) > 1 {
				line = x.Spec.Variant + ": " + line
			}
			out = append(out, line)
		}
	}
	return out
}

// failedChildren counts the agents below the roots that did not come to an end of
// their own.
func failedChildren(r *metrics.Run) string {
	var parts []string
	for i, n := range r.CutShort() {
		if n > 0 {
			parts = append(parts, ui.Things(n, "agent")+" "+endings[i])
		}
	}
	return strings.Join(parts, ", ")
}

// endings is what metrics.Endings are in words.
var endings = [len(metrics.Endings)]string{"failed", "refused", "cut off at max_tokens", "paused too often", "reached the limit of turns"}
