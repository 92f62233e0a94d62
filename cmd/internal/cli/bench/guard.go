package bench

import (
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
)

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
	for _, m := range b.missed {
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
