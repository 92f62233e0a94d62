package crossover

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
)

// document is the comparison, said once.
func (c *comparison) document(o *options) *report.Document {
	d := &report.Document{}
	d.Label("crossover", c.title(), c.sizes())
	if c.setting != nil {
		d.Label("setting", c.setting.Name+": "+c.setting.Why)
		d.Field("setting", report.Text(c.setting.Name))
	}
	d.Field("axis", report.Text(c.axis.name))
	d.Say("")
	d.Table(c.table())
	d.Embed(func(w io.Writer) error { return c.chart().Inline(w) })
	d.Say("")
	d.Label("break-even", c.crosses())
	d.Label("result", c.result())
	d.Say("")
	d.Field("explained_row", report.Count(c.why))
	d.Say("from the closed form to the runs, at %s:", c.at())
	d.Table(c.movers())
	d.Say("")
	d.Label("no effect", strings.Join(c.ladder.Absent, " · "))
	d.Label("closed form", "a fork is cheaper while "+crossover.Formula+c.lawNow())
	d.Label("assumed", crossover.Assumptions+behind(", which is ", c.unmet()))
	d.Label("sizes", "assumed, of nobody's sessions: agentsim crossover SOURCE… takes those of yours")
	d.Label("prices", c.rates())
	d.Label("simulated", fmt.Sprintf("%s of sim.Run: a lead spawns the children in one answer, in the background; both kinds take as many turns; sizes are recorded counts, a fork's own blocks real ones; only the children's bills count", ui.Plural(c.runs, "run")))
	d.Label("chart", o.plot)
	d.Label("next", c.next(o)...)
	d.Field("not_in_play", report.List(c.ladder.Absent))
	d.Field("law", report.Text(crossover.Formula))
	d.Field("assumes", report.Text(crossover.Assumptions))
	d.Field("runs", report.Count(c.runs))
	return d
}

