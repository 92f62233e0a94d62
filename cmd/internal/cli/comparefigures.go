package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
)

// figurePair is one figure of a pair of variants; medians over several seeds.
type figurePair struct {
	baseline.Metric
	pair     *pair
	a, b     *metrics.Value
	exact    bool           // both are of one run
	interval *stat.Interval // of the difference, over several
}

// figures compares all figures that one of the two has.
func (p *pair) figures() (out []figurePair) {
	for _, m := range baseline.Metrics() {
		x, y := p.a.values(m.Name), p.b.values(m.Name)
		f := figurePair{Metric: m, pair: p, exact: len(p.a.runs) == 1 && len(p.b.runs) == 1}
		if v, ok := baseline.Median(x); ok {
			f.a = &v
		}
		if v, ok := baseline.Median(y); ok {
			f.b = &v
		}
		if f.a == nil && f.b == nil {
			continue
		}
		if !f.exact && f.a != nil && f.b != nil && m.Unit != metrics.Ratio {
			i := p.interval(m, x, y)
			f.interval = &i
		}
		out = append(out, f)
	}
	return out
}

func (g *comparedGroup) values(name string) (out []metrics.Value) {
	for _, r := range g.runs {
		for _, f := range r.figures {
			if f.Name == name {
				out = append(out, f.Value)
			}
		}
	}
	return out
}

// interval is that of the difference: seed by seed where both sides have data of
// the same seeds.
func (p *pair) interval(m baseline.Metric, x, y []metrics.Value) stat.Interval {
	whole := func(list []metrics.Value) (out []int64) {
		for _, v := range list {
			out = append(out, v.Num)
		}
		return out
	}
	key := baseline.Key(p.a.key(), p.b.key(), m.Name)
	if len(x) == len(y) && len(x) == len(p.a.runs) && slices.EqualFunc(p.a.runs, p.b.runs, func(a, b comparedRun) bool { return a.seed == b.seed }) {
		return stat.Paired(whole(x), whole(y), key)
	}
	return stat.Difference(whole(x), whole(y), key)
}

// differs reports whether there is something to tell of the figure.
func (f *figurePair) differs() bool {
	switch {
	case f.a == nil || f.b == nil:
		return true
	case f.interval != nil && (f.interval.Low != 0 || f.interval.High != 0):
		return true
	}
	return f.a.Cmp(*f.b) != 0
}

// finished reports whether all runs of both sides did.
func (p *pair) finished() bool {
	return p.a.open() == 0 && p.b.open() == 0
}

// open is how many runs did not finish.
func (g *comparedGroup) open() (n int) {
	for _, r := range g.runs {
		if r.why != "" {
			n++
		}
	}
	return n
}

// better names the side that is better; "" where neither is, where it may be
// chance, and where a run did not finish.
func (f *figurePair) better() string {
	if !f.pair.finished() || f.a == nil || f.b == nil || f.Better == "" || f.interval != nil && !f.interval.Decides() {
		return ""
	}
	switch d := f.b.Cmp(*f.a); {
	case d == 0:
		return ""
	case d < 0 == (f.Better == "lower"):
		return "B"
	}
	return "A"
}

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
	s.Printf("%s\n%s\n\n", c.side("A", c.a, func(p pair) *comparedGroup { return p.a }), c.side("B", c.b, func(p pair) *comparedGroup { return p.b }))
	if t := c.peopleTable(); t.Len() > 0 {
		if err := t.Write(s.Stdout, s.Style()); err != nil {
			return err
		}
		s.Printf("\n")
	}
	s.Label("compared", c.how())
	s.Lines("unfinished", c.open())
	s.Label("only in A", strings.Join(c.onlyA, ", "))
	s.Label("only in B", strings.Join(c.onlyB, ", "))
	s.Lines("cause", c.causes())
	s.Lines("events", c.where)
	return nil
}

// side describes one side in a line.
func (c *comparing) side(letter string, x *compared, of func(pair) *comparedGroup) string {
	runs := 0
	for _, p := range c.pairs {
		runs += len(of(p).runs)
	}
	text := ui.Plural(len(c.pairs), "variant") + ", " + ui.Plural(runs, "run")
	if len(c.pairs) == 1 {
		g := of(c.pairs[0])
		text = strings.TrimSpace(g.scenario+" "+g.variant) + ", " + ui.Plural(runs, "seed")
		if runs == 1 {
			text = strings.TrimSpace(g.scenario+" "+g.variant) + fmt.Sprintf(", seed %d, run %s", g.runs[0].seed, ui.Short(g.runs[0].id))
		}
	}
	return letter + "  " + x.name + ": " + text
}

