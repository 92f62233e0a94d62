package crossover

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
)

// document is the comparison, said once.
func (c *comparison) document(o *crossoverOptions) *report.Document {
	d := &report.Document{}
	d.Say("crossover    %s\n             %s", c.title(), c.sizes())
	if c.setting != nil {
		d.Label("setting", c.setting.Name+": "+c.setting.Why)
		d.Field("setting", report.Text(c.setting.Name))
	}
	d.Field("axis", report.Text(c.axis.name))
	d.Say("")
	d.Table(c.table())
	d.Say("")
	d.Label("crosses", c.crosses())
	d.Label("result", c.result())
	d.Say("")
	d.Field("explained_row", report.Count(c.why))
	d.Table(c.movers())
	d.Say("")
	d.Label("not in play", strings.Join(c.ladder.Absent, " · "))
	d.Label("law", "a fork is cheaper while "+crossover.Formula+c.lawNow())
	d.Label("assumes", crossover.Assumptions+behind(", which is ", c.unmet()))
	d.Label("rates", c.rates())
	d.Label("simulated", fmt.Sprintf("%s of sim.Run: a lead spawns the children in one answer, in the background; both kinds take as many turns; sizes are recorded counts, a fork's own blocks real ones; only the children's bills count", ui.Plural(c.runs, "run")))
	d.Label("drawn", strings.Join(given(o.svg, o.png), ", "))
	if o.scenarios != "" {
		d.Label("scenarios", fmt.Sprintf("those of %s: agentsim run %s", c.at(), ui.Quote(o.scenarios+"/fork.yaml")))
	}
	d.Label("next", c.next(o)...)
	d.Field("not_in_play", report.List(c.ladder.Absent))
	d.Field("law", report.Text(crossover.Formula))
	d.Field("assumes", report.Text(crossover.Assumptions))
	d.Field("runs", report.Count(c.runs))
	return d
}

