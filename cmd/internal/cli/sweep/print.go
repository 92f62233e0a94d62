package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/loading"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/grid"
	"agentsim/metrics/plot"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
	"agentsim/sim"
	"agentsim/sim/transcript/sqlite"
	"agentsim/sim/vtime"
)

// sweepGrid is one use of sweep.
type sweepGrid struct {
	*harness.Sweep
	o      *options
	on     *loading.Loaded
	unkept *sqlite.Error // why the last of its runs are not recorded; nil where they are
}

// unfinished lists the cells with runs that did not finish, and why the first of
// them did not.
func (g *sweepGrid) unfinished() (out []string) {
	for i := range g.Cells {
		c := &g.Cells[i]
		n, why := c.Open()
		if n == 0 {
			continue
		}
		if len(out) == maxOpen {
			return append(out, "and more; -o json lists them all")
		}
		line := strings.TrimSpace(c.Variant + " " + g.Describe(c.Point))
		if g.Seeds > 1 {
			line += fmt.Sprintf(", %d of %s", n, ui.Plural(g.Seeds, "seed"))
		}
		out = append(out, strings.TrimSpace(line+": "+why))
	}
	return out
}

// maxOpen is how many unfinished cells are listed one by one.
const maxOpen = 10

// document is the sweep, said once.
func (g *sweepGrid) document() *report.Document {
	d := &report.Document{}
	var each []uint64
	for i := range g.Cells {
		each = append(each, g.Cells[i].Seed)
	}
	seeds := ui.Seeds(each)
	if g.Ran() > len(g.Cells) {
		seeds = ui.Plural(g.Seeds, "seed") + ", medians"
	}
	d.Heading(g.Name, "%s · %s · %s · %s", ui.Plural(g.Points(), "grid point"), ui.Plural(len(g.Variants), "variant"), seeds, ui.Plural(g.Ran(), "run"))
	var axes []string
	for _, a := range g.Axes {
		axes = append(axes, a.Path)
	}
	d.Field("scenario", report.Text(g.Name))
	if spec, err := g.Spec(0, 0); err == nil { // its runs were made of it
		g.on.Tell(d, []*sim.Spec{spec})
	}
	d.Field("axes", report.List(axes))
	d.Field("seeds", report.Count(g.Seeds))
	d.Table(g.Costs().From("figures"))
	if g.Ran() > len(g.Cells) {
		d.Say("")
		d.Table(g.spread())
	}
	if len(g.Axes) > 0 {
		d.Embed(func(w io.Writer) error {
			if chart := g.chart(); len(chart.Lines) > 0 {
				return chart.Inline(w)
			}
			return nil
		})
	}
	d.Table(g.figures().Hidden())
	d.Table(g.unfinishedRuns())
	d.Main("figures")
	d.Field("ranking_changes", report.List(g.Ranking()))
	d.Say("")
	d.Label("unfinished", g.unfinished()...)
	d.Label("ranking", g.Ranking()...)
	d.Label("seeds", g.drawn(), g.exactness())
	d.Label("assumed", g.assumed()...)
	if g.unkept != nil {
		d.Label("recorded", "incomplete: the message below says why")
	} else {
		d.Label("recorded", g.o.db)
	}
	return d
}

// assumed is what the runs rest on, as the first place's with the first seed say it.
func (g *sweepGrid) assumed() []string {
	out := report.Gathered(g.Assumed)
	if len(g.Axes) > 0 {
		out = append([]string{"at " + g.Describe(g.Cells[0].Point) + ":"}, out...)
	}
	return out
}

// drawn says where nothing is: another seed changes no figure there.
func (g *sweepGrid) drawn() string {
	fixed := 0
	for i := range g.Cells {
		if !g.Cells[i].Drawn {
			fixed++
		}
	}
	switch {
	case g.Seeds == 1 || fixed == 0:
		return ""
	case fixed == len(g.Cells):
		return "nothing is drawn: every seed gives the same figures, so one was run"
	}
	return fmt.Sprintf("nothing is drawn at %d of %d: every seed gives the same figures there, so one was run", fixed, len(g.Cells))
}

// exactness says what may be said of the figures.
func (g *sweepGrid) exactness() string {
	if g.Ran() == len(g.Cells) {
		return "every figure is that of one run, compared exactly"
	}
	same := 0
	for i := range g.Cells {
		if x := g.Cells[i].Column("cost"); len(x) > 0 && stat.Describe(x).Exact() {
			same++
		}
	}
	return fmt.Sprintf("%d of %d costs are the same for every seed; intervals are of the difference, seed by seed, by %s resamples", same, len(g.Cells), ui.Count(stat.Resamples))
}

// spreading is a cell and its place, for how its cost lies over the seeds.
type spreading struct {
	*grid.Cell
	at int
}

