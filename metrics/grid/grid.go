package grid

import (
	"slices"
	"strconv"
	"strings"

	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/stat"
)

// Axis is a value that is varied, and its values as written.
type Axis struct {
	Path   string
	Values []string
}

// Short is the last step of the axis's path.
func (a Axis) Short() string { return a.Path[strings.LastIndexByte(a.Path, '.')+1:] }

// Word is the axis in the glossary's words.
func (a Axis) Word() string {
	switch key := a.Short(); key {
	case "prompting":
		return "hand-off style"
	case "gist_tokens":
		return "summary tokens"
	default:
		return strings.ReplaceAll(key, "_", " ")
	}
}

// Points lists the combinations of the axes' values, the last axis running
// fastest.
func Points(axes []Axis) [][]string {
	out := [][]string{nil}
	for _, a := range axes {
		var next [][]string
		for _, head := range out {
			for _, v := range a.Values {
				next = append(next, append(append([]string(nil), head...), v))
			}
		}
		out = next
	}
	return out
}

// Metrics are what a grid keeps of each run: whole numbers.
func Metrics() []baseline.Metric { return gridMetrics }

var gridMetrics = func() (out []baseline.Metric) {
	for _, m := range baseline.Metrics() {
		if _, ok := metrics.Find(m.Name); ok && m.Unit != metrics.Ratio {
			out = append(out, m)
		}
	}
	return append(out, baseline.Metric{Name: "items.total", Unit: metrics.Count})
}()

// columns are the metrics' places.
var columns = func() map[string]int {
	out := map[string]int{}
	for i, m := range gridMetrics {
		out[m.Name] = i
	}
	return out
}()

// noData stands for a figure that a run has no data for.
const noData = -1

// Run is what one run of a grid came to.
type Run struct {
	Outcome string
	Open    string // why it did not finish; "" when it did

	figures []int64 // one for each of Metrics; nil where it did not finish
}

// Set keeps a figure, unless a grid does not.
func (r *Run) Set(name string, v int64) {
	if r.figures == nil {
		r.figures = make([]int64, len(gridMetrics))
		for i := range r.figures {
			r.figures[i] = noData
		}
	}
	if i, kept := columns[name]; kept {
		r.figures[i] = v
	}
}

// Cell is a variant at a point, over the seeds.
type Cell struct {
	Point   []string // values as written, one for each axis
	Variant string
	Seed    uint64 // of the first run
	Same    bool   // it is what the scenario itself says
	Drawn   bool   // its runs draw: without that one run is what all seeds come to
	Runs    []Run  // by seed
}

// Grid is points times variants.
type Grid struct {
	Name     string
	Axes     []Axis
	Variants []string
	Seeds    int
	Cells    []Cell // by point and variant
}

// New is a grid without runs.
func New(name string, axes []Axis, variants []string, seeds int) *Grid {
	g := &Grid{Name: name, Axes: axes, Variants: variants, Seeds: seeds}
	for _, p := range Points(axes) {
		for _, v := range variants {
			g.Cells = append(g.Cells, Cell{Point: p, Variant: v, Runs: make([]Run, seeds)})
		}
	}
	return g
}

// At are the cells of a point.
func (g *Grid) At(point int) []Cell {
	return g.Cells[point*len(g.Variants) : (point+1)*len(g.Variants)]
}

// Points is how many there are.
func (g *Grid) Points() int { return len(g.Cells) / max(1, len(g.Variants)) }

// Describe names a point, for messages.
func (g *Grid) Describe(point []string) string {
	var parts []string
	for i, a := range g.Axes {
		parts = append(parts, a.Short()+" "+point[i])
	}
	return strings.Join(parts, ", ")
}

// Column gathers a figure over the seeds that have data for it.
func (c *Cell) Column(name string) (out []int64) {
	i := columns[name]
	for _, r := range c.Runs {
		if r.figures != nil && r.figures[i] != noData {
			out = append(out, r.figures[i])
		}
	}
	return out
}

// Median is a figure's over the seeds; 0 without data.
func (c *Cell) Median(name string) int64 {
	if x := c.Column(name); len(x) > 0 {
		return stat.Describe(x).Median
	}
	return 0
}

