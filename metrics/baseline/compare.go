package baseline

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/stat"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
)

// Verdict is what became of a figure, of a variant, or of a whole comparison.
type Verdict uint8

// The verdicts, in the order of their weight.
const (
	Pass       Verdict = iota // as in the baseline
	Changed                   // different, and not worse than allowed
	NoBaseline                // nothing to compare with, or a baseline of what no longer runs
	NoData                    // a threshold on what a run, or its baseline, has no data for
	Regression                // worse
)

func (v Verdict) String() string {
	return [...]string{"pass", "changed", "no baseline", "no data", "regression"}[v]
}

// Change is a figure that differs, or that misses a threshold.
type Change struct {
	Metric
	Before, After *metrics.Value // nil where that side has no data; medians over several seeds
	Verdict       Verdict
	Seeds         int            // in how many seeds it differs
	Interval      *stat.Interval // of the difference over several seeds, paired by seed
	Missed        []*Threshold   // that made it a regression
	Allowed       []*Threshold   // that kept it from being one
	Unheld        []*Threshold   // that could not be held against anything
}

// Ends are those of the interval, in the figure's unit; nil without one.
func (c *Change) Ends() (low, high *metrics.Value) {
	if c.Interval == nil {
		return nil, nil
	}
	l, h := metrics.Whole(int64(math.RoundToEven(c.Interval.Low)), c.Unit), metrics.Whole(int64(math.RoundToEven(c.Interval.High)), c.Unit)
	return &l, &h
}

// Variant is one variant, compared.
type Variant struct {
	Scenario, Variant string
	Seeds             []uint64
	Verdict           Verdict
	Changes           []Change
	Note              string                 // what beside figures is to be said
	Seed              uint64                 // the first seed whose events differ
	First             *transcript.Difference // its first differing event; nil where none differs or its events were not kept
	Where             string                 // what that event is about, in a sentence
	Cause             *Cause                 // where what differs comes from; nil where nothing does
	Unkept            bool                   // events differ, and those of that seed were not kept
	Shorter           []string               // what the prefix guard finds, which is asked apart
}

// Name is the variant with its scenario.
func (v *Variant) Name() string { return (&Run{Scenario: v.Scenario, Variant: v.Variant}).Name() }

// Report is a whole comparison.
type Report struct {
	Variants []Variant // in the order in which they ran; then those that no longer run
	Other    int       // runs' semantics in the baseline, where they are not the program's
}

// Count is how many variants have a verdict.
func (r *Report) Count(v Verdict) (n int) {
	for i := range r.Variants {
		if r.Variants[i].Verdict == v {
			n++
		}
	}
	return n
}

// Compare holds runs against a baseline, which may be nil: then nothing has one.
// gone lists the baseline's runs that should have run and did not.
func Compare(base *File, now *File, gone []*Run, limits []*Threshold) *Report {
	rep := &Report{}
	if base != nil && base.Semantics != now.Semantics {
		rep.Other = base.Semantics
	}
	for _, group := range groups(now.Runs) {
		v := Variant{Scenario: group[0].Scenario, Variant: group[0].Variant}
		var before, after []*Run
		for _, r := range group {
			v.Seeds = append(v.Seeds, r.Seed)
			if b := base.find(r); b != nil {
				before, after = append(before, b), append(after, r)
			}
		}
		v.compare(before, after, group, limits)
		if v.differs() {
			v.Cause = because(before, after, base.Semantics, now.Semantics)
		}
		if len(before) < len(group) {
			v.lacks(base, gone, group, len(before))
		}
		rep.Variants = append(rep.Variants, v)
	}
	for _, group := range groups(gone) {
		v := Variant{Scenario: group[0].Scenario, Variant: group[0].Variant, Verdict: NoBaseline, Note: "in the baseline only: nothing of that name runs any more"}
		for _, r := range group {
			v.Seeds = append(v.Seeds, r.Seed)
		}
		rep.Variants = append(rep.Variants, v)
	}
	return rep
}

// differs reports whether something is not as in the baseline.
func (v *Variant) differs() bool {
	return v.First != nil || v.Unkept || v.Note != "" || slices.ContainsFunc(v.Changes, func(c Change) bool { return c.Seeds > 0 })
}

// find is the baseline's run of the same scenario, variant and seed.
func (f *File) find(r *Run) *Run {
	if f == nil {
		return nil
	}
	for _, b := range f.Runs {
		if b.Scenario == r.Scenario && b.Variant == r.Variant && b.Seed == r.Seed {
			return b
		}
	}
	return nil
}

