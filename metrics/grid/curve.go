package grid

import (
	"agentsim/metrics"
	"agentsim/metrics/stat"
)

// Point is a place of a curve.
type Point struct{ X, Y float64 }

// Curve is what a variant costs along an axis, in picodollars; without the places
// at which it did not finish.
type Curve struct {
	Variant string
	Points  []Point
	Bands   [][2]float64 // of each point, what a tenth and nine tenths of the seeds do not exceed
}

// Curves are those along the first axis, the others at their first values; xs are
// the axis's values where they are numbers in rising order, else their places.
func (g *Grid) Curves() (curves []Curve, xs []float64, numbers bool) {
	xs, numbers = g.Axes[0].positions()
	step := g.Points() / len(xs) // the last axis runs fastest
	for v, name := range g.Variants {
		c := Curve{Variant: name}
		for i, x := range xs {
			cell := &g.At(i * step)[v]
			if cell.Finished() && len(cell.Column("cost")) > 0 {
				d := stat.Describe(cell.Column("cost"))
				c.Points = append(c.Points, Point{x, float64(d.Median)})
				c.Bands = append(c.Bands, [2]float64{float64(d.P10), float64(d.P90)})
			}
		}
		curves = append(curves, c)
	}
	return curves, xs, numbers
}

// Timed reports whether its values are times, which are nanoseconds where they are
// numbers.
func (a Axis) Timed() bool {
	v, err := metrics.ParseValue(a.Values[0])
	return err == nil && v.Unit == metrics.Nanoseconds
}

// positions are where values are on the axis: in their order where they are no rising
// numbers, or where nothing is between them: a provider has the TTLs that it has.
func (a Axis) positions() (xs []float64, numbers bool) {
	for i, text := range a.Values {
		v, err := metrics.ParseValue(text)
		if err != nil || a.Short() == "ttl" || i > 0 && v.Float() <= xs[i-1] {
			xs = nil
			for j := range a.Values {
				xs = append(xs, float64(j))
			}
			return xs, false
		}
		xs = append(xs, v.Float())
	}
	return xs, true
}

// Crossing is where two curves cross, between two neighbouring points.
type Crossing struct {
	A, B int // the curves
	Point
}

// Crossings lists them. A curve may lack points that others have: what lies on both
// sides of one is not compared.
func Crossings(curves []Curve, xs []float64) (out []Crossing) {
	for i := range curves {
		for j := i + 1; j < len(curves); j++ {
			for k := 0; k+1 < len(xs); k++ {
				a, b, ok := curves[i].between(xs[k], xs[k+1])
				c, d, also := curves[j].between(xs[k], xs[k+1])
				before, after := a.Y-c.Y, b.Y-d.Y
				if !ok || !also || before == after || before < 0 == (after < 0) {
					continue
				}
				t := before / (before - after)
				out = append(out, Crossing{i, j, Point{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)}})
			}
		}
	}
	return out
}

// between are a curve's points at two neighbouring places, where it has both.
func (c *Curve) between(from, to float64) (a, b Point, ok bool) {
	for i := 0; i+1 < len(c.Points); i++ {
		if c.Points[i].X == from && c.Points[i+1].X == to {
			return c.Points[i], c.Points[i+1], true
		}
	}
	return a, b, false
}