// Open is how many runs did not finish, and why the first of them did not.
func (c *Cell) Open() (n int, why string) {
	for _, r := range c.Runs {
		if r.Open == "" {
			continue
		}
		if n++; n == 1 {
			why = r.Open
		}
	}
	return n, why
}

// Finished reports whether all runs did.
func (c *Cell) Finished() bool {
	n, _ := c.Open()
	return n == 0
}

// done reports whether all work was done.
func (c *Cell) done() bool { return c.Median("items.done") == c.Median("items.total") }

// ranks reports whether a cell can be set beside others: its runs finished and did all
// their work.
func (c *Cell) ranks() bool { return c.Finished() && c.done() }

// size is how many items of work there were: bills are compared among variants of one.
func (c *Cell) size() int64 { return c.Median("items.total") }

// Cheapest are the indices of the variants that cost least among those of a point
// that had as much work, finished and did all of it, one for each size of work in
// the order of the variants; none of a size of which none did, or several cost least.
func Cheapest(cells []Cell) (out []int) {
	for i := range cells {
		like := func(c Cell) bool { return c.size() == cells[i].size() }
		if best := CheapestLike(cells, i); best >= 0 && !slices.ContainsFunc(cells[:i], like) {
			out = append(out, best)
		}
	}
	return out
}

// CheapestNames are Cheapest's variants in words, and several that cost least alike with
// = between them; "" where all cost the same.
func CheapestNames(cells []Cell) string {
	var names []string
	for i := range cells {
		like := func(c Cell) bool { return c.size() == cells[i].size() }
		if slices.ContainsFunc(cells[:i], like) {
			continue
		}
		if best, all := least(cells, i); len(best) == 1 || len(best) < all {
			var equal []string
			for _, k := range best {
				equal = append(equal, cells[k].Variant)
			}
			names = append(names, strings.Join(equal, " = "))
		}
	}
	return strings.Join(names, ", ")
}

// CheapestLike is Cheapest's of the size of one cell; -1 for none.
func CheapestLike(cells []Cell, of int) int {
	if best, _ := least(cells, of); len(best) == 1 {
		return best[0]
	}
	return -1
}

// least are the variants that cost least among those of the size of one cell that can be
// set beside others, and how many these are.
func least(cells []Cell, of int) (best []int, all int) {
	for i := range cells {
		c := &cells[i]
		if !c.ranks() || c.size() != cells[of].size() {
			continue
		}
		all++
		switch cost := c.Median("cost"); {
		case len(best) == 0 || cost < cells[best[0]].Median("cost"):
			best = []int{i}
		case cost == cells[best[0]].Median("cost"):
			best = append(best, i)
		}
	}
	return best, all
}

// repeated are figures of so many seeds where one run is what all of them come to.
func (c *Cell) repeated(x []int64, seeds int) []int64 {
	for !c.Drawn && len(x) > 0 && len(x) < seeds {
		x = append(x, x[0])
	}
	return x
}

// Ran is how many runs the grid has.
func (g *Grid) Ran() (n int) {
	for i := range g.Cells {
		n += len(g.Cells[i].Runs)
	}
	return n
}

// More is how much more a cell costs than another, run by run: exactly where
// neither depends on the seed. There is nothing to say of a cell and itself, and
// where runs did not finish.
func (g *Grid) More(cell, than int) (x stat.Interval, exact, ok bool) {
	a, b := g.Cells[than].Column("cost"), g.Cells[cell].Column("cost")
	a, b = g.Cells[than].repeated(a, len(b)), g.Cells[cell].repeated(b, len(a))
	if cell == than || len(a) == 0 || len(a) != len(b) || !g.Cells[than].Finished() {
		return x, false, false
	}
	if stat.Describe(a).Exact() && stat.Describe(b).Exact() {
		d := float64(b[0] - a[0])
		return stat.Interval{Low: d, High: d, Paired: true}, true, true
	}
	return stat.Paired(a, b, baseline.Key(g.Name, strconv.Itoa(than), strconv.Itoa(cell))), false, true
}