// groups gathers the runs of one variant, in the order of their first one.
func groups(runs []*Run) (out [][]*Run) {
	at := map[string]int{}
	for _, r := range runs {
		i, ok := at[r.Name()]
		if !ok {
			i = len(out)
			at[r.Name()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// lacks says why a variant has no baseline; a baseline of another name with the
// same events is what it was called before.
func (v *Variant) lacks(base *File, gone, group []*Run, have int) {
	v.Verdict = max(v.Verdict, NoBaseline)
	v.Note = "not in the baseline"
	switch {
	case base == nil:
		v.Note = "there is no baseline"
	case have > 0:
		v.Note = fmt.Sprintf("the baseline has %d of %d seeds", have, len(group))
	}
	for _, g := range gone {
		if len(g.Lines) > 1 && len(g.Lines) == len(group[0].Lines) && slices.Equal(g.Lines[1:], group[0].Lines[1:]) {
			v.Note += ", where its events stand as " + g.Name()
			break
		}
	}
}

func (v *Variant) compare(before, after, all []*Run, limits []*Threshold) {
	for _, m := range known {
		if c, ok := v.change(m, before, after, all, limits); ok {
			v.Changes = append(v.Changes, c)
			v.Verdict = max(v.Verdict, c.Verdict)
		}
	}
	for i := range before {
		v.outcome(before[i], after[i])
		if v.First == nil && !v.Unkept && before[i].Digest != after[i].Digest {
			v.firstEvent(before[i], after[i])
		}
	}
}

// outcome: a run that ended by itself before and does not now is worse.
func (v *Variant) outcome(b, a *Run) {
	if b.Outcome == a.Outcome {
		return
	}
	v.Note = fmt.Sprintf("seed %d: outcome %s became %s", a.Seed, b.Outcome, a.Outcome)
	if a.Outcome == transcript.Completed {
		v.Verdict = max(v.Verdict, Changed)
	} else {
		v.Verdict = Regression
	}
}

// firstEvent finds the first event that differs. Where it is only in what is
// not kept of an event (a scenario's hash, digits of a hash) the run is equal.
func (v *Variant) firstEvent(b, a *Run) {
	v.Seed = a.Seed
	if b.Lines == nil || a.Lines == nil {
		v.Unkept = true
		v.Verdict = max(v.Verdict, Changed)
		return
	}
	d, err := transcript.Compare(b.Stored(), a.Stored())
	if err == nil && d != nil {
		v.First, v.Where = d, Where(b, a, d)
		v.Verdict = max(v.Verdict, Changed)
	}
}

// Stored are the lines that are kept of the events, as a record gives them.
func (k *Kept) Stored() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, l := range k.Lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// change compares one metric; ok is false when there is nothing to say of it.
// Thresholds are held against all runs, with a baseline or without.
func (v *Variant) change(m Metric, before, after, all []*Run, limits []*Threshold) (c Change, ok bool) {
	c = Change{Metric: m, Before: median(before, m.Name), After: median(all, m.Name)}
	if len(before) > 0 {
		c.After = median(after, m.Name)
	}
	c.Seeds = differing(before, after, m.Name)
	if c.Seeds > 0 {
		c.Verdict = c.judge()
		c.Interval = interval(before, after, m, v.Name())
	}
	c.hold(v, limits, len(before) > 0)
	return c, c.Seeds > 0 || c.Missed != nil || c.Unheld != nil
}

// judge is the verdict without thresholds.
func (c *Change) judge() Verdict {
	if c.Before == nil || c.After == nil {
		return Changed
	}
	d := c.After.Cmp(*c.Before)
	if c.Better == "lower" && d > 0 || c.Better == "higher" && d < 0 {
		return Regression
	}
	return Changed
}

// Improved reports whether the figure is better than it was.
func (c *Change) Improved() bool {
	if c.Before == nil || c.After == nil {
		return false
	}
	d := c.After.Cmp(*c.Before)
	return c.Better == "lower" && d < 0 || c.Better == "higher" && d > 0
}

// hold applies the thresholds on the metric: they take the place of the judgement
// that worse is a regression, and all of them have to be met. compared says that
// the variant has a baseline; without one there is nothing to say of a limit that
// speaks of it.
func (c *Change) hold(v *Variant, limits []*Threshold, compared bool) {
	for _, t := range limits {
		if t.metric.Name != c.Name || !t.Matches(v.Scenario, v.Variant) || t.limit.base && (!compared || c.Before == nil && c.After == nil) {
			continue
		}
		switch {
		case c.After == nil || t.limit.base && c.Before == nil:
			c.Unheld = append(c.Unheld, t)
		case t.Met(*c.After, c.Before):
			c.Allowed = append(c.Allowed, t)
		default:
			c.Missed = append(c.Missed, t)
		}
	}
	switch {
	case c.Missed != nil:
		c.Verdict = Regression
	case c.Unheld != nil:
		c.Verdict = NoData
	case c.Allowed != nil && c.Verdict == Regression:
		c.Verdict = Changed
	}
}

// differing counts the seeds in which a figure differs, or has data on one side
// only.
func differing(before, after []*Run, name string) (n int) {
	for i := range before {
		b, okB := before[i].Figures[name]
		a, okA := after[i].Figures[name]
		if okB != okA || okA && b.Cmp(a) != 0 {
			n++
		}
	}
	return n
}

// median is the figure of one run, or the median over several; nil when one of
// them has no data.
func median(runs []*Run, name string) *metrics.Value {
	var all []metrics.Value
	for _, r := range runs {
		v, ok := r.Figures[name]
		if !ok {
			return nil
		}
		all = append(all, v)
	}
	v, ok := Median(all)
	if !ok {
		return nil
	}
	return &v
}

// Median is the median of values of one unit, the lower of the two in the middle
// when their number is even: a value that was observed, and exact. False for none.
func Median(list []metrics.Value) (metrics.Value, bool) {
	if len(list) == 0 {
		return metrics.Value{}, false
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, metrics.Value.Cmp)
	return list[(len(list)-1)/2], true
}

// interval is that of the difference over several seeds; nil for one seed and
// for ratios, whose parts stand beside them.
func interval(before, after []*Run, m Metric, name string) *stat.Interval {
	if len(before) < 2 || m.Unit == metrics.Ratio {
		return nil
	}
	var b, a []int64
	for i := range before {
		x, okB := before[i].Figures[m.Name]
		y, okA := after[i].Figures[m.Name]
		if !okB || !okA {
			return nil
		}
		b, a = append(b, x.Num), append(a, y.Num)
	}
	i := stat.Paired(b, a, Key(name, m.Name))
	return &i
}

// Key names the draws of a bootstrap by what is compared.
func Key(parts ...string) rng.Key {
	return rng.Root(0).Sub("bootstrap").Sub(strings.Join(parts, "\x00"))
}
