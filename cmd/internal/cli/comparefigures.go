package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/compare"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
)

func printComparison(s *ui.Env, c *comparing, o *compareOptions) error {
	switch o.output {
	case "json":
		return s.WriteJSON(c.document())
	case "ndjson":
		e := json.NewEncoder(s.Stdout)
		for _, f := range c.document().Figures {
			if err := e.Encode(f); err != nil {
				return ui.Failf(ui.Operating, "cannot write the result: %w", err)
			}
		}
		return nil
	case "csv":
		return c.machineTable().CSV(s.Stdout)
	case "markdown":
		if err := c.peopleTable().Markdown(s.Stdout); err != nil {
			return err
		}
		for _, text := range c.causes() {
			s.Printf("\nCause: %s\n", report.MarkdownText(text))
		}
		return nil
	}
	s.Printf("%s\n%s\n\n", c.side("A", c.A, func(p compare.Pair) *compare.Group { return p.A }), c.side("B", c.B, func(p compare.Pair) *compare.Group { return p.B }))
	if t := c.peopleTable(); t.Len() > 0 {
		if err := t.Write(s.Stdout, s.Style()); err != nil {
			return err
		}
		s.Printf("\n")
	}
	s.Label("compared", c.how())
	s.Lines("unfinished", c.open())
	s.Label("only in A", strings.Join(c.OnlyA, ", "))
	s.Label("only in B", strings.Join(c.OnlyB, ", "))
	s.Lines("cause", c.causes())
	s.Lines("events", c.where)
	return nil
}

// side describes one side in a line.
func (c *comparing) side(letter string, x *compare.Side, of func(compare.Pair) *compare.Group) string {
	runs := 0
	for _, p := range c.Pairs {
		runs += len(of(p).Runs)
	}
	text := ui.Plural(len(c.Pairs), "variant") + ", " + ui.Plural(runs, "run")
	if len(c.Pairs) == 1 {
		g := of(c.Pairs[0])
		text = strings.TrimSpace(g.Scenario+" "+g.Variant) + ", " + ui.Plural(runs, "seed")
		if runs == 1 {
			text = strings.TrimSpace(g.Scenario+" "+g.Variant) + fmt.Sprintf(", seed %d, run %s", g.Runs[0].Seed, ui.Short(g.Runs[0].ID))
		}
	}
	return letter + "  " + x.Name + ": " + text
}

// how says how the figures were compared.
func (c *comparing) how() string {
	exact, sampled, differ := 0, 0, 0
	for i := range c.Pairs {
		for _, f := range c.Pairs[i].Figures() {
			if f.Exact {
				exact++
			} else {
				sampled++
			}
			if f.Differs() {
				differ++
			}
		}
	}
	var parts []string
	if exact > 0 {
		parts = append(parts, ui.Plural(exact, "figure")+" exactly, one run on each side")
	}
	if sampled > 0 {
		parts = append(parts, fmt.Sprintf("%s by medians, 95 %% intervals from %s resamples", ui.Plural(sampled, "figure"), ui.Count(stat.Resamples)))
	}
	return strings.Join(parts, "; ") + fmt.Sprintf("; %d differ", differ)
}

// peopleTable has all figures of one pair, and of several those that differ.
func (c *comparing) peopleTable() *report.Table {
	single, sampled := len(c.Pairs) == 1, false
	for _, p := range c.Pairs {
		sampled = sampled || len(p.A.Runs) > 1 || len(p.B.Runs) > 1
	}
	var heads []string
	if !single {
		heads = []string{"SCENARIO", "VARIANT"}
	}
	heads = append(heads, "METRIC", " A", " B", " CHANGE")
	if sampled {
		heads = append(heads, " B - A, 95 %")
	}
	t := report.NewTable(append(heads, "BETTER")...)
	for i := range c.Pairs {
		for _, f := range c.Pairs[i].Figures() {
			if !single && !f.Differs() {
				continue
			}
			var row []string
			if !single {
				row = []string{c.Pairs[i].A.Scenario, called(&c.Pairs[i])}
			}
			a, b := sides(&f.Change)
			row = append(row, f.Name, a, b, difference(&f.Change))
			if sampled {
				row = append(row, intervalText(&f.Change))
			}
			t.Row(append(row, f.Better)...)
		}
	}
	return t
}

