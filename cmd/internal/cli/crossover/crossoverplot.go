package crossover

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
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
		Title: "Fork against fresh sub-agent", Subtitle: c.subtitle(), Least: c.axis.least,
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
		label := p.label
		if c.axis.name == "model" { // without a date, which has no room
			label = strings.TrimPrefix(profile(&c.rows[i]).ID, "claude-")
		}
		ch.Ticks = append(ch.Ticks, plot.Tick{X: p.x, Label: label})
	}
	return ch
}

// named reports whether the places are names, with nothing between two of them.
func (c *comparison) named() bool { return c.axis.name == "model" || c.axis.name == "parent" }

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
	if q.Cold && c.axis.name != "parent" {
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
	for i := 0; i+1 < len(pts); i++ {
		a, b := of(pts[i].row), of(pts[i+1].row)
		d, e := inDollars(a.Fork-a.Fresh), inDollars(b.Fork-b.Fresh)
		if d == e || d < 0 == (e < 0) {
			continue
		}
		t := d / (d - e)
		x := pts[i].x + t*(pts[i+1].x-pts[i].x)
		y := inDollars(a.Fork) + t*inDollars(b.Fork-a.Fork)
		out = append(out, plot.Mark{Point: plot.Point{X: x, Y: y}, Label: fmt.Sprintf("%s %.3g", name, x), Hollow: hollow})
	}
	return out
}

func inDollars(p cachemodel.Picodollars) float64 { return float64(p) / 1e12 }

// pictures refuses to draw one kind of picture into a file that is named as
// another. A name without an extension says nothing.
func (o *crossoverOptions) pictures() error {
	for _, f := range []struct{ flag, file, ext string }{{"svg", o.svg, ".svg"}, {"png", o.png, ".png"}} {
		if ext := filepath.Ext(f.file); ext != "" && !strings.EqualFold(ext, f.ext) {
			return ui.Failf(ui.Usage, "--%s %s: a picture of that kind has a name that ends in %s, such as %s", f.flag, f.file, f.ext, strings.TrimSuffix(f.file, ext)+f.ext)
		}
	}
	return nil
}
