package crossover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/metrics/grid"
	"agentsim/metrics/plot"
	"agentsim/metrics/report"
	"agentsim/sim/crossover"
)

// chart is the comparison as curves: what forks and fresh sub-agents cost, by
// the law and simulated, with the places where the two cross.
func (c *comparison) chart() *plot.Chart {
	pts := c.points()
	line := func(name string, hue plot.Hue, law bool, of func(*crossover.Row) cachemodel.Picodollars) plot.Line {
		l := plot.Line{Name: name, Hue: hue, Dashed: law, Dots: !law, Apart: c.named()}
		for _, p := range pts {
			l.Points = append(l.Points, plot.Point{X: p.x, Y: inDollars(of(p.row))})
		}
		return l
	}
	ch := &plot.Chart{
		Title: "Fork against fresh sub-agent", Subtitle: c.subtitle(), Least: c.least(),
		X: c.axis.label, Y: "bill of all children, US dollars",
		Lines: []plot.Line{
			line("fork, simulated", plot.Blue, false, func(r *crossover.Row) cachemodel.Picodollars { return r.Simulated.Fork }),
			line("fork, closed form", plot.Blue, true, func(r *crossover.Row) cachemodel.Picodollars { return r.Closed.Fork }),
			line("fresh sub-agent, simulated", plot.Orange, false, func(r *crossover.Row) cachemodel.Picodollars { return r.Simulated.Fresh }),
			line("fresh sub-agent, closed form", plot.Orange, true, func(r *crossover.Row) cachemodel.Picodollars { return r.Closed.Fresh }),
		},
		Note: "closed form: a fork is cheaper while " + crossover.Formula + "; growth and output, which both have, are in the bills\nassumes: " + crossover.Assumptions + behind("\nP > S+R is ", c.unmet()),
	}
	if !c.named() {
		ch.Marks = c.marks(pts)
		return ch
	}
	for i, p := range c.places {
		label := strings.TrimPrefix(c.rows[i].Query.Profile().ID, "claude-") // without a date, which has no room
		ch.Ticks = append(ch.Ticks, plot.Tick{X: p.x, Label: label})
	}
	return ch
}

// named reports whether the places are names, with nothing between two of them.
func (c *comparison) named() bool { return c.axis.of == nil }

// least is the least value that there is, where a plot should not begin at zero.
func (c *comparison) least() float64 {
	if c.axis.name == "siblings" {
		return 1
	}
	return 0
}

// marks are the crossings of the drawn curves, the labels away from each other.
func (c *comparison) marks(pts []drawn) []plot.Mark {
	out := append(marksOf(pts, "simulated", false, func(r *crossover.Row) crossover.Pair { return r.Simulated }),
		marksOf(pts, "closed form", true, func(r *crossover.Row) crossover.Pair { return r.Closed })...)
	slices.SortStableFunc(out, func(a, b plot.Mark) int { return cmp.Compare(a.X, b.X) })
	for i := range out {
		out[i].Below = i > 0
	}
	return out
}

// subtitle is what the rows have in common, in a line.
func (c *comparison) subtitle() string {
	q := &c.rows[0].Query
	parts := given(c.fixed("model", q.Model), c.fixed("prefix", "P = "+report.Quantity(q.Prefix)), c.fixed("know", "S+R = "+report.Quantity(q.Know)),
		c.fixed("turns", fmt.Sprintf("T = %d", q.Turns)), c.fixed("siblings", fmt.Sprintf("N = %d", q.Siblings)))
	if q.Cold {
		parts = append(parts, "cold parent")
	}
	return strings.Join(parts, " · ")
}

// drawn is a row at its place on the X axis.
type drawn struct {
	x   float64
	row *crossover.Row
}

// points are the rows and what was run beside them, from left to right.
func (c *comparison) points() []drawn {
	var out []drawn
	for i := range c.rows {
		out = append(out, drawn{c.places[i].x, &c.rows[i]})
	}
	for i := range c.extra {
		out = append(out, drawn{float64(c.extra[i].Query.Turns), &c.extra[i]})
	}
	slices.SortStableFunc(out, func(a, b drawn) int { return cmp.Compare(a.x, b.x) })
	return out
}

// marksOf finds where the two drawn curves cross.
func marksOf(pts []drawn, name string, hollow bool, of func(*crossover.Row) crossover.Pair) (out []plot.Mark) {
	var xs []float64
	curves := make([]grid.Curve, 2)
	for _, p := range pts {
		pair := of(p.row)
		xs = append(xs, p.x)
		curves[0].Points = append(curves[0].Points, grid.Point{X: p.x, Y: inDollars(pair.Fork)})
		curves[1].Points = append(curves[1].Points, grid.Point{X: p.x, Y: inDollars(pair.Fresh)})
	}
	for _, x := range grid.Crossings(curves, xs) {
		out = append(out, plot.Mark{Point: plot.Point(x.Point), Label: fmt.Sprintf("%s %.3g", name, x.X), Hollow: hollow})
	}
	return out
}

func inDollars(p cachemodel.Picodollars) float64 { return float64(p) / 1e12 }
