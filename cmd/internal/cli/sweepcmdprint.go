package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentsim/cachemodel"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/plot"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
	"agentsim/sim"
)

// column gathers one figure of a variant at a place, over the seeds that have
// data for it.
func (g *sweepGrid) column(cell int, name string) (out []int64) {
	m := gridMetric(name)
	for _, f := range g.figures[cell*g.o.seeds : (cell+1)*g.o.seeds] {
		if f != nil && f[m] != noData {
			out = append(out, f[m])
		}
	}
	return out
}

// middle is a figure's median over the seeds; 0 without data.
func (g *sweepGrid) middle(cell int, name string) int64 {
	if x := g.column(cell, name); len(x) > 0 {
		return stat.Describe(x).Median
	}
	return 0
}

// open is how many runs of a cell did not finish.
func (g *sweepGrid) open(cell int) (n int) {
	for _, e := range g.ends[cell*g.o.seeds : (cell+1)*g.o.seeds] {
		if e.why != "" {
			n++
		}
	}
	return n
}

// unfinished lists the cells with runs that did not finish, and why the first of
// them did not.
func (g *sweepGrid) unfinished() (out []string) {
	for i := range g.made {
		n := g.open(i)
		if n == 0 {
			continue
		}
		if len(out) == maxOpen {
			return append(out, "and more; -o json lists them all")
		}
		line := strings.TrimSpace(g.variants[i%len(g.variants)] + " " + g.at(i/len(g.variants)))
		if g.o.seeds > 1 {
			line += fmt.Sprintf(", %d of %s", n, ui.Plural(g.o.seeds, "seed"))
		}
		out = append(out, strings.TrimSpace(line+": "+g.why(i)))
	}
	return out
}

// maxOpen is how many unfinished cells are listed one by one.
const maxOpen = 10

// why is the reason of the first run of a cell that did not finish; "" when all
// did.
func (g *sweepGrid) why(cell int) string {
	for _, e := range g.ends[cell*g.o.seeds : (cell+1)*g.o.seeds] {
		if e.why != "" {
			return e.why
		}
	}
	return ""
}

// cells are the medians, in the form in which a scenario's own sweep is printed;
// nil where a run did not finish.
func (g *sweepGrid) cells() (out []cell) {
	for p, labels := range g.places {
		c := cell{labels: labels}
		for v := range g.variants {
			i := p*len(g.variants) + v
			if g.open(i) > 0 {
				c.runs = append(c.runs, nil)
				continue
			}
			r := &metrics.Run{Variant: g.variants[v]}
			r.Total.Cost = cachemodel.Picodollars(g.middle(i, "cost"))
			r.Items = metrics.Outcomes{Done: g.middle(i, "items.done"), Total: g.middle(i, "items.total")}
			c.runs = append(c.runs, r)
		}
		out = append(out, c)
	}
	return out
}

// named are specs that hold no more than the variants' names.
func (g *sweepGrid) named() (out []*sim.Spec) {
	for _, v := range g.variants {
		out = append(out, &sim.Spec{Variant: v})
	}
	return out
}

func printGrid(s *ui.Env, g *sweepGrid) error {
	switch g.o.output {
	case "json":
		return s.WriteJSON(g.document())
	case "ndjson":
		e := json.NewEncoder(s.Stdout)
		for _, c := range g.document().Cells {
			if err := e.Encode(c); err != nil {
				return ui.Failf(ui.Operating, "cannot write the result: %w", err)
			}
		}
		return nil
	case "csv":
		return g.machineTable().CSV(s.Stdout)
	case "markdown":
		return g.machineTable().Markdown(s.Stdout)
	}
	seeds := fmt.Sprintf("seed %d", g.made[0].Seed)
	if g.o.seeds > 1 {
		seeds = ui.Plural(g.o.seeds, "seed") + ", medians"
	}
	s.Printf("%s   %s · %s · %s · %s\n", s.Style().Bold(g.file.Name), ui.Plural(len(g.places), "place"), ui.Plural(len(g.variants), "variant"), seeds, ui.Plural(len(g.figures), "run"))
	cells := g.cells()
	if err := printSweep(s, g.file, g.named(), cells); err != nil {
		return err
	}
	if g.o.seeds > 1 {
		s.Printf("\n")
		if err := g.spread().Write(s.Stdout, s.Style()); err != nil {
			return err
		}
	}
	s.Printf("\n")
	s.Lines("unfinished", g.unfinished())
	s.Lines("flips", flips(g.file, g.named(), cells))
	s.Label("exact", g.exactness())
	if g.unkept != nil {
		s.Label("recorded", "incomplete: the message below says why")
		return nil
	}
	s.Label("recorded", g.o.db)
	return nil
}

