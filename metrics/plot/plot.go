package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Point is a place on a chart, in the units of its axes.
type Point struct{ X, Y float64 }

// Hue is a line's colour; lines of one hue belong together.
type Hue uint8

// The hues. They can be told apart by colour-blind readers.
const (
	Blue Hue = iota
	Orange
	Grey
)

var hues = [...]color.RGBA{Blue: {0, 90, 181, 255}, Orange: {204, 85, 0, 255}, Grey: {90, 90, 90, 255}}

// Line is a curve through its points, in their order.
type Line struct {
	Name   string // in the legend
	Points []Point
	Hue    Hue
	Dashed bool
	Dots   bool // each point is shown, where it stands for a measurement
	Apart  bool // no line joins the points, since nothing lies between them; rings where Dashed
}

// Mark is a point that the reader should find.
type Mark struct {
	Point
	Label  string
	Hollow bool
	Below  bool // its label stands below it, else above
}

// Tick is a named place on the X axis.
type Tick struct {
	X     float64
	Label string
}

// Chart is what is drawn. Ticks nil leaves the X axis to the numbers.
type Chart struct {
	Title, Subtitle string
	X, Y            string // what the axes measure, with units
	Lines           []Line
	Marks           []Mark
	Ticks           []Tick
	Least           float64 // the least X that there is: the axis begins there where it would begin at zero, with a tick
	Note            string  // below the legend, one line for each line of it
}

// Sizes of a chart: 24 by 16 cm, and for pixels the resolution at which that is
// 1,134 by 756.
const (
	width  = 24 * vg.Centimeter
	height = 16 * vg.Centimeter
	dpi    = 120
)

// SVG writes the chart as a scalable picture. The error is a chart that cannot
// be drawn, or w's.
func (c *Chart) SVG(w io.Writer) error {
	canvas := vgsvg.New(width, height)
	if err := c.draw(draw.New(canvas)); err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+fallback)))
	return err
}

// Where the font of the drawing library is not installed, a viewer takes one of
// much the same widths.
const (
	family   = "font-family:Liberation Sans"
	fallback = ",Arial,Helvetica,sans-serif"
)

// PNG writes the chart as pixels. The error is a chart that cannot be drawn, or
// w's.
func (c *Chart) PNG(w io.Writer) error {
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))
	if err := c.draw(draw.New(canvas)); err != nil {
		return err
	}
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// check says why a chart cannot be drawn.
func (c *Chart) check() error {
	if len(c.Lines) == 0 {
		return errors.New("the chart has no lines")
	}
	for _, l := range c.Lines {
		if len(l.Points) == 0 {
			return fmt.Errorf("the line %q has no points", l.Name)
		}
		for _, p := range l.Points {
			if bad(p.X) || bad(p.Y) {
				return fmt.Errorf("the line %q has a point that is no number", l.Name)
			}
		}
	}
	for _, m := range c.Marks {
		if bad(m.X) || bad(m.Y) {
			return fmt.Errorf("the mark %q is no number", m.Label)
		}
	}
	return nil
}

func bad(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// draw draws the chart, with its legend and note in a strip below it.
func (c *Chart) draw(canvas draw.Canvas) error {
	if err := c.check(); err != nil {
		return err
	}
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
	canvas = draw.Crop(canvas, margin, -margin, margin, -margin)
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = font.From(sans, 12)
		a.Tick.Label.Font = font.From(sans, 10)
		a.Label.Padding = vg.Points(6)
		a.Tick.Marker = plot.TickerFunc(round)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	entries, err := c.lines(p)
	if err != nil {
		return err
	}
	if err := c.marks(p); err != nil {
		return err
	}
	c.axes(p)
	p.Draw(draw.Crop(canvas, 0, 0, c.legend(canvas, entries), -c.title(canvas)))
	return nil
}

// title draws title and subtitle at the top of the canvas, and says how high
// that is.
func (c *Chart) title(canvas draw.Canvas) vg.Length {
	y := canvas.Max.Y
	for _, line := range []struct {
		text  string
		face  font.Font
		color color.Color
	}{{c.Title, font.From(bold, 15), color.Black}, {c.Subtitle, font.From(sans, 11), hues[Grey]}} {
		style := plot.New().Title.TextStyle
		style.Font, style.Color = line.face, line.color
		canvas.FillText(style, vg.Point{X: canvas.Center().X, Y: y}, line.text)
		y -= style.Rectangle("Mg").Size().Y * 3 / 2
	}
	return canvas.Max.Y - y + vg.Points(8)
}

// round puts ticks at multiples of 1, 2 or 5 times a power of ten, some seven of
// them.
func round(lo, hi float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/7)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(step*by) <= 8 {
			step *= by
			break
		}
	}
	places := int(math.Max(0, -math.Floor(math.Log10(step)+1e-9)))
	var out []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9; i++ {
		v := i*step + 0 // no negative zero
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', places, 64)})
	}
	return out
}

// fromFirst are the same, and one where the axis begins.
func fromFirst(lo, hi float64) []plot.Tick {
	out := round(lo, hi)
	if len(out) == 0 || out[0].Value > lo+(hi-lo)*1e-9 {
		out = append([]plot.Tick{{Value: lo, Label: strconv.FormatFloat(lo, 'f', -1, 64)}}, out...)
	}
	return out
}

