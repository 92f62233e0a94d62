package cli

import (
	"cmp"
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
	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/compare"
	"agentsim/metrics/plot"
	"agentsim/metrics/report"
	"agentsim/metrics/stat"
	"agentsim/sim/transcript/sqlite"
)

// sweepGrid is one use of sweep.
type sweepGrid struct {
	*harness.Sweep
	o      *sweepOptions
	unkept *sqlite.Error // why the last of its runs are not recorded; nil where they are
}

// axisHeads are the columns of a grid's axes.
func axisHeads(g *compare.Grid) (heads []string) {
	for _, a := range g.Axes {
		heads = append(heads, strings.ToUpper(strings.ReplaceAll(a.Short(), "_", " ")))
	}
	return heads
}

// printSweep prints what each variant costs at each point, and the cheapest one.
func printSweep(s *ui.Env, g *compare.Grid) error {
	if g.Points() == 0 {
		return nil
	}
	heads := axisHeads(g)
	for _, v := range g.Variants {
		heads = append(heads, " "+v)
	}
	t := report.NewTable(append(heads, "CHEAPEST")...)
	for p := range g.Points() {
		cells := g.At(p)
		row := slices.Clone(cells[0].Point)
		for i := range cells {
			row = append(row, costCell(&cells[i]))
		}
		best := ""
		if i := compare.Cheapest(cells); i >= 0 {
			best = cells[i].Variant
		}
		t.Row(append(row, best)...)
	}
	s.Printf("\n")
	return t.Write(s.Stdout, s.Style())
}

// costCell is a variant's cost, marked when not all its work was done: a cheap
// structure that loses facts must not look good.
func costCell(c *compare.Cell) string {
	if !c.Finished() {
		return notFinished
	}
	text := dollars(c.Median("cost"))
	if done, total := c.Median("items.done"), c.Median("items.total"); done < total {
		text += fmt.Sprintf(" (%d/%d)", done, total)
	}
	return text
}

// notFinished stands in for the cost of a run that did not finish.
const notFinished = "unfinished"

func dollars(n int64) string { return report.Money(cachemodel.Picodollars(n)) }

// changesOf are the changes of a grid's ranking, a line each.
func changesOf(g *compare.Grid) (out []string) {
	for _, c := range g.Changes() {
		out = append(out, c.String())
	}
	return out
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
	seeds := fmt.Sprintf("seed %d", g.Cells[0].Seed)
	if g.Ran() > len(g.Cells) {
		seeds = ui.Plural(g.Seeds, "seed") + ", medians"
	}
	s.Printf("%s   %s · %s · %s · %s\n", s.Style().Bold(g.Name), ui.Plural(g.Points(), "place"), ui.Plural(len(g.Variants), "variant"), seeds, ui.Plural(g.Ran(), "run"))
	if err := printSweep(s, g.Grid); err != nil {
		return err
	}
	if g.Ran() > len(g.Cells) {
		s.Printf("\n")
		if err := g.spread().Write(s.Stdout, s.Style()); err != nil {
			return err
		}
	}
	s.Printf("\n")
	s.Lines("unfinished", g.unfinished())
	s.Lines("ranking", changesOf(g.Grid))
	s.Label("drawn", g.drawn())
	s.Label("exact", g.exactness())
	if g.unkept != nil {
		s.Label("recorded", "incomplete: the message below says why")
		return nil
	}
	s.Label("recorded", g.o.db)
	return nil
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
		return "nothing: every seed gives the same figures, so one was run"
	}
	return fmt.Sprintf("nothing in %d of %d: every seed gives the same figures there, so one was run", fixed, len(g.Cells))
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

// spread says how costs lie over the seeds, and how far each is from the cheapest
// at its point.
func (g *sweepGrid) spread() *report.Table {
	t := report.NewTable(append(axisHeads(g.Grid), "VARIANT", " MEDIAN", " P10", " P90", " TIME", " MORE THAN THE CHEAPEST, 95 %")...)
	for i := range g.Cells {
		c, n := &g.Cells[i], len(g.Variants)
		x := c.Column("cost")
		row := append(slices.Clone(c.Point), c.Variant)
		switch {
		case !c.Finished():
			t.Row(append(row, notFinished, "", "", "", "")...)
			continue
		case len(x) == 0:
			t.Row(append(row, "?", "", "", "", "")...)
			continue
		}
		d := stat.Describe(x)
		row = append(row, dollars(d.Median), dollars(d.P10), dollars(d.P90), report.Figure(metrics.Whole(c.Median("time"), metrics.Nanoseconds)))
		t.Row(append(row, g.more(i, i/n*n+max(0, compare.Cheapest(g.At(i/n)))))...)
	}
	return t
}

