package crossover

import (
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
)

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
	head := " " + c.axis.head
	if c.named() {
		head = c.axis.head
	}
	type col = report.Column[crossed]
	columns := []col{
		{Name: "at", Head: head, Of: func(r crossed) report.Value { return report.Text(r.label) }},
		{Name: "model", Of: func(r crossed) report.Value { return report.Text(r.Query.Model) }},
		{Name: "stagger", Of: func(r crossed) report.Value { return report.Duration(r.Query.Stagger) }},
	}
	for _, n := range []struct {
		name string
		of   func(*crossover.Query) int64
	}{
		{"prefix_tokens", func(q *crossover.Query) int64 { return q.Prefix }}, {"know_tokens", func(q *crossover.Query) int64 { return q.Know }},
		{"own_tokens", func(q *crossover.Query) int64 { return q.Own }}, {"task_tokens", func(q *crossover.Query) int64 { return q.Task }},
		{"growth_tokens", func(q *crossover.Query) int64 { return q.Growth }}, {"answer_tokens", func(q *crossover.Query) int64 { return q.Output }},
		{"turns", func(q *crossover.Query) int64 { return q.Turns }}, {"reading_turns", func(q *crossover.Query) int64 { return q.Reading }},
		{"siblings", func(q *crossover.Query) int64 { return q.Siblings }},
	} {
		columns = append(columns, col{Name: n.name, Of: func(r crossed) report.Value { return report.Count(n.of(&r.Query)) }})
	}
	columns = append(columns,
		col{Name: "cold", Of: func(r crossed) report.Value { return report.Bool(r.Query.Cold) }},
		col{Name: "fourth_mark", Of: func(r crossed) report.Value { return report.Bool(r.Query.Fourth) }},
		col{Name: "ideal", Of: func(r crossed) report.Value { return report.Bool(r.Query.Ideal) }},
		col{Name: "fork_closed_form_cost", Head: " FORK, LAW", Drop: 2, Of: func(r crossed) report.Value { return fine(r.Closed.Fork) }},
		col{Name: "fork_cost", Head: " SIMULATED", Of: func(r crossed) report.Value { return fine(r.Simulated.Fork) }},
		col{Name: "fresh_closed_form_cost", Head: " FRESH, LAW", Drop: 2, Of: func(r crossed) report.Value { return fine(r.Closed.Fresh) }},
		col{Name: "fresh_cost", Head: " SIMULATED", Of: func(r crossed) report.Value { return fine(r.Simulated.Fresh) }},
		col{Name: "fork_to_fresh", Head: " FORK/FRESH", Drop: 1, Of: func(r crossed) report.Value {
			fork, fresh := int64(r.Simulated.Fork), int64(r.Simulated.Fresh)
			return report.Ratio(fork, fresh).As(report.Times(fork, fresh))
		}},
		col{Name: "cheaper_closed_form", Of: func(r crossed) report.Value { return report.Text(cheaper(r.Closed)) }},
		col{Name: "cheaper", Head: "CHEAPER", Of: func(r crossed) report.Value { return report.Text(cheaper(r.Simulated)) }})
	if c.axis.name != "turns" {
		columns = append(columns, crossings("closed_form_crossing", " CROSSES AT, LAW", closedCell, func(r crossed) crossover.Crossing { return r.ClosedCrossing })...)
		columns = append(columns, crossings("crossing", " SIMULATED", crossover.Crossing.String, func(r crossed) crossover.Crossing { return r.Crossing })...)
	}
	return report.TableOf("rows", rows, columns...)
}

// crossings are a crossing for machines, its verdict and its turns, and what
// people see of it.
func crossings[R any](name, head string, say func(crossover.Crossing) string, of func(R) crossover.Crossing) []report.Column[R] {
	return []report.Column[R]{
		{Name: name, Of: func(r R) report.Value { return report.Text(string(of(r).Verdict)) }},
		{Name: name + "_turns", Of: func(r R) report.Value {
			if at := of(r).At; at != nil {
				return report.Ratio(at.Num, at.Den)
			}
			return report.None()
		}},
		{Head: head, Of: func(r R) report.Value { return report.Text(say(of(r))) }},
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
		{Head: "WHAT MOVES THEM APART, AT " + strings.ToUpper(c.at()), Of: func(r rung) report.Value {
			if r.whole {
				return report.Text(r.name)
			}
			return report.Text("  " + r.name)
		}},
		{Name: "bill", Of: func(r rung) report.Value { return report.Bool(r.whole) }},
		{Name: "fork_cost", Head: " FORK", Of: func(r rung) report.Value { return r.amount(r.step.Amount.Fork) }},
		{Name: "fresh_cost", Head: " FRESH", Of: func(r rung) report.Value { return r.amount(r.step.Amount.Fresh) }},
	}
	turns := crossings("crossing", " CROSSES AT", nil, func(r rung) crossover.Crossing { return r.step.After })
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
