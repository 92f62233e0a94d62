package grid

import (
	"slices"
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	t.Run("SCN-04 CLI-03 a change of ranking that happens at every point says so, one at some lists them briefly", changePoints)
	t.Run("CLI-03 pairs whose figures print alike change no ranking", alike)
	t.Run("TRI-07 a page says where the cheapest changes, and how many other changes there are and where they are listed", decisive)
	t.Run("TRI-07 what is equal or did not do all of the work is not ranked", unranked)
	t.Run("TRI-07 variants are ranked among those that had as much work", sizes)
	t.Run("CLI-06 those that cost least alike are named together", tied)
	t.Run("CLI-06 a figure that a run has no data for is in no median", withoutData)
	t.Run("CLI-06 lines cross once between two neighbouring points that both have, and nowhere else", crossed)
}

// changePoints lays out a grid in which y becomes cheaper than x, from full to
// lazy, at the points listed.
func changePoints(t *testing.T) {
	axes := []Axis{{"model.prompting", []string{"full", "lazy"}}, {"model.reads_per_turn", []string{"1", "2", "4"}}, {"model.gist_tokens", []string{"10", "20"}}}
	for _, c := range []struct{ at, want string }{
		{"1/10 1/20 2/10 2/20 4/10 4/20", "whatever the reads per turn and the summary tokens"},
		{"1/10 1/20 4/10 4/20", "reads per turn 1, 4"},
		{"2/10", "reads per turn 2; summary tokens 10"},
		{"1/20 2/20 4/20", "summary tokens 20"},
		{"1/10 4/20", "reads per turn 1 and summary tokens 10; reads per turn 4 and summary tokens 20"},
		{"1/10 1/20 2/10 2/20 4/20", "reads per turn 1 and summary tokens 10; reads per turn 1 and summary tokens 20; reads per turn 2 and summary tokens 10; reads per turn 2 and summary tokens 20; 1 more"},
	} {
		g := New("swept", axes, []string{"x", "y"}, 1)
		for p := range g.Points() {
			cells, y := g.At(p), int64(20)
			at := cells[0].Point
			if at[0] == "lazy" && slices.Contains(strings.Fields(c.at), at[1]+"/"+at[2]) {
				y = 5
			}
			cells[0].Runs[0].Set("cost", 10)
			cells[1].Runs[0].Set("cost", y)
		}
		var got []string
		for _, x := range g.Changes() {
			got = append(got, x.String())
		}
		if want := "y is the cheapest at hand-off style lazy, x at full (" + c.want + ")"; !slices.Contains(got, want) {
			t.Errorf("at %s:\n%s\nwant %s", c.at, strings.Join(got, "\n"), want)
		}
	}
}