// exactness says what may be said of the figures.
func (g *sweepGrid) exactness() string {
	if g.o.seeds == 1 {
		return "every figure is that of one run, compared exactly"
	}
	same := 0
	for cell := range g.made {
		if x := g.column(cell, "cost"); len(x) > 0 && stat.Describe(x).Exact() {
			same++
		}
	}
	return fmt.Sprintf("%d of %d costs are the same for every seed; intervals are of the difference, seed by seed, by %s resamples", same, len(g.made), withCommas(stat.Resamples))
}

// spread tells how costs lie over the seeds, and how far each is from the
// cheapest at its place.
func (g *sweepGrid) spread() *report.Table {
	var heads []string
	for _, a := range g.file.Sweep {
		heads = append(heads, strings.ToUpper(strings.ReplaceAll(a.Short(), "_", " ")))
	}
	t := report.NewTable(append(heads, "VARIANT", " MEDIAN", " P10", " P90", " TIME", " MORE THAN THE CHEAPEST, 95 %")...)
	cells := g.cells()
	for i := range g.made {
		place, v := i/len(g.variants), i%len(g.variants)
		x := g.column(i, "cost")
		row := append([]string(nil), g.places[place]...)
		if len(x) == 0 || g.open(i) > 0 {
			said := "?"
			if g.open(i) > 0 {
				said = notFinished
			}
			t.Row(append(row, g.variants[v], said, "", "", "", "")...)
			continue
		}
		d := stat.Describe(x)
		row = append(row, g.variants[v], dollars(d.Median), dollars(d.P10), dollars(d.P90), report.Figure(metrics.Whole(g.middle(i, "time"), metrics.Nanoseconds)))
		t.Row(append(row, g.behind(i, place*len(g.variants)+max(0, cheapest(cells[place].runs))))...)
	}
	return t
}

// behind is the interval of what a cell costs more than another.
func (g *sweepGrid) behind(cell, best int) string {
	if g.open(best) > 0 {
		return ""
	}
	a, b := g.column(best, "cost"), g.column(cell, "cost")
	if cell == best || len(a) != len(b) {
		return ""
	}
	x := stat.Paired(a, b, baseline.Key(g.file.Name, fmt.Sprint(best), fmt.Sprint(cell)))
	if stat.Describe(a).Exact() && stat.Describe(b).Exact() {
		return plusMinus(metrics.Whole(b[0]-a[0], metrics.Picodollars)) + " exactly"
	}
	return plusMinus(metrics.Whole(int64(x.Low), metrics.Picodollars)) + " … " + plusMinus(metrics.Whole(int64(x.High), metrics.Picodollars))
}

func dollars(n int64) string { return report.Money(cachemodel.Picodollars(n)) }

// gridJSON is a sweep for machines.
type gridJSON struct {
	Scenario string         `json:"scenario"`
	Axes     []string       `json:"axes"`
	Seeds    int            `json:"seeds"`
	Cells    []gridCellJSON `json:"cells"`
	Flips    []string       `json:"flips"`
}

