package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

// example is two crossing lines, measured and computed, and where they cross.
func example() *Chart {
	return &Chart{Title: "Title of it", Subtitle: "and what holds for all", X: "turns", Y: "bill, US dollars", Note: "first note\nsecond note",
		Lines: []Line{
			{Name: "rising", Points: []Point{{1, 0.1}, {12, 0.9}}, Hue: Blue, Dots: true},
			{Name: "rising, by the law", Points: []Point{{1, 0.1}, {12, 0.8}}, Hue: Blue, Dashed: true},
			{Name: "flat", Points: []Point{{1, 0.5}, {12, 0.5}}, Hue: Orange, Dots: true},
		},
		Marks: []Mark{{Point: Point{6.5, 0.5}, Label: "crosses at 6.5", Hollow: true, Below: true}},
	}
}

func svgOf(t *testing.T, c *Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pngOf(t *testing.T, c *Chart) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.PNG(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChart(t *testing.T) {
	t.Run("CACHE-X2 a chart says its title, what its axes measure, its lines, marks and notes", func(t *testing.T) {
		text := svgOf(t, example())
		for _, want := range []string{"Title of it", "and what holds for all", "turns", "bill, US dollars", "rising, by the law", "flat",
			"crosses at 6.5", "first note", "second note", "stroke-dasharray", "Liberation Sans,Arial"} {
			if !strings.Contains(text, want) {
				t.Errorf("the picture does not say %q", want)
			}
		}
		if strings.Contains(text, "-0") && strings.Contains(text, ">-0<") {
			t.Error("an axis begins at -0")
		}
	})
	t.Run("CACHE-X2 equal charts are equal bytes, and another point is another picture", func(t *testing.T) {
		other := example()
		other.Lines[0].Points[1].Y = 0.91
		first, again := svgOf(t, example()), svgOf(t, example())
		if first != again || first == svgOf(t, other) {
			t.Error("the SVG is not the chart's alone")
		}
		if one := pngOf(t, example()); !bytes.Equal(one, pngOf(t, example())) || bytes.Equal(one, pngOf(t, other)) {
			t.Error("the PNG is not the chart's alone")
		}
	})
	t.Run("CACHE-X2 a PNG is large enough to read and shows each line in its colour", func(t *testing.T) {
		img, err := png.Decode(bytes.NewReader(pngOf(t, example())))
		if err != nil {
			t.Fatal(err)
		}
		if size := img.Bounds().Size(); size.X < 1000 || size.Y < 700 {
			t.Errorf("%d by %d pixels", size.X, size.Y)
		}
		for _, hue := range []Hue{Blue, Orange} {
			if n := count(img, hues[hue]); n < 1000 {
				t.Errorf("%d pixels of hue %d", n, hue)
			}
		}
	})
	t.Run("CACHE-X2 points of things that have names are not joined", func(t *testing.T) {
		c := example()
		c.Ticks = []Tick{{1, "model-a"}, {12, "model-b"}}
		for i := range c.Lines {
			c.Lines[i].Apart = true
		}
		text := svgOf(t, c)
		if !strings.Contains(text, "model-a") || strings.Contains(text, "stroke-dasharray") {
			t.Error("names are missing, or a line joins them")
		}
	})
	t.Run("CACHE-X2 an axis of things that are counted from 1 begins at 1, with its tick", func(t *testing.T) {
		c := example()
		if text := svgOf(t, c); !strings.Contains(text, ">0</text>") || strings.Contains(text, ">1</text>") {
			t.Error("turns begin elsewhere than at 0")
		}
		c.Least = 1
		if text := svgOf(t, c); strings.Contains(text, ">0</text>") || !strings.Contains(text, ">1</text>") {
			t.Error("the axis does not begin at 1")
		}
	})
	t.Run("CACHE-X2 a chart without points or with one that is no number is refused", func(t *testing.T) {
		for _, c := range []struct {
			change func(*Chart)
			want   string
		}{
			{func(c *Chart) { c.Lines = nil }, "no lines"},
			{func(c *Chart) { c.Lines[1].Points = nil }, `"rising, by the law" has no points`},
			{func(c *Chart) { c.Lines[2].Points[0].Y = math.NaN() }, `"flat" has a point that is no number`},
			{func(c *Chart) { c.Marks[0].X = math.Inf(1) }, `"crosses at 6.5" is no number`},
		} {
			ch := example()
			c.change(ch)
			if err := ch.SVG(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %s, got %v", c.want, err)
			}
		}
		if err := example().PNG(full{}); !errors.Is(err, errFull) {
			t.Errorf("a writer's error is lost: %v", err)
		}
		if err := example().SVG(full{}); !errors.Is(err, errFull) {
			t.Errorf("a writer's error is lost: %v", err)
		}
	})
	t.Run("CACHE-X2 a chart of one point, and one of equal bills, have axes", func(t *testing.T) {
		c := example()
		c.Lines = []Line{{Name: "one", Points: []Point{{3, 0}}, Dots: true}}
		c.Marks = nil
		if text := svgOf(t, c); strings.Contains(text, "NaN") {
			t.Error("a place is no number")
		}
	})
}

func TestInline(t *testing.T) {
	c := example()
	c.Title = `a "b" <script>`
	c.Lines[0].Bands = nil
	for _, p := range c.Lines[0].Points {
		c.Lines[0].Bands = append(c.Lines[0].Bands, Band{p.Y - 0.001, p.Y + 0.001})
	}
	var b strings.Builder
	if err := c.Inline(&b); err != nil {
		t.Fatal(err)
	}
	t.Run("RPT-07 a chart in a page is one element, without styles, with its title as text", func(t *testing.T) {
		if s := b.String(); strings.Contains(s, " style=") || strings.Contains(s, "<?xml") || strings.Contains(s, "<script>") || !strings.Contains(s, `<svg role="img" aria-label="a &#34;b&#34; &lt;script&gt;"`) ||
			!strings.Contains(s, `stroke="#005AB5"`) || !strings.Contains(s, `font-size="`) {
			t.Error(s)
		}
	})
	t.Run("RPT-07 points have bars as long as their bands", func(t *testing.T) {
		plain := svgOf(t, example())
		if with := svgOf(t, c); strings.Count(with, "<path") != strings.Count(plain, "<path")+3*len(c.Lines[0].Points) {
			t.Errorf("%d paths, and %d without", strings.Count(with, "<path"), strings.Count(plain, "<path"))
		}
	})
}

func TestRound(t *testing.T) {
	t.Run("CACHE-X2 ticks stand at multiples of 1, 2 or 5 and are written with as many places as they need", func(t *testing.T) {
		for _, c := range []struct {
			lo, hi float64
			want   string
		}{
			{0, 24, "0 5 10 15 20"}, {0, 0.7, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"}, {30, 60, "30 35 40 45 50 55 60"},
			{0, 3.2, "0.0 0.5 1.0 1.5 2.0 2.5 3.0"}, {0, 0.0123, "0.000 0.002 0.004 0.006 0.008 0.010 0.012"}, {11, 13, "11.0 11.5 12.0 12.5 13.0"},
		} {
			var got []string
			for _, tick := range round(c.lo, c.hi) {
				got = append(got, tick.Label)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("%g to %g: %s, want %s", c.lo, c.hi, s, c.want)
			}
		}
	})
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func count(img image.Image, want color.RGBA) (n int) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.RGBAModel.Convert(img.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

func bills() *Bars {
	return &Bars{Title: "Title of it", Subtitle: "and what holds for all", X: "cost, US dollars", Parts: []string{"read", "written"},
		Rows: []Bar{{Name: "inline", Parts: []float64{1, 3}, Label: "$4.00"}, {Name: "fork & all", Parts: []float64{0, 2}, Label: "$2.00"}}}
}

// box is a filled rectangle: its sides, and where it begins from below.
type box struct{ from, to, at float64 }

// boxes are those of a colour, in the order in which they are drawn.
func boxes(t *testing.T, b *Bars, hue string) (out []box) {
	t.Helper()
	var text bytes.Buffer
	if err := b.SVG(&text); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		var x box
		var left, top float64
		if n, _ := fmt.Sscanf(line, `<path d="M%f,%fL%f,%fL%f,`, &x.from, &x.at, &left, &top, &x.to); n == 5 && strings.Contains(line, hue) {
			out = append(out, x)
		}
	}
	return out
}

func TestBars(t *testing.T) {
	svg := func(b *Bars) (string, error) {
		var out bytes.Buffer
		err := b.SVG(&out)
		return out.String(), err
	}
	t.Run("DOC-03 bars say their title, rows, parts and labels, and equal bars are equal bytes", func(t *testing.T) {
		text, err := svg(bills())
		again, _ := svg(bills())
		if err != nil || again != text {
			t.Fatalf("another picture of the same, or %v", err)
		}
		for _, want := range []string{"Title of it", "and what holds for all", "cost, US dollars", "read", "written", ">inline<", ">fork &amp; all<", "$4.00", "$2.00"} {
			if !strings.Contains(text, want) {
				t.Errorf("the picture does not say %q", want)
			}
		}
		// The drawing library divides by a colour's opacity: none at all is another number on another processor.
		if strings.Contains(text, "#-") || strings.Contains(text, `-opacity="0"`) || strings.Contains(text, "-opacity:0") {
			t.Error("it draws what nobody can see")
		}
	})
	t.Run("DOC-03 lengths are figures, from the first part on, and the first row is on top", func(t *testing.T) {
		// Of each part the legend's box, then the bars', the lowest first.
		read, written := boxes(t, bills(), "#56B4E9"), boxes(t, bills(), "#E69F00")
		if len(read) != 3 || len(written) != 3 {
			t.Fatalf("%d and %d boxes", len(read), len(written))
		}
		unit := read[2].to - read[2].from
		for what, off := range map[string]float64{"the first row's second part": written[2].to - written[2].from - 3*unit, "the second row's": written[1].to - written[1].from - 2*unit,
			"where parts meet": written[2].from - read[2].to, "where rows begin": written[1].from - read[2].from} {
			if unit <= 0 || math.Abs(off) > 0.1 {
				t.Errorf("%s is %.2f off, a dollar is %.2f", what, off, unit)
			}
		}
		if written[2].at <= written[1].at || read[2].at != written[2].at {
			t.Errorf("rows are at %v and %v", written[2].at, written[1].at)
		}
	})
	t.Run("DOC-03 one row has its bar", func(t *testing.T) {
		one := bills()
		one.Rows = one.Rows[:1]
		if got := boxes(t, one, "#56B4E9"); len(got) != 2 {
			t.Errorf("%d boxes", len(got))
		}
	})
	t.Run("DOC-03 what cannot be drawn is an error", func(t *testing.T) {
		for what, spoil := range map[string]func(*Bars){
			"0 rows":           func(b *Bars) { b.Rows = nil },
			"fork & all":       func(b *Bars) { b.Rows[1].Parts = []float64{1} },
			"none of them neg": func(b *Bars) { b.Rows[0].Parts[0] = -1 },
			"has not":          func(b *Bars) { b.Rows[0].Parts[0] = math.NaN() },
			"empty":            func(b *Bars) { b.Rows = []Bar{{Name: "inline", Parts: []float64{0, 0}}} },
		} {
			b := bills()
			spoil(b)
			if _, err := svg(b); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}