// spread says how costs lie over the seeds, and how far each is from the cheapest
// at its point.
func (g *sweepGrid) spread() *report.Sheet {
	type col = report.Column[spreading]
	var rows []spreading
	for i := range g.Cells {
		rows = append(rows, spreading{&g.Cells[i], i})
	}
	several := len(g.Variants) > 1
	columns := grid.AxisColumns(g.Grid, func(c spreading) []string { return c.Point })
	if several {
		columns = append(columns, col{Head: "VARIANT", Of: func(c spreading) report.Value { return report.Text(c.Variant) }})
	}
	figures := []struct {
		head string
		drop int
		of   func(spreading, stat.Summary) string
	}{
		{" MEDIAN", 0, func(_ spreading, d stat.Summary) string { return grid.Dollars(d.Median) }},
		{" P10", 2, func(_ spreading, d stat.Summary) string { return grid.Dollars(d.P10) }},
		{" P90", 2, func(_ spreading, d stat.Summary) string { return grid.Dollars(d.P90) }},
		{" TIME", 1, func(c spreading, _ stat.Summary) string {
			return report.Duration(vtime.Duration(c.Median("time"))).String()
		}},
		{" MORE THAN THE CHEAPEST, 95 %", 0, func(c spreading, _ stat.Summary) string { return g.more(c.at) }},
	}
	if !several {
		figures = figures[:len(figures)-1]
	}
	for i, f := range figures {
		columns = append(columns, col{Head: f.head, Drop: f.drop, Of: func(c spreading) report.Value {
			switch x := c.Column("cost"); {
			case c.Finished() && len(x) > 0:
				return report.Text(f.of(c, stat.Describe(x)))
			case i > 0:
				return report.Text("")
			case !c.Finished():
				return report.Text(grid.Unfinished)
			}
			return report.Text("?")
		}})
	}
	return report.TableOf("", rows, columns...).From("figures")
}

// more is what a cell costs more than the cheapest at its point that had as much work.
func (g *sweepGrid) more(cell int) string {
	n := len(g.Variants)
	least := grid.CheapestLike(g.At(cell/n), cell%n)
	if least < 0 {
		return ""
	}
	x, exact, ok := g.More(cell, cell/n*n+least)
	value := func(v float64) string { return report.More(metrics.Whole(int64(v), metrics.Picodollars)) }
	switch {
	case !ok:
		return ""
	case exact:
		return value(x.Low) + " exactly"
	case !x.Decides():
		return value(x.Low) + " … " + value(x.High) + ", not told apart"
	}
	return value(x.Low) + " … " + value(x.High)
}

// swept is a figure of a variant at a point over the seeds that have data for it.
type swept struct {
	*grid.Cell
	baseline.Metric
	stat.Summary
}

// figures has a row for each point, variant and figure, all exact, and one for a
// cost that no run has since none finished.
func (g *sweepGrid) figures() *report.Sheet {
	var rows []swept
	for i := range g.Cells {
		c := &g.Cells[i]
		open, _ := c.Open()
		for _, m := range grid.Metrics() {
			if x := c.Column(m.Name); len(x) > 0 {
				rows = append(rows, swept{c, m, stat.Describe(x)})
			} else if m.Name == "cost" && open > 0 {
				rows = append(rows, swept{Cell: c, Metric: m})
			}
		}
	}
	type col = report.Column[swept]
	columns := append(grid.AxisColumns(g.Grid, func(r swept) []string { return r.Point }),
		col{Name: "variant", Of: func(r swept) report.Value { return report.Text(r.Variant) }},
		col{Name: "metric", Of: func(r swept) report.Value { return report.Text(r.Name) }},
		col{Name: "n", Of: func(r swept) report.Value { return report.Count(r.N) }})
	for _, f := range []struct {
		name string
		of   func(swept) int64
	}{
		{"median", func(r swept) int64 { return r.Summary.Median }}, {"p10", func(r swept) int64 { return r.P10 }}, {"p90", func(r swept) int64 { return r.P90 }},
		{"min", func(r swept) int64 { return r.Min }}, {"max", func(r swept) int64 { return r.Max }},
	} {
		columns = append(columns, col{Name: f.name, Of: func(r swept) report.Value { return report.Count(f.of(r)).If(r.N > 0) }})
	}
	open := func(r swept) int { n, _ := r.Open(); return n }
	return report.TableOf("figures", rows, append(columns,
		col{Name: "unit", Of: func(r swept) report.Value { return report.Text(string(r.Unit)) }},
		col{Name: "finished", Of: func(r swept) report.Value { return report.Count(len(r.Runs) - open(r)) }},
		col{Name: "unfinished", Of: func(r swept) report.Value { return report.Count(open(r)) }},
		col{Name: "why", Of: func(r swept) report.Value {
			_, why := r.Open()
			return report.Text(why)
		}})...)
}