type gridCellJSON struct {
	At      map[string]string        `json:"at"`
	Variant string                   `json:"variant"`
	Runs    int                      `json:"runs"`
	Ended   map[string]int           `json:"outcomes"` // how many runs have which
	Open    []gridOpenJSON           `json:"unfinished,omitempty"`
	Figures map[string]gridValueJSON `json:"figures"`
}

// gridOpenJSON is a run that did not finish; it is in no figure.
type gridOpenJSON struct {
	Seed    uint64 `json:"seed"`
	Outcome string `json:"outcome"`
	Why     string `json:"why"`
}

// gridValueJSON is a figure over the seeds that have data for it.
type gridValueJSON struct {
	N      int          `json:"n"`
	Median int64        `json:"median"`
	P10    int64        `json:"p10"`
	P90    int64        `json:"p90"`
	Min    int64        `json:"min"`
	Max    int64        `json:"max"`
	Unit   metrics.Unit `json:"unit"`
}

func (g *sweepGrid) document() gridJSON {
	doc := gridJSON{Scenario: g.file.Name, Axes: []string{}, Seeds: g.o.seeds, Flips: append([]string{}, flips(g.file, g.named(), g.cells())...)}
	for _, a := range g.file.Sweep {
		doc.Axes = append(doc.Axes, a.Path)
	}
	for i := range g.made {
		c := gridCellJSON{At: map[string]string{}, Variant: g.variants[i%len(g.variants)], Runs: g.o.seeds, Ended: map[string]int{}, Figures: map[string]gridValueJSON{}}
		for j, e := range g.ends[i*g.o.seeds : (i+1)*g.o.seeds] {
			if c.Ended[e.outcome]++; e.why != "" {
				c.Open = append(c.Open, gridOpenJSON{g.made[i].Seed + uint64(j), e.outcome, e.why})
			}
		}
		for j, a := range g.file.Sweep {
			c.At[a.Path] = plainNumber(g.places[i/len(g.variants)][j])
		}
		for _, m := range gridMetrics {
			if x := g.column(i, m.Name); len(x) > 0 {
				d := stat.Describe(x)
				c.Figures[m.Name] = gridValueJSON{d.N, d.Median, d.P10, d.P90, d.Min, d.Max, m.Unit}
			}
		}
		doc.Cells = append(doc.Cells, c)
	}
	return doc
}

// machineTable has a row for each place, variant and figure, all exact, and one
// for a cost that no run has since none finished.
func (g *sweepGrid) machineTable() *report.Table {
	var heads []string
	for _, a := range g.file.Sweep {
		heads = append(heads, a.Path)
	}
	t := report.NewTable(append(heads, "variant", "metric", " n", " median", " p10", " p90", " min", " max", "unit", " finished", " unfinished", "why")...)
	for i := range g.made {
		var head []string
		for _, label := range g.places[i/len(g.variants)] {
			head = append(head, plainNumber(label))
		}
		ended := []string{fmt.Sprint(g.o.seeds - g.open(i)), fmt.Sprint(g.open(i)), g.why(i)}
		for _, m := range gridMetrics {
			figures := []string{"0", "", "", "", "", ""}
			if x := g.column(i, m.Name); len(x) > 0 {
				d := stat.Describe(x)
				figures = []string{fmt.Sprint(d.N), fmt.Sprint(d.Median), fmt.Sprint(d.P10), fmt.Sprint(d.P90), fmt.Sprint(d.Min), fmt.Sprint(d.Max)}
			} else if m.Name != "cost" || g.open(i) == 0 {
				continue
			}
			t.Row(slices.Concat(head, []string{g.variants[i%len(g.variants)], m.Name}, figures, []string{string(m.Unit)}, ended)...)
		}
	}
	return t
}

// plainNumber writes a number without the underscores of a scenario, and leaves
// every other value as it is.
func plainNumber(value string) string {
	plain := strings.ReplaceAll(value, "_", "")
	if _, err := strconv.ParseFloat(plain, 64); err != nil {
		return value
	}
	return plain
}