// more is what a cell costs more than another.
func (g *sweepGrid) more(cell, than int) string {
	x, exact, ok := g.More(cell, than)
	value := func(v float64) string { return plusMinus(metrics.Whole(int64(v), metrics.Picodollars)) }
	switch {
	case !ok:
		return ""
	case exact:
		return value(x.Low) + " exactly"
	}
	return value(x.Low) + " … " + value(x.High)
}

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
	doc := gridJSON{Scenario: g.Name, Axes: []string{}, Seeds: g.Seeds, Flips: append([]string{}, changesOf(g.Grid)...)}
	for _, a := range g.Axes {
		doc.Axes = append(doc.Axes, a.Path)
	}
	for i := range g.Cells {
		c := &g.Cells[i]
		out := gridCellJSON{At: map[string]string{}, Variant: c.Variant, Runs: len(c.Runs), Ended: map[string]int{}, Figures: map[string]gridValueJSON{}}
		for j, r := range c.Runs {
			if out.Ended[r.Outcome]++; r.Open != "" {
				out.Open = append(out.Open, gridOpenJSON{c.Seed + uint64(j), r.Outcome, r.Open})
			}
		}
		for j, a := range g.Axes {
			out.At[a.Path] = plainNumber(c.Point[j])
		}
		for _, m := range compare.Metrics() {
			if x := c.Column(m.Name); len(x) > 0 {
				d := stat.Describe(x)
				out.Figures[m.Name] = gridValueJSON{d.N, d.Median, d.P10, d.P90, d.Min, d.Max, m.Unit}
			}
		}
		doc.Cells = append(doc.Cells, out)
	}
	return doc
}

// machineTable has a row for each point, variant and figure, all exact, and one
// for a cost that no run has since none finished.
func (g *sweepGrid) machineTable() *report.Table {
	var heads []string
	for _, a := range g.Axes {
		heads = append(heads, a.Path)
	}
	t := report.NewTable(append(heads, "variant", "metric", " n", " median", " p10", " p90", " min", " max", "unit", " finished", " unfinished", "why")...)
	for i := range g.Cells {
		c := &g.Cells[i]
		var head []string
		for _, label := range c.Point {
			head = append(head, plainNumber(label))
		}
		open, why := c.Open()
		ended := []string{fmt.Sprint(len(c.Runs) - open), fmt.Sprint(open), why}
		for _, m := range compare.Metrics() {
			figures := []string{"0", "", "", "", "", ""}
			if x := c.Column(m.Name); len(x) > 0 {
				d := stat.Describe(x)
				figures = []string{fmt.Sprint(d.N), fmt.Sprint(d.Median), fmt.Sprint(d.P10), fmt.Sprint(d.P90), fmt.Sprint(d.Min), fmt.Sprint(d.Max)}
			} else if m.Name != "cost" || open == 0 {
				continue
			}
			t.Row(slices.Concat(head, []string{c.Variant, m.Name}, figures, []string{string(m.Unit)}, ended)...)
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
	if strings.HasSuffix(g.o.plot, ".png") {
		return ui.WriteChart("--plot", g.o.plot, chart.PNG)
	}
	return ui.WriteChart("--plot", g.o.plot, chart.SVG)
}

func (g *sweepGrid) chart() *plot.Chart {
	curves, xs, numbers := g.Curves()
	ch := &plot.Chart{Title: g.Name, X: g.Axes[0].Path, Y: "cost, US dollars", Subtitle: g.fixed()}
	const dollar = 1e12
	for v, c := range curves {
		l := plot.Line{Name: cmp.Or(c.Variant, g.Name), Hue: plot.Hue(v % 3), Dashed: v/3%2 == 1, Dots: true, Apart: !numbers}
		for _, p := range c.Points {
			l.Points = append(l.Points, plot.Point{X: p.X, Y: p.Y / dollar})
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
	for i, x := range compare.Crossings(curves, xs) {
		label := fmt.Sprintf("%s = %s at %.3g", curves[x.A].Variant, curves[x.B].Variant, x.X)
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
