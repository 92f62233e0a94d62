package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics/plot"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
	"agentsim/sim/transcript/sqlite"
)

func TestSweepGrid(t *testing.T) {
	t.Run("CLI-06 runs are stored about each second, however few they are", storedEachSecond)
	t.Run("CLI-06 a grid that is too large is refused before it is laid out, also where its size fits in no integer", tooLarge)
	t.Run("CLI-06 a figure that a run has no data for is in no median", withoutData)
	t.Run("CLI-06 CLI-02 a run that breaks an invariant ends the sweep", brokenInGrid)
	t.Run("CLI-06 lines cross once between two neighbouring points that both have, and nowhere else", crossed)
}

// storedEachSecond reads the database while the sweep goes on, each time the
// clock is asked: a second later than before. A batch is handed over when the one
// before is stored, so at the end some are in the file.
func storedEachSecond(t *testing.T) {
	path, most := filepath.Join(t.TempDir(), "x.db"), 0
	var mu sync.Mutex
	now := time.Unix(0, 0)
	code, _, stderr := try(func(s *ui.Env) {
		s.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			now = now.Add(time.Second)
			if db, err := sqlite.Open(path); err == nil {
				if runs, err := db.Runs(); err == nil {
					most = max(most, len(runs))
				}
				db.Close()
			}
			return now
		}
	}, "sweep", "hello", "--seeds", "20", "--workers", "1", "--db", path)
	if code != ui.Pass || most == 0 || most > 20 {
		t.Errorf("code %d, %d runs in the database before the end\n%s", code, most, stderr)
	}
}

func tooLarge(t *testing.T) {
	axis := func(n int) scenarios.Axis { return scenarios.Axis{Path: "x", Values: make([]string, n)} }
	for _, c := range []struct {
		per  int
		axes []int
		fits bool
	}{{1, nil, true}, {maxRuns, nil, true}, {maxRuns + 1, nil, false}, {10, []int{1000, 1000}, true}, {11, []int{1000, 1000}, false},
		{1, []int{1 << 16, 1 << 16, 1 << 16, 1 << 16}, false}, {1, []int{1 << 16, 1 << 16, 1 << 16, 1 << 16, 1 << 16}, false}} {
		var axes []scenarios.Axis
		for _, n := range c.axes {
			axes = append(axes, axis(n))
		}
		if err := boundGrid(axes, c.per); (err == nil) != c.fits || err != nil && classify(err) != ui.Usage {
			t.Errorf("%d at %v: %v", c.per, c.axes, err)
		}
	}
	code, _, stderr := try(nil, "sweep", "hello", "--set", "a="+thousand(), "--set", "b="+thousand(), "--set", "c="+thousand(), "--set", "d="+thousand())
	if code != ui.Usage || !strings.Contains(stderr, "a sweep has at most so many") {
		t.Errorf("code %d: %s", code, stderr)
	}
}

func thousand() string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "%d,", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func withoutData(t *testing.T) {
	g := &sweepGrid{o: &sweepOptions{seeds: 4}, variants: []string{""}}
	for _, cost := range []int64{10, noData, 30, 20} {
		row := make([]int64, len(gridMetrics))
		row[gridMetric("cost")] = cost
		g.figures = append(g.figures, row)
	}
	g.ends = make([]gridEnd, 4)
	if x := g.column(0, "cost"); !slices.Equal(x, []int64{10, 30, 20}) || g.middle(0, "cost") != 20 {
		t.Errorf("%v, median %d", x, g.middle(0, "cost"))
	}
	g.figures[3] = nil // it did not finish
	if x := g.column(0, "cost"); !slices.Equal(x, []int64{10, 30}) {
		t.Error(x)
	}
}

func brokenInGrid(t *testing.T) {
	g := &sweepGrid{o: &sweepOptions{seeds: 1}, variants: []string{"v"}, file: &scenarios.File{}, places: [][]string{nil},
		figures: make([][]int64, 1), ends: make([]gridEnd, 1)}
	r := &gridRun{id: "x", spec: &sim.Spec{Variant: "v", Scenario: &scenarios.Scenario{Seed: 1}}, result: &sim.Result{Outcome: sim.Completed, Audit: &audit.Report{Broken: 1, Violations: []audit.Violation{{Check: "X"}}}}}
	err := g.take(0, r, nil, nil)
	var failure *ui.Failure
	if !errors.As(err, &failure) || failure.Code != ui.Broken || !strings.Contains(err.Error(), "an invariant is broken") {
		t.Error(err)
	}
}

func crossed(t *testing.T) {
	line := func(name string, ys ...float64) plot.Line {
		l := plot.Line{Name: name}
		for i, y := range ys {
			if y >= 0 {
				l.Points = append(l.Points, plot.Point{X: float64(i), Y: y})
			}
		}
		return l
	}
	for _, c := range []struct {
		a, b []float64
		want []plot.Point
	}{
		{[]float64{0, 4}, []float64{2, 2}, []plot.Point{{X: 0.5, Y: 2}}},
		{[]float64{0, 1}, []float64{2, 2}, nil},
		{[]float64{0, 4, 0}, []float64{1, 1, 1}, []plot.Point{{X: 0.25, Y: 1}, {X: 1.75, Y: 1}}},
		{[]float64{0, -1, 4}, []float64{2, 2, 2}, nil}, // one has no point between
	} {
		marks := crossings([]plot.Line{line("a", c.a...), line("b", c.b...)}, []float64{0, 1, 2}[:len(c.a)])
		var got []plot.Point
		for _, m := range marks {
			got = append(got, m.Point)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v and %v cross at %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
