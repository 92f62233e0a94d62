package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
)

// missed is an expectation of a scenario that does not hold.
type missed struct {
	text string
	of   *scenarios.File
	line int // of the file
}

func (b *bench) misses() (out []string) {
	for i := range b.missed {
		out = append(out, b.missed[i].text)
	}
	return out
}

// expect holds a scenario's own expectations against its first seed; those of the library
// bind on their own projects alone.
func (b *bench) expect(f *scenarios.File, done map[string]*metrics.Run) {
	for _, v := range expect.Judge(f.Expect, f.Cells(), done) {
		if v.Verdict == expect.Pass {
			continue
		}
		why := "no data"
		if v.Verdict != expect.NoData {
			why = report.Figure(v.Left) + " against " + report.Figure(v.Right)
		}
		line := fmt.Sprintf("%s: %s (%s)", (&baseline.Run{Scenario: f.Name, Variant: v.Variant}).Name(), v.Expect.Text, why)
		if foreign := loading.Foreign(b.set.on[f]); foreign != "" {
			b.aside = append(b.aside, "expectation missed, "+foreign+": "+line)
			continue
		}
		b.missed = append(b.missed, missed{line, f, v.Expect.At})
	}
}

// verdict is how the command ends: a broken invariant weighs most, and a run
// that did not finish more than a regression. That there is no baseline is said
// in any case.
func (b *bench) verdict() error {
	n := b.report.Count
	switch {
	case b.broken != nil:
		return ui.Fail(ui.Broken, errors.Join(b.broken, b.noBaseline()))
	case b.unfinished() != nil:
		return ui.Fail(ui.Unfinished, errors.Join(b.unfinished(), b.noBaseline()))
	case n(baseline.Regression) > 0 || n(baseline.NoData) > 0 || len(b.missed) > 0 || b.o.strict && n(baseline.Changed) > 0:
		return ui.Fail(ui.Missed, b.noBaseline())
	case n(baseline.NoBaseline) > 0 || b.base == nil:
		return ui.Fail(ui.NoBaseline, b.noBaseline())
	}
	return nil
}

// noBaseline says that there is none, and how to write it; nil where there is one.
func (b *bench) noBaseline() error {
	if b.base != nil {
		return nil
	}
	return fmt.Errorf("%s: there is no such baseline; write it with: %s", b.o.baseline, b.updating())
}

// unfinished is about the first run that did not finish where the baseline has
// another end of it, or none.
func (b *bench) unfinished() error {
	for _, r := range b.now.Runs {
		if r.Outcome != sim.Completed && !b.knows(r) {
			return fmt.Errorf("%s with seed %d did not finish: %s", r.Name(), r.Seed, r.Outcome)
		}
	}
	return nil
}

// heading is what came out, in the words of a title: the weightiest first.
func (b *bench) heading() string {
	var parts []string
	add := func(is bool, what string) {
		if is {
			parts = append(parts, what)
		}
	}
	n := b.report.Count
	add(b.broken != nil, "an invariant is broken")
	add(b.unfinished() != nil, "a run did not finish")
	add(n(baseline.Regression) > 0, "regression")
	add(n(baseline.NoData) > 0, "a threshold without data")
	add(len(b.missed) > 0, ui.Plural(len(b.missed), "expectation")+" missed")
	add(n(baseline.NoBaseline) > 0 || b.base == nil, "no baseline")
	if len(parts) > 0 {
		return strings.Join(parts, ", ")
	}
	if n(baseline.Changed) > 0 {
		return "changed"
	}
	return "nothing changed"
}

// tally is the verdicts that are counted, in the order in which they are told.
var tally = []baseline.Verdict{baseline.Pass, baseline.Changed, baseline.Regression, baseline.NoData, baseline.NoBaseline}

// counts says how many variants have which verdict, and what else keeps a job
// from being green.
func (b *bench) counts() string {
	var parts []string
	for _, v := range tally {
		if n := b.report.Count(v); n > 0 || v == baseline.Pass {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := len(b.missed); n > 0 {
		parts = append(parts, ui.Plural(n, "expectation")+" missed")
	}
	return strings.Join(parts, ", ")
}

// remedies are what can be done about what is not as it should be.
func (b *bench) remedies() (out []string) {
	if len(b.missed) > 0 {
		out = append(out, "an expectation is in its scenario, under expect: change what it is about, or the expectation; --update does not")
	}
	if b.report.Count(baseline.NoData) > 0 {
		out = append(out, "a threshold without data checks nothing: begin it with the variants that have the figure, as in fork: "+
			"…, or write the baseline anew where that lacks it")
	}
	return out
}

// guardFlag is what can be guarded.
const guardPrefix = "prefix"

// checkGuard refuses what a guard does not go with.
func (o *options) checkGuard() error {
	switch {
	case o.guard == "":
		return nil
	case o.guard != guardPrefix:
		return ui.Failf(ui.Usage, "--guard %s: the one thing that can be guarded is %s", o.guard, guardPrefix)
	case len(o.limits) > 0:
		return ui.Failf(ui.Usage, "--guard %s judges by prefixes alone: leave the thresholds out, or run bench without it too", guardPrefix)
	}
	return nil
}

// keepsFronts reports whether runs of a scenario are recorded for the guard: when
// it is asked for, and when the baseline has them, so that writing it anew loses
// nothing.
func (b *bench) keepsFronts(scenario string) bool {
	return b.o.guard != "" || b.base != nil && slices.ContainsFunc(b.base.Runs, func(r *baseline.Run) bool {
		return r.Scenario == scenario && r.Requests != nil
	})
}

// guarded judges the comparison anew by prefixes alone. All else is told as
// information.
func (b *bench) guarded() {
	if b.o.guard == "" {
		return
	}
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		for j := range v.Changes {
			v.Changes[j].Verdict = min(v.Changes[j].Verdict, baseline.Changed)
		}
		if v.Verdict == baseline.Regression {
			v.Verdict = baseline.Changed
		}
		b.guardVariant(v)
	}
	for _, m := range b.misses() {
		b.aside = append(b.aside, "expectation missed: "+m)
	}
	b.missed = nil
}

func (b *bench) guardVariant(v *baseline.Variant) {
	was, is := runOf(b.base, v), runOf(b.now, v)
	if was == nil || is == nil || v.Verdict == baseline.NoBaseline {
		return
	}
	v.Shorter = nil
	if was.Requests == nil || is.Requests == nil {
		v.Verdict, v.Note = baseline.NoBaseline, "the baseline does not hold what requests share: write it with --guard "+guardPrefix
		return
	}
	found := sharedprefix.Compare(was.Requests, is.Requests, b.providers[v.Name()].Priced)
	if b.guardFindings == nil {
		b.guardFindings = map[string][]sharedprefix.Finding{}
	}
	b.guardFindings[v.Name()] = found
	for k := range found {
		v.Shorter = append(v.Shorter, found[k].Lines(picodollars)...)
		v.Verdict = baseline.Regression
	}
}

// runOf is a variant's run of its first seed.
func runOf(f *baseline.File, v *baseline.Variant) *baseline.Run {
	if f == nil {
		return nil
	}
	for _, r := range f.Runs {
		if r.Scenario == v.Scenario && r.Variant == v.Variant && r.Seed == v.Seeds[0] {
			return r
		}
	}
	return nil
}

func picodollars(n int64) string {
	v := metrics.Whole(n, metrics.Picodollars)
	if text := report.Figure(v); n == 0 || strings.Trim(text, "$0.") != "" {
		return text
	}
	return "under $0.0001"
}