func given(texts ...string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// fixed leaves out of a sentence what the rows vary.
func (c *comparison) fixed(axis, text string) string {
	if c.axis.name == axis {
		return ""
	}
	return text
}

// title says what is compared, but for what the rows say.
func (c *comparison) title() string {
	q := &c.rows[0].Query
	children := "1 child"
	if q.Siblings > 1 {
		children = fmt.Sprintf("%d children", q.Siblings)
		if q.Stagger > 0 {
			children += ", held at most " + q.Stagger.String()
		}
	}
	parent, marks := "warm parent", ""
	if q.Cold {
		parent = "cold parent"
	}
	if q.Fourth {
		marks = "fourth marker"
	}
	if q.Ideal {
		marks = "idealised"
	}
	return strings.Join(given("fork against fresh sub-agent", c.fixed("model", q.Model), c.fixed("siblings", children), c.fixed("parent", parent),
		c.fixed("turns", ui.Plural(int(q.Turns), "turn")), marks), " · ")
}

func (c *comparison) sizes() string {
	q := &c.rows[0].Query
	over := "in the first turn"
	if q.Reading > 1 && !q.Ideal {
		over = fmt.Sprintf("over %d turns", q.Reading)
	}
	return strings.Join(given(
		c.fixed("prefix", "parent's prefix P "+report.Quantity(q.Prefix)),
		c.fixed("know", fmt.Sprintf("S+R %s (own S %s, to read R %s %s)", report.Quantity(q.Know), report.Quantity(q.Own), report.Quantity(q.Know-q.Own), over)),
		fmt.Sprintf("task %s, each turn adds %s and answers %s", report.Quantity(q.Task), report.Quantity(q.Growth), report.Quantity(q.Output))), " · ")
}

func cheaper(p crossover.Pair) string {
	switch {
	case p.Fork < p.Fresh:
		return "fork"
	case p.Fork > p.Fresh:
		return "fresh"
	}
	return "equal"
}

// crosses says where forks stop being cheaper, at the explained row.
func (c *comparison) crosses() string {
	text := "closed form " + c.closedText() + " · simulated " + crossingText(c.ladder.Crossing, false)
	if c.axis.name != "turns" {
		text = c.at() + ": " + text
	}
	return text
}

// within reports whether the law speaks of a query at all.
func within(q *crossover.Query) bool { return q.Prefix > q.Know }

// closedText says where the law has the crossing of the explained row.
func (c *comparison) closedText() string {
	if q := &c.rows[c.why].Query; !within(q) {
		return fmt.Sprintf("never: P %s is not above S+R %s, so its condition P > S+R is not met, and a fork is cheaper at any number of turns",
			report.Quantity(q.Prefix), report.Quantity(q.Know))
	}
	return crossingText(c.ladder.ClosedCrossing, true)
}

// unmet names the first row of which the law does not speak, if there is one.
func (c *comparison) unmet() string {
	for i := range c.rows {
		if q := &c.rows[i].Query; !within(q) {
			return fmt.Sprintf("not met at P %s, S+R %s, where a fork is always cheaper", report.Quantity(q.Prefix), report.Quantity(q.Know))
		}
	}
	return ""
}

// behind is a text with what parts it from the text before; nothing for none.
func behind(sep, text string) string {
	if text == "" {
		return ""
	}
	return sep + text
}

// closedCell is a crossing of the law in a table. The law has no last turn: where
// it has no crossing there is none at all.
func closedCell(x crossover.Crossing) string {
	if x.Verdict == crossover.AlwaysFork {
		return "never"
	}
	return x.String()
}

func crossingText(x crossover.Crossing, exact bool) string {
	switch x.Verdict {
	case crossover.AlwaysFork:
		return fmt.Sprintf("never (a fork is cheaper up to %d turns)", x.Up)
	case crossover.AlwaysFresh:
		return "before the first turn (a fresh child is always cheaper)"
	}
	if exact && x.At.Den > 1 && x.At.Den < 1000 {
		return fmt.Sprintf("at %s turns (%s)", x.At, x.At.Exact())
	}
	return fmt.Sprintf("at %s turns", x.At)
}

// at names the explained row.
func (c *comparison) at() string {
	label := c.places[c.why].label
	switch c.axis.name {
	case "turns":
		return ui.Plural(int(c.rows[c.why].Query.Turns), "turn")
	case "parent":
		return label + " parent"
	}
	return c.axis.name + " " + label
}

// result says in one sentence what the rows show.
func (c *comparison) result() string {
	lo, hi := &c.rows[0], &c.rows[0]
	for i := range c.rows {
		r := &c.rows[i]
		if less(&r.Simulated, &lo.Simulated) {
			lo = r
		}
		if less(&hi.Simulated, &r.Simulated) {
			hi = r
		}
	}
	saved := func(p *crossover.Pair) string { return report.Percent(int64(p.Fresh-p.Fork), int64(p.Fresh)) }
	times := func(p *crossover.Pair) string { return report.Times(int64(p.Fork), int64(p.Fresh)) }
	switch {
	case hi.Simulated.Fork < hi.Simulated.Fresh:
		return "forks save " + fromTo(saved(&hi.Simulated), saved(&lo.Simulated)) + " of what fresh sub-agents cost"
	case lo.Simulated.Fork > lo.Simulated.Fresh:
		return "forks cost " + fromTo(times(&lo.Simulated), times(&hi.Simulated)) + " as much as fresh sub-agents"
	}
	return fmt.Sprintf("forks cost between %s and %s as much as fresh sub-agents", times(&lo.Simulated), times(&hi.Simulated))
}

// fromTo is a range, or its one value.
func fromTo(a, b string) string {
	if a == b {
		return a
	}
	return a + " to " + b
}

// less compares the two ratios of fork to fresh by their factors in
// millionths, which is finer than what is printed.
func less(a, b *crossover.Pair) bool { return ratio(a) < ratio(b) }

func ratio(p *crossover.Pair) float64 { return float64(p.Fork) / float64(p.Fresh) }

// lawNow is the law solved for T at the explained row's rates.
func (c *comparison) lawNow() string {
	q := &c.rows[c.why].Query
	x, err := crossover.LawOf(profile(&c.rows[c.why])).Factor()
	switch {
	case err != nil:
		return ""
	case !within(q):
		return "; here P ≤ S+R, so it holds for every T"
	}
	return fmt.Sprintf("; here T < %s·(S+R)/(P−S−R) = %s", x, c.ladder.ClosedCrossing.At)
}

// rates says what w and r are.
func (c *comparison) rates() string {
	p := profile(&c.rows[c.why])
	return fmt.Sprintf("%s: write %s, read %s a million tokens, %s (%s, %s)", p.Pinned(), report.Money(p.Rates.Write5m*1_000_000),
		report.Money(p.Rates.Read*1_000_000), c.factors(), p.Source, p.Date)
}

// factors are w and r as parts of the input rate.
func (c *comparison) factors() string {
	r := &profile(&c.rows[c.why]).Rates
	return fmt.Sprintf("w %s and r %s of input", report.Times(int64(r.Write5m), int64(r.Input)), report.Times(int64(r.Read), int64(r.Input)))
}

// next suggests what to look at from here, as lines to type.
func (c *comparison) next(o *crossoverOptions) []string {
	q := &c.rows[c.why].Query
	var out []string
	add := func(flags, why string) { out = append(out, o.line(flags)+"    "+why) }
	switch {
	case q.Ideal:
		add("", "the same with everything that the law leaves out")
	case q.Cold && !q.Fourth:
		add("--cold --siblings 5 --stagger 5s --fourth-mark", "what one write for all siblings saves, where the parent's end is marked")
	case q.Siblings == 1:
		add("--vary siblings", "ten forks of one answer are out of the look-back's reach")
	case c.axis.name != "stagger":
		add("--vary stagger", "what holding siblings back saves")
	}
	if c.axis.name != "model" {
		add("--vary model", "where a cheaper read moves the crossover")
	}
	if c.setting == nil {
		out = append(out, "agentsim crossover --setting long-tool-loops    where forks cost 5 to 10 times as much; short-directives is where they save")
	}
	if o.png == "" && o.svg == "" {
		add("--png crossover.png", "the curves")
	}
	return out
}

// line is the command as given with other flags: those named take the place of
// their likes, and an axis that is varied has no one value.
func (o *crossoverOptions) line(flags string) string {
	text := "agentsim crossover"
	for _, w := range o.words {
		if !strings.Contains(flags, "--"+w.name) && !strings.HasSuffix(flags, "--vary "+w.name) {
			text += " " + w.text
		}
	}
	return strings.TrimSpace(text + " " + flags)
}