// how says how the figures were compared.
func (c *comparing) how() string {
	exact, sampled, differ := 0, 0, 0
	for i := range c.pairs {
		for _, f := range c.pairs[i].figures() {
			if f.exact {
				exact++
			} else {
				sampled++
			}
			if f.differs() {
				differ++
			}
		}
	}
	var parts []string
	if exact > 0 {
		parts = append(parts, ui.Plural(exact, "figure")+" exactly, one run on each side")
	}
	if sampled > 0 {
		parts = append(parts, fmt.Sprintf("%s by medians, 95 %% intervals from %s resamples", ui.Plural(sampled, "figure"), withCommas(stat.Resamples)))
	}
	return strings.Join(parts, "; ") + fmt.Sprintf("; %d differ", differ)
}

// peopleTable has all figures of one pair, and of several those that differ.
func (c *comparing) peopleTable() *report.Table {
	single, sampled := len(c.pairs) == 1, false
	for _, p := range c.pairs {
		sampled = sampled || len(p.a.runs) > 1 || len(p.b.runs) > 1
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
	for i := range c.pairs {
		for _, f := range c.pairs[i].figures() {
			if !single && !f.differs() {
				continue
			}
			var row []string
			if !single {
				row = []string{c.pairs[i].a.scenario, c.pairs[i].called()}
			}
			a, b := sides(&baseline.Change{Metric: f.Metric, Before: f.a, After: f.b})
			row = append(row, f.Name, a, b, difference(&baseline.Change{Before: f.a, After: f.b}))
			if sampled {
				row = append(row, intervalText(&baseline.Change{Metric: f.Metric, Interval: f.interval}))
			}
			t.Row(append(row, f.better())...)
		}
	}
	return t
}

// called is the variant's name, with its spec where a side has several.
func (p *pair) called() string {
	if p.a.one && p.b.one {
		return p.a.variant
	}
	return strings.TrimSpace(p.a.variant + " (spec " + ui.Short(p.a.spec) + ")")
}

func (c *comparing) machineTable() *report.Table {
	t := report.NewTable("scenario_a", "variant_a", "scenario_b", "variant_b", "metric", "a", "b", "unit", "exact", "low", "high", "better", "spec_a", "spec_b", "unfinished_a", "unfinished_b")
	for i := range c.pairs {
		p := &c.pairs[i]
		for _, f := range p.figures() {
			low, high := "", ""
			if f.interval != nil {
				low, high = fmt.Sprintf("%.0f", f.interval.Low), fmt.Sprintf("%.0f", f.interval.High)
			}
			t.Row(p.a.scenario, p.a.variant, p.b.scenario, p.b.variant, f.Name, exact(f.a), exact(f.b), string(f.Unit), fmt.Sprint(f.exact), low, high, f.better(),
				ui.Short(p.a.spec), ui.Short(p.b.spec), fmt.Sprint(p.a.open()), fmt.Sprint(p.b.open()))
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
	doc := comparisonJSON{A: c.a.name, B: c.b.name, OnlyA: append([]string{}, c.onlyA...), OnlyB: append([]string{}, c.onlyB...), Open: c.open(), Events: c.events, Causes: c.causes()}
	for i := range c.pairs {
		p := &c.pairs[i]
		for _, f := range p.figures() {
			x := figurePairJSON{ScenarioA: p.a.scenario, VariantA: p.a.variant, ScenarioB: p.b.scenario, VariantB: p.b.variant,
				Metric: f.Name, RunsA: len(p.a.runs), RunsB: len(p.b.runs), Exact: f.exact, Better: f.better()}
			if f.a != nil {
				x.A = figureOf(*f.a)
			}
			if f.b != nil {
				x.B = figureOf(*f.b)
			}
			if f.interval != nil {
				x.Paired, x.Low, x.High = f.interval.Paired, &f.interval.Low, &f.interval.High
			}
			doc.Figures = append(doc.Figures, x)
		}
	}
	return doc
}