const margin = 14

// weightBold is bold on the scale of golang.org/x/image/font.
const weightBold = 3

var (
	sans  = font.Font{Typeface: "Liberation", Variant: "Sans"}
	bold  = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weightBold}
	faint = color.RGBA{225, 225, 225, 255}
)

// entry is a line of the legend.
type entry struct {
	name  string
	thumb []plot.Thumbnailer
}

func (c *Chart) lines(p *plot.Plot) (out []entry, err error) {
	for _, l := range c.Lines {
		xys := make(plotter.XYs, len(l.Points))
		for i, pt := range l.Points {
			xys[i] = plotter.XY{X: pt.X, Y: pt.Y}
		}
		curve, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, fmt.Errorf("the line %q: %w", l.Name, err)
		}
		curve.Color, curve.Width = hues[l.Hue], vg.Points(1.8)
		dots.Shape, dots.Color, dots.Radius = draw.CircleGlyph{}, hues[l.Hue], vg.Points(2.4)
		if l.Dashed {
			curve.Dashes, dots.Shape, dots.Radius = []vg.Length{vg.Points(6), vg.Points(4)}, draw.RingGlyph{}, vg.Points(4.5)
		}
		e := entry{name: l.Name}
		if !l.Apart {
			p.Add(curve)
			e.thumb = append(e.thumb, curve)
		}
		if l.Dots || l.Apart {
			p.Add(dots)
			e.thumb = append(e.thumb, dots)
		}
		out = append(out, e)
	}
	return out, nil
}

// marks draws rings or discs with their labels.
func (c *Chart) marks(p *plot.Plot) error {
	for _, m := range c.Marks {
		at := plotter.XYs{{X: m.X, Y: m.Y}}
		s, err := plotter.NewScatter(at)
		if err != nil {
			return fmt.Errorf("the mark %q: %w", m.Label, err)
		}
		s.Color, s.Radius, s.Shape = color.Black, vg.Points(5), draw.CircleGlyph{}
		if m.Hollow {
			s.Shape = draw.RingGlyph{}
		}
		l, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: []string{m.Label}})
		if err != nil {
			return fmt.Errorf("the mark %q: %w", m.Label, err)
		}
		l.TextStyle[0].Font = font.From(sans, 11)
		l.TextStyle[0].XAlign, l.TextStyle[0].YAlign, l.Offset.Y = draw.XRight, draw.YBottom, vg.Points(7)
		l.Offset.X = -vg.Points(4)
		if m.Below {
			l.TextStyle[0].XAlign, l.TextStyle[0].YAlign, l.Offset.Y = draw.XLeft, draw.YTop, -vg.Points(7)
			l.Offset.X = vg.Points(4)
		}
		p.Add(s, l)
	}
	return nil
}

// axes starts at zero or at what is least, on X where that is near, and names places where they have
// names.
func (c *Chart) axes(p *plot.Plot) {
	p.Y.Min = math.Min(p.Y.Min, 0)
	p.Y.Max += (p.Y.Max - p.Y.Min) / 20
	if c.Ticks == nil {
		if p.X.Min > 0 && p.X.Min < p.X.Max/3 {
			p.X.Min = c.Least
		}
		if c.Least > 0 {
			p.X.Tick.Marker = plot.TickerFunc(fromFirst)
		}
		return
	}
	ticks := make([]plot.Tick, len(c.Ticks))
	for i, t := range c.Ticks {
		ticks[i] = plot.Tick{Value: t.X, Label: t.Label}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	if len(ticks) > crowded {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/5, draw.XRight, draw.YTop
	}
}

// crowded is how many named places fit side by side.
const crowded = 6

// legend draws the legend in two columns and the note at the bottom of the
// canvas, and says how high that is.
func (c *Chart) legend(canvas draw.Canvas, entries []entry) vg.Length {
	style := plot.New().Legend.TextStyle
	style.Font = font.From(sans, 11)
	line := style.Rectangle("Mg").Size().Y * 3 / 2
	rows := (len(entries) + 1) / 2
	note := style
	note.Font, note.Color = font.From(sans, 9), hues[Grey]
	y := canvas.Min.Y
	lines := slices.Collect(strings.Lines(c.Note))
	for i := len(lines) - 1; i >= 0; i-- {
		canvas.FillText(note, vg.Point{X: canvas.Min.X, Y: y}, strings.TrimSuffix(lines[i], "\n"))
		y += note.Rectangle("Mg").Size().Y * 3 / 2
	}
	half := (canvas.Max.X - canvas.Min.X) / 2
	for col := range 2 {
		l := plot.NewLegend()
		l.Left, l.TextStyle, l.ThumbnailWidth, l.Padding = true, style, vg.Points(32), line/3
		for _, e := range entries[min(col*rows, len(entries)):min((col+1)*rows, len(entries))] {
			l.Add(e.name, e.thumb...)
		}
		l.Draw(draw.Crop(canvas, half*vg.Length(col), 0, y-canvas.Min.Y, 0))
	}
	return y - canvas.Min.Y + line*vg.Length(rows) + vg.Points(10)
}