func decisive(t *testing.T) {
	g := New("swept", []Axis{{"model.prompting", []string{"full", "lazy"}}}, []string{"x", "y", "z"}, 1)
	for p, costs := range [][]int64{{10, 20, 30}, {40, 20, 10}} {
		for i, cost := range costs {
			g.At(p)[i].Runs[0].Set("cost", cost*1_000_000_000_000)
		}
	}
	want := []string{"z is the cheapest at hand-off style lazy, x at full", "2 changes among those that are not the cheapest: elsewhere"}
	if got := g.Decisive("elsewhere"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if all := g.Ranking(); len(all) != 3 {
		t.Errorf("a pair is said twice, or missing: %q", all)
	}
}

func unranked(t *testing.T) {
	type cell struct{ cost, done int64 }
	for _, c := range []struct {
		before, after []cell
		cheapest      int // before
		ranking       []string
	}{
		{[]cell{{10, 9}, {20, 9}}, []cell{{30, 9}, {20, 9}}, 0, []string{"y is the cheapest at hand-off style lazy, x at full"}},
		{[]cell{{10, 8}, {20, 9}}, []cell{{30, 9}, {20, 9}}, 1, nil},
		{[]cell{{10, 8}, {20, 0}}, []cell{{30, 8}, {20, 0}}, -1, []string{"none is the cheapest: no variant did all of the work"}},
		{[]cell{{10, 9}, {10, 9}}, []cell{{30, 9}, {30, 9}}, -1, []string{"none is the cheapest: those that did all of the work cost the same"}},
	} {
		if got := (&Grid{}).Ranking(); got != nil {
			t.Errorf("without a grid: %q", got)
		}
		g := New("swept", []Axis{{"model.prompting", []string{"full", "lazy"}}}, []string{"x", "y"}, 1)
		for p, cells := range [][]cell{c.before, c.after} {
			for i, v := range cells {
				r := &g.At(p)[i].Runs[0]
				r.Set("cost", v.cost*1_000_000_000_000)
				r.Set("items.done", v.done)
				r.Set("items.total", 9)
			}
		}
		if got := CheapestLike(g.At(0), 0); got != c.cheapest {
			t.Errorf("%v: cheapest %d, want %d", c.before, got, c.cheapest)
		}
		if got := g.Decisive("elsewhere"); !slices.Equal(got, c.ranking) || !slices.Equal(g.Ranking(), c.ranking) {
			t.Errorf("%v to %v: %q, want %q", c.before, c.after, got, c.ranking)
		}
	}
}

func tied(t *testing.T) {
	g := New("swept", nil, []string{"desk", "bridge", "gone"}, 1)
	for i, cost := range []int64{2, 2, 3} {
		g.At(0)[i].Runs[0].Set("cost", cost)
	}
	if got := CheapestNames(g.At(0)); got != "desk = bridge" {
		t.Errorf("cheapest: %s", got)
	}
	want := []string{"no single one is the cheapest; those that cost least cost the same: desk = bridge"}
	if got := g.Ranking(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func sizes(t *testing.T) {
	g := New("swept", []Axis{{"model.prompting", []string{"full", "lazy"}}}, []string{"small-x", "small-y", "large-x", "large-y"}, 1)
	for p, costs := range [][]int64{{1, 2, 5, 9}, {4, 3, 4, 2}} { // large-y falls below small-x, too
		for i, cost := range costs {
			r := &g.At(p)[i].Runs[0]
			r.Set("cost", cost*1_000_000_000_000)
			r.Set("items.done", int64(i/2+1))
			r.Set("items.total", int64(i/2+1))
		}
	}
	if got := CheapestNames(g.At(0)) + "; " + CheapestNames(g.At(1)); got != "small-x, large-x; small-y, large-y" {
		t.Errorf("cheapest: %s", got)
	}
	want := []string{"small-y is the cheapest at hand-off style lazy, small-x at full", "large-y is the cheapest at hand-off style lazy, large-x at full"}
	if got := g.Ranking(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func alike(t *testing.T) {
	for y, want := range map[int64]int{589_999_000_000: 0, 500_000_000_000: 1} { // order: each is a case of its own
		g := New("swept", []Axis{{"model.prompting", []string{"full", "lazy"}}}, []string{"cheapest", "x", "y"}, 1)
		for p, costs := range [][]int64{{1, 590_000_000_000, 590_001_000_000}, {1, 590_000_000_000, y}} {
			for i, cost := range costs {
				g.At(p)[i].Runs[0].Set("cost", cost)
			}
		}
		if got := g.Ranking(); len(got) != want {
			t.Errorf("y at %d: %v, want %d", y, got, want)
		}
	}
}

func withoutData(t *testing.T) {
	c := &New("g", nil, []string{""}, 4).Cells[0]
	for i, cost := range []int64{10, noData, 30, 20} {
		c.Runs[i].Set("calls", 1)
		c.Runs[i].Set("cost", cost)
		c.Runs[i].Set("no metric of a grid", 1)
	}
	if x := c.Column("cost"); !slices.Equal(x, []int64{10, 30, 20}) || c.Median("cost") != 20 {
		t.Errorf("%v, median %d", x, c.Median("cost"))
	}
	c.Runs[3] = Run{Open: "limit"}
	if x := c.Column("cost"); !slices.Equal(x, []int64{10, 30}) {
		t.Error(x)
	}
}

func crossed(t *testing.T) {
	curve := func(ys ...float64) (c Curve) {
		for i, y := range ys {
			if y >= 0 {
				c.Points = append(c.Points, Point{float64(i), y})
			}
		}
		return c
	}
	for _, c := range []struct {
		a, b []float64
		want []Point
	}{
		{[]float64{0, 4}, []float64{2, 2}, []Point{{0.5, 2}}},
		{[]float64{0, 1}, []float64{2, 2}, nil},
		{[]float64{0, 4, 0}, []float64{1, 1, 1}, []Point{{0.25, 1}, {1.75, 1}}},
		{[]float64{0, -1, 4}, []float64{2, 2, 2}, nil}, // one has no point between
	} {
		var got []Point
		for _, x := range Crossings([]Curve{curve(c.a...), curve(c.b...)}, []float64{0, 1, 2}[:len(c.a)]) {
			got = append(got, x.Point)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v and %v cross at %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