// drawable says before anything runs what would keep the plot from being drawn.
func (g *sweepGrid) drawable() error {
	name := g.o.plot
	if name == "" {
		return nil
	}
	if len(g.file.Sweep) == 0 {
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
		return ui.Failf(ui.Unfinished, "--plot %s: nothing is drawn: no variant finished anywhere along %s", g.o.plot, g.file.Sweep[0].Path)
	}
	if strings.HasSuffix(g.o.plot, ".png") {
		return writeChart("--plot", g.o.plot, chart.PNG)
	}
	return writeChart("--plot", g.o.plot, chart.SVG)
}

func (g *sweepGrid) chart() *plot.Chart {
	axis := g.file.Sweep[0]
	xs, numbers := g.positions()
	step := len(g.places) / len(axis.Values) // the last axis runs fastest
	ch := &plot.Chart{Title: g.file.Name, X: axis.Path, Y: "cost, US dollars", Subtitle: g.fixed()}
	for v, name := range g.variants {
		l := plot.Line{Name: name, Hue: plot.Hue(v % 3), Dashed: v/3%2 == 1, Dots: true, Apart: !numbers}
		if name == "" {
			l.Name = g.file.Name
		}
		for i, x := range xs {
			cell := i*step*len(g.variants) + v
			if g.open(cell) > 0 || len(g.column(cell, "cost")) == 0 {
				continue
			}
			l.Points = append(l.Points, plot.Point{X: x, Y: float64(g.middle(cell, "cost")) / 1e12})
		}
		if len(l.Points) > 0 {
			ch.Lines = append(ch.Lines, l)
		}
	}
	if !numbers {
		for i, label := range axis.Values {
			ch.Ticks = append(ch.Ticks, plot.Tick{X: float64(i), Label: label})
		}
		return ch
	}
	ch.Marks = crossings(ch.Lines, xs)
	return ch
}

// fixed says what the other axes stand at, and over how many seeds a point goes.
func (g *sweepGrid) fixed() string {
	var parts []string
	for _, a := range g.file.Sweep[1:] {
		parts = append(parts, a.Short()+" "+a.Values[0])
	}
	if g.o.seeds > 1 {
		parts = append(parts, "medians of "+ui.Plural(g.o.seeds, "seed"))
	}
	return strings.Join(parts, " · ")
}

// positions are the first axis's values as numbers, in rising order only; else
// their places.
func (g *sweepGrid) positions() (xs []float64, numbers bool) {
	values := g.file.Sweep[0].Values
	for i, text := range values {
		v, err := metrics.ParseValue(text)
		if err != nil || i > 0 && v.Float() <= xs[i-1] {
			xs = nil
			for j := range values {
				xs = append(xs, float64(j))
			}
			return xs, false
		}
		xs = append(xs, v.Float())
	}
	return xs, true
}

// crossings are the places between two points where lines cross. A line may lack
// points that others have: what lies on both sides of one is not compared.
func crossings(lines []plot.Line, xs []float64) (out []plot.Mark) {
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			for k := 0; k+1 < len(xs); k++ {
				a, b, ok := between(lines[i], xs[k], xs[k+1])
				c, e, also := between(lines[j], xs[k], xs[k+1])
				if !ok || !also {
					continue
				}
				before, after := a.Y-c.Y, b.Y-e.Y
				if before == after || before < 0 == (after < 0) {
					continue
				}
				t := before / (before - after)
				at := plot.Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)}
				out = append(out, plot.Mark{Point: at, Label: fmt.Sprintf("%s = %s at %.3g", lines[i].Name, lines[j].Name, at.X), Below: len(out)%2 == 1})
			}
		}
	}
	return out
}

// between are a line's points at two neighbouring places, where it has both.
func between(l plot.Line, from, to float64) (a, b plot.Point, ok bool) {
	for i := 0; i+1 < len(l.Points); i++ {
		if l.Points[i].X == from && l.Points[i+1].X == to {
			return l.Points[i], l.Points[i+1], true
		}
	}
	return a, b, false
}
