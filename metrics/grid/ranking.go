package grid

import (
	"fmt"
	"slices"
	"strings"
)

// Change is a single step along an axis, the other axes staying where they are, at
// which one variant becomes cheaper than another.
type Change struct {
	Axis     int
	From, To string // the axis's values
	Cheaper  string // the variant that costs less after the step
	Dearer   string
	Top      bool       // they are the cheapest of their size, after the step and before it
	Points   [][]string // where the step begins
	Where    string     // the same in words; "" where there is no other axis

	word string // the axis's
}

// String is the change in a line.
func (c *Change) String() string {
	text := fmt.Sprintf("%s is cheaper than %s at %s %s, not at %s", c.Cheaper, c.Dearer, c.word, c.To, c.From)
	if c.Top {
		text = fmt.Sprintf("%s is the cheapest at %s %s, %s at %s", c.Cheaper, c.word, c.To, c.Dearer, c.From)
	}
	if c.Where != "" {
		text += " (" + c.Where + ")"
	}
	return text
}

// Changes lists where the ranking changes; those of the cheapest variant first.
func (g *Grid) Changes() []Change {
	var top, rest []Change
	for i := range g.Points() {
		for j := i + 1; j < g.Points(); j++ {
			before, after := g.At(i), g.At(j)
			axis, ok := g.step(before[0].Point, after[0].Point)
			if !ok {
				continue
			}
			c := Change{Axis: axis, From: before[0].Point[axis], To: after[0].Point[axis], word: g.Axes[axis].Word()}
			said := map[[2]int]bool{}
			for _, to := range Cheapest(after) {
				from := CheapestLike(before, to)
				if from != to && from >= 0 {
					top, said[[2]int{to, from}] = c.at(top, before[0].Point, g.Variants[to], g.Variants[from], true), true
				}
			}
			for _, p := range overtaken(before, after) {
				if said[p] {
					continue
				}
				rest = c.at(rest, before[0].Point, g.Variants[p[0]], g.Variants[p[1]], false)
			}
		}
	}
	all := append(top, rest...)
	for i := range all {
		all[i].Where = g.where(&all[i])
	}
	return all
}

// at adds to changes what happens at a step from a point: the same step at another
// point is the same change.
func (c Change) at(list []Change, point []string, cheaper, dearer string, top bool) []Change {
	c.Cheaper, c.Dearer, c.Top = cheaper, dearer, top
	i := slices.IndexFunc(list, func(o Change) bool {
		return o.Axis == c.Axis && o.From == c.From && o.To == c.To && o.Cheaper == cheaper && o.Dearer == dearer
	})
	if i < 0 {
		i, list = len(list), append(list, c)
	}
	list[i].Points = append(list[i].Points, point)
	return list
}

// cheaper reports whether a costs less than b, as it is printed.
func cheaper(a, b Cell) bool {
	x, y := a.Median("cost"), b.Median("cost")
	return x < y && Dollars(x) != Dollars(y)
}

// overtaken lists the pairs of variants with as much work of which the first did not
// cost less before and does after.
func overtaken(before, after []Cell) (out [][2]int) {
	for a := range before {
		for b := range before {
			if !before[a].ranks() || !before[b].ranks() || !after[a].ranks() || !after[b].ranks() ||
				before[a].size() != before[b].size() || after[a].size() != after[b].size() {
				continue
			}
			if !cheaper(before[a], before[b]) && cheaper(after[a], after[b]) {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// step reports the axis along which two points are neighbours.
func (g *Grid) step(a, b []string) (axis int, ok bool) {
	axis = -1
	for i, x := range g.Axes {
		if a[i] == b[i] {
			continue
		}
		if axis >= 0 || slices.Index(x.Values, b[i]) != slices.Index(x.Values, a[i])+1 {
			return -1, false
		}
		axis = i
	}
	return axis, axis >= 0
}

// maxPoints is how many points are listed one by one.
const maxPoints = 4

// where says at which points of the other axes a change happens: at each; at all
// combinations of some values, of which axes with all their values are not named; or
// at single ones.
func (g *Grid) where(c *Change) string {
	var parts, others []string
	combinations, all := 1, 1
	for i, a := range g.Axes {
		if i == c.Axis {
			continue
		}
		others = append(others, a.Word())
		values := c.values(i)
		combinations, all = combinations*len(values), all*len(a.Values)
		if len(values) < len(a.Values) {
			parts = append(parts, a.Word()+" "+strings.Join(values, ", "))
		}
	}
	switch {
	case len(g.Axes) == 1:
		return ""
	case len(c.Points) == all:
		return "whatever the " + strings.Join(others, " and the ")
	case len(c.Points) == combinations:
		return strings.Join(parts, "; ")
	}
	return g.single(c)
}

// values are those of an axis at which the change happens, in its order.
func (c *Change) values(axis int) (out []string) {
	for _, p := range c.Points {
		if !slices.Contains(out, p[axis]) {
			out = append(out, p[axis])
		}
	}
	return out
}

// single lists points one by one.
func (g *Grid) single(c *Change) string {
	var parts []string
	for _, p := range c.Points[:min(maxPoints, len(c.Points))] {
		var at []string
		for i, a := range g.Axes {
			if i != c.Axis {
				at = append(at, a.Word()+" "+p[i])
			}
		}
		parts = append(parts, strings.Join(at, " and "))
	}
	if n := len(c.Points) - len(parts); n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, "; ")
}