// called is the variant's name, with its spec where a side has several.
func called(p *compare.Pair) string {
	if p.A.Only && p.B.Only {
		return p.A.Variant
	}
	return strings.TrimSpace(p.A.Variant + " (spec " + p.A.Short() + ")")
}

func (c *comparing) machineTable() *report.Table {
	t := report.NewTable("scenario_a", "variant_a", "scenario_b", "variant_b", "metric", "a", "b", "unit", "exact", "low", "high", "better", "spec_a", "spec_b", "unfinished_a", "unfinished_b")
	for i := range c.Pairs {
		p := &c.Pairs[i]
		for _, f := range p.Figures() {
			low, high := "", ""
			if f.Interval != nil {
				low, high = fmt.Sprintf("%.0f", f.Interval.Low), fmt.Sprintf("%.0f", f.Interval.High)
			}
			t.Row(p.A.Scenario, p.A.Variant, p.B.Scenario, p.B.Variant, f.Name, exact(f.Before), exact(f.After), string(f.Unit), fmt.Sprint(f.Exact), low, high, f.Better,
				p.A.Short(), p.B.Short(), fmt.Sprint(p.A.Open()), fmt.Sprint(p.B.Open()))
		}
	}
	return t
}

// comparisonJSON is a comparison for machines.
type comparisonJSON struct {
	A       string           `json:"a"`
	B       string           `json:"b"`
	Figures []figurePairJSON `json:"figures"`
	OnlyA   []string         `json:"only_a"`
	OnlyB   []string         `json:"only_b"`
	Open    []string         `json:"unfinished,omitempty"`
	Events  []string         `json:"events,omitempty"`
	Causes  []string         `json:"causes,omitempty"` // of what differs, where it is not what was compared
}

type figurePairJSON struct {
	ScenarioA string     `json:"scenario_a"`
	VariantA  string     `json:"variant_a"`
	ScenarioB string     `json:"scenario_b"`
	VariantB  string     `json:"variant_b"`
	Metric    string     `json:"metric"`
	RunsA     int        `json:"runs_a"`
	RunsB     int        `json:"runs_b"`
	A         *ui.Figure `json:"a"`
	B         *ui.Figure `json:"b"`
	Exact     bool       `json:"exact"`
	Paired    bool       `json:"paired,omitempty"`
	Low       *float64   `json:"difference_low,omitempty"`
	High      *float64   `json:"difference_high,omitempty"`
	Better    string     `json:"better,omitempty"`
}

func (c *comparing) document() comparisonJSON {
	doc := comparisonJSON{A: c.A.Name, B: c.B.Name, OnlyA: append([]string{}, c.OnlyA...), OnlyB: append([]string{}, c.OnlyB...), Open: c.open(), Events: c.events, Causes: c.causes()}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		for _, f := range p.Figures() {
			x := figurePairJSON{ScenarioA: p.A.Scenario, VariantA: p.A.Variant, ScenarioB: p.B.Scenario, VariantB: p.B.Variant,
				Metric: f.Name, RunsA: len(p.A.Runs), RunsB: len(p.B.Runs), Exact: f.Exact, Better: f.Better}
			if f.Before != nil {
				x.A = figureOf(*f.Before)
			}
			if f.After != nil {
				x.B = figureOf(*f.After)
			}
			if f.Interval != nil {
				x.Paired, x.Low, x.High = f.Interval.Paired, &f.Interval.Low, &f.Interval.High
			}
			doc.Figures = append(doc.Figures, x)
		}
	}
	return doc
}