// sweptRun is one run of a cell.
type sweptRun struct {
	*grid.Cell
	seed uint64
	*grid.Run
}

// open are the runs that did not finish.
func (g *sweepGrid) open() (out []sweptRun) {
	for i := range g.Cells {
		c := &g.Cells[i]
		for j := range c.Runs {
			if r := &c.Runs[j]; r.Open != "" {
				out = append(out, sweptRun{c, c.Seed + uint64(j), r})
			}
		}
	}
	return out
}

// unfinishedRuns are those that did not finish; they are in no figure.
func (g *sweepGrid) unfinishedRuns() *report.Sheet {
	type col = report.Column[sweptRun]
	return report.TableOf("unfinished_runs", g.open(), append(grid.AxisColumns(g.Grid, func(r sweptRun) []string { return r.Point }),
		col{Name: "variant", Of: func(r sweptRun) report.Value { return report.Text(r.Variant) }},
		col{Name: "run_seed", Of: func(r sweptRun) report.Value { return report.Unsigned(r.seed) }},
		col{Name: "outcome", Of: func(r sweptRun) report.Value { return report.Text(r.Outcome) }},
		col{Name: "why", Of: func(r sweptRun) report.Value { return report.Text(r.Run.Open) }})...).Hidden()
}

// drawable says before anything runs what would keep the plot from being drawn.
func (g *sweepGrid) drawable() error {
	name := g.o.plot
	if name == "" {
		return nil
	}
	if len(g.Axes) == 0 {
		return ui.Failf(ui.Usage, "--plot %s: there is nothing to plot along; give several values with --set path=a,b,c", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.CreateTemp(filepath.Dir(name), ".agentsim-plot-*")
		if err == nil {
			defer os.Remove(f.Name())
		}
	}
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return ui.Failf(ui.Operating, "--plot %s: the file cannot be written: %w; name one in a directory that is there and can be written to", name, err)
	}
	return f.Close()
}

// draw writes the plot: what each variant costs along the first axis, the others
// at their first values, and where two variants cross.
func (g *sweepGrid) draw() error {
	if g.o.plot == "" {
		return nil
	}
	chart := g.chart()
	if len(chart.Lines) == 0 {
		return ui.Failf(ui.Unfinished, "--plot %s: nothing is drawn: no variant finished anywhere along %s", g.o.plot, g.Axes[0].Path)
	}
	return ui.WritePlot(g.o.plot, chart)
}

func (g *sweepGrid) chart() *plot.Chart {
	curves, xs, numbers := g.Curves()
	ch := &plot.Chart{Title: g.Name, X: g.Axes[0].Path, Y: "cost, US dollars", Subtitle: g.fixed()}
	if g.Seeds > 1 {
		ch.Note = fmt.Sprintf("points: medians of %d seeds; bars: what a tenth and nine tenths of them do not exceed", g.Seeds)
	}
	const dollar = 1e12
	for v, c := range curves {
		l := plot.Line{Name: cmp.Or(c.Variant, g.Name), Hue: plot.Hue(v % 3), Dashed: v/3%2 == 1, Dots: true, Apart: !numbers}
		for i, p := range c.Points {
			l.Points = append(l.Points, plot.Point{X: p.X, Y: p.Y / dollar})
			if g.Seeds > 1 {
				l.Bands = append(l.Bands, plot.Band{Low: c.Bands[i][0] / dollar, High: c.Bands[i][1] / dollar})
			}
		}
		if len(l.Points) > 0 {
			ch.Lines = append(ch.Lines, l)
		}
	}
	if !numbers {
		for i, label := range g.Axes[0].Values {
			ch.Ticks = append(ch.Ticks, plot.Tick{X: float64(i), Label: label})
		}
		return ch
	}
	at := func(x float64) string { return fmt.Sprintf("%.3g", x) }
	if g.Axes[0].Timed() {
		at = func(x float64) string { return report.Time(vtime.Duration(x)) }
		for i, label := range g.Axes[0].Values {
			ch.Ticks = append(ch.Ticks, plot.Tick{X: xs[i], Label: label})
		}
	}
	for i, x := range grid.Crossings(curves, xs) {
		label := fmt.Sprintf("%s = %s at %s", curves[x.A].Variant, curves[x.B].Variant, at(x.X))
		ch.Marks = append(ch.Marks, plot.Mark{Point: plot.Point{X: x.X, Y: x.Y / dollar}, Label: label, Below: i%2 == 1})
	}
	return ch
}

// fixed says what the other axes are set to, and over how many seeds a point goes.
func (g *sweepGrid) fixed() string {
	var parts []string
	for _, a := range g.Axes[1:] {
		parts = append(parts, a.Short()+" "+a.Values[0])
	}
	if g.Seeds > 1 {
		parts = append(parts, "medians of "+ui.Plural(g.Seeds, "seed"))
	}
	return strings.Join(parts, " · ")
}