func given(texts ...string) []string {
	return slices.DeleteFunc(texts, func(t string) bool { return t == "" })
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
	return strings.Join(given("fork against fresh sub-agent", c.fixed("model", q.Model), c.fixed("siblings", children), parent,
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
	if exact && !x.At.IsInt() && x.At.Denom().Int64() < 1000 {
		return fmt.Sprintf("at %s turns (%s)", x, x.At.RatString())
	}
	return fmt.Sprintf("at %s turns", x)
}

// at names the explained row.
func (c *comparison) at() string {
	label := c.places[c.why].label
	if c.axis.name == "turns" {
		return ui.Plural(int(c.rows[c.why].Query.Turns), "turn")
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
	x, err := crossover.LawOf(q.Profile()).Factor()
	switch {
	case err != nil:
		return ""
	case !within(q):
		return "; here P ≤ S+R, so it holds for every T"
	}
	return fmt.Sprintf("; here T < %s·(S+R)/(P−S−R) = %s", crossover.Decimal(x), crossover.Decimal(c.ladder.ClosedCrossing.At))
}

// rates says what w and r are.
func (c *comparison) rates() string {
	p := c.rows[c.why].Query.Profile()
	return fmt.Sprintf("%s: write %s, read %s a million tokens, %s (%s, %s)", p.Pinned(), report.Money(p.Rates.Write5m*1_000_000),
		report.Money(p.Rates.Read*1_000_000), c.factors(), p.Source, p.Date)
}

// factors are w and r as parts of the input rate.
func (c *comparison) factors() string {
	r := &c.rows[c.why].Query.Profile().Rates
	return fmt.Sprintf("w %s and r %s of input", report.Times(int64(r.Write5m), int64(r.Input)), report.Times(int64(r.Read), int64(r.Input)))
}

// next suggests what to look at from here, as lines to type.
func (c *comparison) next(o *options) []string {
	q := &c.rows[c.why].Query
	var out []string
	add := func(flags, why string) { out = append(out, o.line(flags)+"    "+why) }
	switch {
	case q.Ideal:
		add("", "the same with everything that the closed form leaves out")
	case q.Cold && !q.Fourth:
		add("--cold --siblings 5 --stagger 5s --fourth-mark", "what one write for all siblings saves, where the parent's end is marked")
	case q.Siblings == 1:
		add("--vary siblings", "ten forks of one answer are out of the look-back's reach, nine where the parent says a word beside")
	case c.axis.name != "stagger":
		add("--vary stagger", "what holding siblings back saves")
	}
	if c.axis.name != "model" {
		add("--vary model", "where a cheaper read moves the crossover")
	}
	if c.setting == nil {
		out = append(out, "agentsim crossover --setting long-tool-loops    where forks cost 5 to 10 times as much; short-directives is where they save")
	}
	if o.plot == "" {
		add("--plot crossover.svg", "the curves")
	}
	return out
}

// crossed is a row and what its place is called.
type crossed struct {
	*crossover.Row
	label string
}

// fine is an amount with four decimals, since small differences count.
func fine(p cachemodel.Picodollars) report.Value { return report.Dollars(p).As(report.FineMoney(p)) }

// table has a row for each place, and where the two cross unless the rows are
// turns.
func (c *comparison) table() *report.Sheet {
	var rows []crossed
	for i := range c.rows {
		rows = append(rows, crossed{&c.rows[i], c.places[i].label})
	}
	head := " " + strings.ToUpper(c.axis.name)
	if c.named() {
		head = "MODEL"
	}
	type col = report.Column[crossed]
	columns := []col{
		{Name: "at", Head: head, Of: func(r crossed) report.Value { return report.Text(r.label) }},
		{Name: "model", Of: func(r crossed) report.Value { return report.Text(r.Query.Model) }},
		{Name: "stagger", Unit: report.Seconds, Of: func(r crossed) report.Value { return report.Duration(r.Query.Stagger) }},
	}
	for _, a := range axes {
		if a.unit == metrics.Nanoseconds {
			continue
		}
		name := a.name
		if a.unit == metrics.Tokens {
			name += "_tokens"
		}
		columns = append(columns, col{Name: name, Of: func(r crossed) report.Value { return report.Count(*a.of(&r.Query)) }})
	}
	columns = append(columns,
		col{Name: "cold", Of: func(r crossed) report.Value { return report.Bool(r.Query.Cold) }},
		col{Name: "fourth_mark", Of: func(r crossed) report.Value { return report.Bool(r.Query.Fourth) }},
		col{Name: "ideal", Of: func(r crossed) report.Value { return report.Bool(r.Query.Ideal) }},
		col{Name: "fork_closed_form_cost", Head: " FORK, FORMULA", Drop: 5, Unit: report.USD, Of: func(r crossed) report.Value { return fine(r.Closed.Fork) }},
		col{Name: "fork_cost", Head: " FORK, SIMULATED", Unit: report.USD, Of: func(r crossed) report.Value { return fine(r.Simulated.Fork) }},
		col{Name: "fresh_closed_form_cost", Head: " FRESH, FORMULA", Drop: 5, Unit: report.USD, Of: func(r crossed) report.Value { return fine(r.Closed.Fresh) }},
		col{Name: "fresh_cost", Head: " FRESH, SIMULATED", Unit: report.USD, Of: func(r crossed) report.Value { return fine(r.Simulated.Fresh) }},
		col{Name: "fork_to_fresh", Head: " FORK/FRESH", Drop: 3, Of: func(r crossed) report.Value {
			fork, fresh := int64(r.Simulated.Fork), int64(r.Simulated.Fresh)
			return report.Ratio(fork, fresh).As(report.Times(fork, fresh))
		}},
		col{Name: "cheaper_closed_form", Of: func(r crossed) report.Value { return report.Text(cheaper(r.Closed)) }},
		col{Name: "cheaper", Head: "CHEAPER", Of: func(r crossed) report.Value { return report.Text(cheaper(r.Simulated)) }})
	if c.axis.name != "turns" {
		columns = append(columns, crossings("closed_form_crossing", " BREAK-EVEN, FORMULA", 4, closedCell, func(r crossed) crossover.Crossing { return r.ClosedCrossing })...)
		columns = append(columns, crossings("crossing", " BREAK-EVEN, SIMULATED", 2, crossover.Crossing.String, func(r crossed) crossover.Crossing { return r.Crossing })...)
	}
	return report.TableOf("rows", rows, columns...)
}

// crossings are a crossing for machines, its verdict and its turns, and what
// people see of it unless their terminal is so narrow.
func crossings[R any](name, head string, drop int, say func(crossover.Crossing) string, of func(R) crossover.Crossing) []report.Column[R] {
	return []report.Column[R]{
		{Name: name, Of: func(r R) report.Value { return report.Text(string(of(r).Verdict)) }},
		{Name: name + "_turns", Of: func(r R) report.Value {
			if at := of(r).At; at != nil {
				return report.Ratio(at.Num().Int64(), at.Denom().Int64())
			}
			return report.None()
		}},
		{Head: head, Drop: drop, Of: func(r R) report.Value { return report.Text(say(of(r))) }},
	}
}

// rung is a step of the way from the law to the runs, or where it begins or ends.
type rung struct {
	name       string
	law, whole bool // the crossing is the law's; the amounts are bills
	step       crossover.Mover
}

// movers is the way from the law to the runs.
func (c *comparison) movers() *report.Sheet {
	d := c.ladder
	var rows []rung
	if u := d.Usual; u != nil {
		moved := crossover.Pair{Fork: d.Closed.Fork - u.Closed.Fork, Fresh: d.Closed.Fresh - u.Closed.Fresh}
		rows = append(rows, rung{"closed form at w 1.25× and r 0.1× of input", true, true, crossover.Mover{Amount: u.Closed, After: u.Crossing}},
			rung{"other read rate: " + c.factors(), true, false, crossover.Mover{Amount: moved, After: d.ClosedCrossing}})
	}
	rows = append(rows, rung{"closed form", true, true, crossover.Mover{Amount: d.Closed, After: d.ClosedCrossing}})
	for _, m := range d.Movers {
		rows = append(rows, rung{m.Name, false, false, m})
	}
	rows = append(rows, rung{"simulated", false, true, crossover.Mover{Amount: d.Simulated, After: d.Crossing}})
	type col = report.Column[rung]
	columns := []col{
		{Name: "step", Of: func(r rung) report.Value { return report.Text(r.name) }},
		{Head: "STEP", Of: func(r rung) report.Value {
			if r.whole {
				return report.Text(r.name)
			}
			return report.Text("  " + r.name)
		}},
		{Name: "bill", Of: func(r rung) report.Value { return report.Bool(r.whole) }},
		{Name: "fork_cost", Head: " FORK", Unit: report.USD, Of: func(r rung) report.Value { return r.amount(r.step.Amount.Fork) }},
		{Name: "fresh_cost", Head: " FRESH", Unit: report.USD, Of: func(r rung) report.Value { return r.amount(r.step.Amount.Fresh) }},
	}
	turns := crossings("crossing", " BREAK-EVEN", 1, nil, func(r rung) crossover.Crossing { return r.step.After })
	turns[2].Of = func(r rung) report.Value {
		if r.law {
			return report.Text(closedCell(r.step.After))
		}
		return report.Text(r.step.After.String())
	}
	return report.TableOf("movers", rows, append(columns, turns...)...)
}

// amount is a bill, or what a step adds to one.
func (r *rung) amount(p cachemodel.Picodollars) report.Value {
	switch {
	case r.whole:
		return fine(p)
	case p == 0:
		return report.Dollars(0).As("0")
	}
	return fine(p).Signed()
}
