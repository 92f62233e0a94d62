package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bar is a row: parts end to end, of which none is negative.
type Bar struct {
	Name  string
	Parts []float64 // as Bars.Parts names them
	Label string    // at its end
}

// Bars is a chart of bars below one another.
type Bars struct {
	Title, Subtitle string
	X               string   // what lengths measure, with the unit
	Parts           []string // in the legend, in the order of each bar; four at the most
	Rows            []Bar    // from the top
}

// partHues are the colours of parts, which colour-blind readers can tell apart; those of
// a page's read, written, uncached and output.
var partHues = [...]color.RGBA{{86, 180, 233, 255}, {230, 159, 0, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}}

// Sizes of a bar and of all that is around bars.
const (
	barHeight = 0.45 * vg.Centimeter
	rowHeight = 0.75 * vg.Centimeter
	barFrame  = 6.1 * vg.Centimeter
)

// SVG writes the chart as a scalable picture. The error is a chart that cannot be
// drawn, or w's.
func (b *Bars) SVG(w io.Writer) error {
	return svg(w, barFrame+rowHeight*vg.Length(len(b.Rows)), b.draw)
}

// Inline writes the chart as a part of a page, as Chart's does.
func (b *Bars) Inline(w io.Writer) error { return inline(w, b.Title, b.SVG) }

func (b *Bars) check() error {
	if len(b.Rows) == 0 || len(b.Parts) == 0 || len(b.Parts) > len(partHues) {
		return fmt.Errorf("the chart has %d rows of %d parts: one row and one to %d parts are needed", len(b.Rows), len(b.Parts), len(partHues))
	}
	for _, r := range b.Rows {
		if len(r.Parts) != len(b.Parts) || slices.ContainsFunc(r.Parts, func(x float64) bool { return bad(x) || x < 0 }) {
			return fmt.Errorf("the bar %q has not %d parts, none of them negative", r.Name, len(b.Parts))
		}
	}
	if b.longest() <= 0 {
		return errors.New("all bars are empty")
	}
	return nil
}

func (r *Bar) sum() (all float64) {
	for _, x := range r.Parts {
		all += x
	}
	return all
}

func (b *Bars) longest() (most float64) {
	for i := range b.Rows {
		most = max(most, b.Rows[i].sum())
	}
	return most
}

// gap is how far names are from their bars: where a viewer has not got our font, another
// may make them a sixth wider.
func (b *Bars) gap(style draw.TextStyle) (most vg.Length) {
	for i := range b.Rows {
		most = max(most, style.Width(b.Rows[i].Name))
	}
	return vg.Points(5) + most/6
}

// room is how much further than the longest bar the axis goes, for the label.
const room = 1.25

func (b *Bars) draw(canvas draw.Canvas) error {
	if err := b.check(); err != nil {
		return err
	}
	canvas = sheet(canvas)
	frame, p := Chart{Title: b.Title, Subtitle: b.Subtitle}, plot.New()
	p.X.Label.Text = b.X
	p.X.Label.TextStyle.Font, p.X.Label.Padding = font.From(sans, 12), vg.Points(6)
	p.X.Tick.Label.Font, p.Y.Tick.Label.Font = font.From(sans, 10), font.From(sans, 11)
	p.X.Tick.Marker, p.Y.LineStyle.Width, p.Y.Padding = plot.TickerFunc(round), 0, b.gap(p.Y.Tick.Label)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, nil // bars need no lines between them
	p.Add(grid)
	entries, err := b.parts(p)
	if err != nil {
		return err
	}
	if err := b.names(p); err != nil {
		return err
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, b.longest()*room, -0.5, float64(len(b.Rows))-0.5
	p.Draw(draw.Crop(canvas, 0, 0, frame.legend(canvas, entries), -frame.title(canvas)))
	return nil
}

// parts draws the bars, part by part; the last row is the lowest.
func (b *Bars) parts(p *plot.Plot) (out []entry, err error) {
	var before *plotter.BarChart
	for i, name := range b.Parts {
		values := make(plotter.Values, len(b.Rows))
		for j := range b.Rows {
			values[len(b.Rows)-1-j] = b.Rows[j].Parts[i]
		}
		bars, err := plotter.NewBarChart(values, barHeight)
		if err != nil {
			return nil, fmt.Errorf("the part %q: %w", name, err)
		}
		bars.Horizontal, bars.Color, bars.LineStyle.Width = true, partHues[i], 0
		if before != nil {
			bars.StackOn(before)
		}
		p.Add(bars)
		out, before = append(out, entry{name, []plot.Thumbnailer{bars}}), bars
	}
	return out, nil
}

// names puts each bar's name at its beginning and its label at its end.
func (b *Bars) names(p *plot.Plot) error {
	var ticks []plot.Tick
	ends := plotter.XYLabels{}
	for i := range b.Rows {
		r, y := &b.Rows[i], float64(len(b.Rows)-1-i)
		ticks = append(ticks, plot.Tick{Value: y, Label: r.Name})
		ends.XYs, ends.Labels = append(ends.XYs, plotter.XY{X: r.sum(), Y: y}), append(ends.Labels, r.Label)
	}
	labels, err := plotter.NewLabels(ends)
	if err != nil {
		return fmt.Errorf("the labels: %w", err)
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font, labels.TextStyle[i].YAlign = font.From(sans, 10), draw.YCenter
	}
	labels.Offset.X = vg.Points(5)
	p.Y.Tick.Marker, p.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	p.Add(labels)
	return nil
}
