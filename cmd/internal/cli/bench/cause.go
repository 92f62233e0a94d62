package bench

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
)

// origin is whose a scenario is.
type origin struct {
	own     bool // a file of the user's, not one of this program
	flagged bool // the command line gives something beside it
}

// specText says whose change another spec is, and which of scenario and project is not
// changed, "" for neither.
func specText(c *baseline.Cause, o origin) (text, same string) {
	files := report.Some(slices.Clone(c.Files))
	switch {
	case c.Was && !c.On:
		return "your change: the baseline's run was on a project, and this one is on none", ""
	case c.On && !c.Was:
		return "your change: the project, of which the baseline tells no file", ""
	case c.Files != nil && c.Scenario && o.own:
		return "your change: the scenario, and " + files + " of its project", ""
	case c.Files != nil && c.Scenario:
		return "your change: " + files + " of the project; the library's: this program has another scenario of that name", ""
	case c.Files != nil:
		return "your change: " + files + " of the project", "scenario"
	case c.Tool > 0 && o.own:
		return "the scenario or its project, which are others than the baseline's or are read otherwise now", ""
	case c.On && c.Scenario && o.own:
		return "your change: the scenario", "project"
	case c.On && !c.Scenario:
		return "your change: settings or what the command line gives beside scenario and project", "scenario, project"
	case o.own:
		return "your change: the scenario or its project is not the baseline's", ""
	case o.flagged:
		return "your change, where the command line gives other things beside the scenario than it did, or the library's: this program has another one of that name", ""
	}
	return "the library's: this program has another scenario of that name", ""
}

// causeText says in one sentence where what differs comes from.
func causeText(c *baseline.Cause, o origin) string {
	yours, kept := specText(c, o)
	var is, same []string
	for _, x := range []struct {
		other      bool
		name, text string
	}{
		{c.Tool > 0, "the tool's semantics", fmt.Sprintf("the tool's: semantics %d, the baseline's %d", sim.Semantics, c.Tool)},
		{c.Spec, "scenario and project", yours},
		{c.Prices != nil, "prices", "the prices': " + strings.Join(c.Prices, "; ")},
	} {
		if x.other {
			is = append(is, x.text)
			if x.text == yours && kept != "" {
				same = append(same, kept)
			}
		} else {
			same = append(same, x.name)
		}
	}
	switch {
	case is == nil:
		return "the baseline: scenario, project, prices and semantics are its own, and its figures are not those of that run, so it was edited or badly merged; restore it, or write it again with --update (if nobody touched it, report a bug)"
	case same == nil:
		return strings.Join(is, "; ")
	}
	return strings.Join(is, "; ") + " (unchanged: " + strings.Join(same, ", ") + ")"
}

// cause is where the differences of a variant come from; "" where there are none.
func (b *bench) cause(v *baseline.Variant) string {
	if v.Cause == nil {
		return ""
	}
	p := &b.o.project
	return causeText(v.Cause, origin{own: !b.set.shipped(v.Scenario), flagged: p.Head+p.Profile+p.Prices.Name != ""})
}

// shipped reports whether a scenario is one of this program's.
func (x *selection) shipped(scenario string) bool {
	return (len(x.words) == 0 || slices.Contains(x.words, scenario)) && slices.Contains(scenarios.Names(), scenario)
}

// causes are the causes of all variants, each with the variants that it is not
// that of all.
func (b *bench) causes() []string {
	var found report.Findings
	n := 0
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		if text := b.cause(v); text != "" {
			found.Add(text, v.Name(), 0)
			n++
		}
	}
	return found.Lines(n)
}

// otherSemantics says what the program's semantics changed since the baseline's.
func (b *bench) otherSemantics() string {
	if b.report.Other == 0 {
		return ""
	}
	return sim.ChangedSince(b.report.Other)
}
