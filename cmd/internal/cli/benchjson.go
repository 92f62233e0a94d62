package cli

import (
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/sharedprefix"
)

// benchJSON is a comparison with a baseline for machines.
type benchJSON struct {
	Baseline string         `json:"baseline"`
	Counts   map[string]int `json:"counts"`
	// Semantics says what the program's semantics changed since the baseline's.
	Semantics string             `json:"semantics_changed,omitempty"`
	Variants  []benchVariantJSON `json:"variants"`
	Missed    []string           `json:"expectations_missed"`
	Broken    string             `json:"invariant_broken,omitempty"`
	// Definitions are those that are broken, with their place and what is wrong.
	Definitions []string `json:"definitions_broken,omitempty"`
}

type benchVariantJSON struct {
	Scenario string                 `json:"scenario"`
	Variant  string                 `json:"variant"`
	Seeds    []uint64               `json:"seeds"`
	Verdict  string                 `json:"verdict"`
	Note     string                 `json:"note,omitempty"`
	Changes  []benchChangeJSON      `json:"changes"`
	Figures  map[string]ui.Figure   `json:"figures,omitempty"` // of the first seed, where there is no baseline
	Cause    string                 `json:"cause,omitempty"`   // of what differs: the user's change, the tool's, the prices'
	First    *firstJSON             `json:"first_difference,omitempty"`
	Shorter  []string               `json:"shorter_prefixes,omitempty"`
	Guard    []sharedprefix.Finding `json:"guard,omitempty"`
}

// benchChangeJSON is a figure that differs; over several seeds a median.
type benchChangeJSON struct {
	Metric  string     `json:"metric"`
	Better  string     `json:"better,omitempty"`
	Before  *ui.Figure `json:"before"`
	After   *ui.Figure `json:"after"`
	Seeds   int        `json:"seeds_that_differ"`
	Low     *float64   `json:"difference_low,omitempty"`
	High    *float64   `json:"difference_high,omitempty"`
	Verdict string     `json:"verdict"`
	Missed  []string   `json:"thresholds_missed,omitempty"`
	Allowed []string   `json:"thresholds_met,omitempty"`
	Unheld  []string   `json:"thresholds_without_data,omitempty"`
}

// firstJSON is the first event that differs, hashes cut as in the baseline.
type firstJSON struct {
	Seed   uint64 `json:"seed"`
	Where  string `json:"where"` // in words
	Event  uint64 `json:"event"`
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func (b *bench) document() benchJSON {
	doc := benchJSON{Baseline: b.o.baseline, Semantics: b.otherSemantics(), Counts: map[string]int{}, Missed: append([]string{}, b.missed...)}
	if b.broken != nil {
		doc.Broken = b.broken.Error()
	}
	for _, p := range b.set.broken() {
		doc.Definitions = append(doc.Definitions, p.String())
	}
	for _, v := range tally {
		doc.Counts[strings.ReplaceAll(v.String(), " ", "_")] = b.report.Count(v)
	}
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		x := benchVariantJSON{Scenario: v.Scenario, Variant: v.Variant, Seeds: v.Seeds, Verdict: v.Verdict.String(), Note: v.Note,
			Changes: []benchChangeJSON{}, Cause: b.cause(v), Shorter: v.Shorter, Guard: b.findings[v.Name()]}
		for _, f := range b.uncompared(v) {
			if x.Figures == nil {
				x.Figures = map[string]ui.Figure{}
			}
			x.Figures[f.Name] = *figureOf(f.Value)
		}
		for j := range v.Changes {
			x.Changes = append(x.Changes, changeJSON(&v.Changes[j]))
		}
		if d := v.First; d != nil {
			x.First = &firstJSON{v.Seed, v.Where, d.Index, d.Field, d.Want, d.Got}
		}
		doc.Variants = append(doc.Variants, x)
	}
	return doc
}

// uncompared are the figures of a variant's first seed where there is no baseline.
func (b *bench) uncompared(v *baseline.Variant) []baseline.Figure {
	i := slices.IndexFunc(b.now.Runs, func(r *baseline.Run) bool { return r.Name() == v.Name() })
	if b.base != nil || i < 0 {
		return nil
	}
	return b.now.Runs[i].Figures
}

func changeJSON(c *baseline.Change) benchChangeJSON {
	x := benchChangeJSON{Metric: c.Name, Better: c.Better, Seeds: c.Seeds, Verdict: c.Verdict.String()}
	if c.Before != nil {
		x.Before = figureOf(*c.Before)
	}
	if c.After != nil {
		x.After = figureOf(*c.After)
	}
	if c.Interval != nil {
		x.Low, x.High = &c.Interval.Low, &c.Interval.High
	}
	for _, t := range c.Missed {
		x.Missed = append(x.Missed, t.Text)
	}
	for _, t := range c.Unheld {
		x.Unheld = append(x.Unheld, t.Text)
	}
	for _, t := range c.Allowed {
		x.Allowed = append(x.Allowed, t.Text)
	}
	return x
}

// machineTable has a row for each variant and each figure of it that differs,
// figures exact.
func (b *bench) machineTable() *report.Table {
	t := report.NewTable("scenario", "variant", "verdict", "metric", "before", "after", "unit", "figure_verdict")
	for i := range b.report.Variants {
		v := &b.report.Variants[i]
		found := b.uncompared(v)
		for _, f := range found {
			t.Row(v.Scenario, v.Variant, v.Verdict.String(), f.Name, "", exactText(&f.Value), string(f.Value.Unit), "")
		}
		if len(v.Changes) == 0 && found == nil {
			t.Row(v.Scenario, v.Variant, v.Verdict.String(), "", "", "", "", "")
		}
		for j := range v.Changes {
			c := &v.Changes[j]
			t.Row(v.Scenario, v.Variant, v.Verdict.String(), c.Name, exactText(c.Before), exactText(c.After), string(c.Unit), c.Verdict.String())
		}
	}
	return t
}

// exactText is the same as text.
func exactText(v *metrics.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Den == 1:
		return fmt.Sprint(v.Num)
	}
	return fmt.Sprintf("%d/%d", v.Num, v.Den)
}
