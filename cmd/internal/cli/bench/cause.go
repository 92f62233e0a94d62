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

// causeText says in one sentence where what differs comes from. own says that the
// scenario is a file of the user's, not one of this program.
func causeText(c *baseline.Cause, own bool) string {
	yours := "your change: the scenario or its project is not the baseline's"
	switch {
	case !own:
		yours = "the library's: this program has another scenario of that name"
	case c.Tool > 0:
		yours = "the scenario or its project, which are others than the baseline's or are read otherwise now"
	}
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
	named := len(b.set.words) == 0 || slices.Contains(b.set.words, v.Scenario)
	return causeText(v.Cause, !named || !slices.Contains(scenarios.Names(), v.Scenario))
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
