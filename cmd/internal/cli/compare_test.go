package cli

import (
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/metrics/baseline"
	"agentsim/metrics/stat"
	"agentsim/scenarios"
	"agentsim/sim"
)

func TestComparison(t *testing.T) {
	t.Run("SCN-04 CLI-03 a flip that happens at every place says so, one at some lists them briefly", flipPlaces)
	t.Run("CON-13 CLI-03 what all variants assume stands once, the rest with the variants it is true of", grouped)
	t.Run("CACHE-38 CLI-03 undocumented points that were decided stand on a line of their own behind what is assumed", ownLine)
}

func TestSides(t *testing.T) {
	t.Run("MET-05 no side is better where the interval of the difference holds 0", func(t *testing.T) {
		lower := baseline.Metric{Name: "cost", Unit: metrics.Picodollars, Better: "lower"}
		a, b := metrics.Whole(10, metrics.Picodollars), metrics.Whole(8, metrics.Picodollars)
		for _, c := range []struct {
			interval *stat.Interval
			why      string
			want     string
		}{{nil, "", "B"}, {&stat.Interval{Low: -3, High: -1}, "", "B"}, {&stat.Interval{Low: -3, High: 1}, "", ""}, {nil, "limit", ""}} {
			side := &comparedGroup{runs: []comparedRun{{why: c.why}}}
			f := figurePair{Metric: lower, pair: &pair{&comparedGroup{}, side}, a: &a, b: &b, interval: c.interval}
			if got := f.better(); got != c.want {
				t.Errorf("%+v %q: %q, want %q", c.interval, c.why, got, c.want)
			}
		}
	})
	t.Run("MET-05 runs are paired by seed only where both sides have the same seeds", func(t *testing.T) {
		group := func(from uint64) *comparedGroup {
			g := &comparedGroup{}
			for i := range uint64(3) {
				v := metrics.Whole(int64(i*i), metrics.Picodollars)
				g.runs = append(g.runs, comparedRun{seed: from + i, figures: []baseline.Figure{{Name: "cost", Value: v}}})
			}
			return g
		}
		for from, want := range map[uint64]bool{1: true, 2: false} { // order: each is a case of its own
			p := pair{group(1), group(from)}
			x := p.interval(baseline.Metric{Name: "cost"}, p.a.values("cost"), p.b.values("cost"))
			if x.Paired != want {
				t.Errorf("seeds from 1 and from %d: paired %v", from, x.Paired)
			}
		}
	})
}

const swept = `name: swept
provider: {model: claude-sonnet-4-5-20250929}
main: {user: hello}
strategy: inline
work: [{id: a, kind: answer}]
variants: {x: {}, y: {}}
sweep:
  - {path: model.prompting, values: [full, lazy]}
  - {path: model.reads_per_turn, values: [1, 2, 4]}
  - {path: model.gist_tokens, values: [10, 20]}
`

// flipPlaces lays out a sweep in which y becomes cheaper than x, from full to
// lazy, at the places listed.
func flipPlaces(t *testing.T) {
	file, err := scenarios.Parse("swept.yaml", []byte(swept))
	if err != nil {
		t.Fatal(err)
	}
	specs := []*sim.Spec{{Variant: "x"}, {Variant: "y"}}
	cost := func(c cachemodel.Picodollars) *metrics.Run { return &metrics.Run{Total: metrics.Tally{Cost: c}} }
	for _, c := range []struct{ at, want string }{
		{"1/10 1/20 2/10 2/20 4/10 4/20", "everywhere"},
		{"1/10 1/20 4/10 4/20", "reads_per_turn 1, 4"},
		{"2/10", "reads_per_turn 2; gist_tokens 10"},
		{"1/20 2/20 4/20", "gist_tokens 20"},
		{"1/10 4/20", "reads_per_turn 1 and gist_tokens 10; reads_per_turn 4 and gist_tokens 20"},
		{"1/10 1/20 2/10 2/20 4/20", "reads_per_turn 1 and gist_tokens 10; reads_per_turn 1 and gist_tokens 20; reads_per_turn 2 and gist_tokens 10; reads_per_turn 2 and gist_tokens 20; 1 more"},
	} {
		var cells []cell
		for _, labels := range places(file.Sweep) {
			y := cachemodel.Picodollars(20)
			if labels[0] == "lazy" && slices.Contains(strings.Fields(c.at), labels[1]+"/"+labels[2]) {
				y = 5
			}
			cells = append(cells, cell{labels: labels, runs: []*metrics.Run{cost(10), cost(y)}})
		}
		want := "y is the cheapest instead of x from prompting full to lazy (" + c.want + ")"
		if got := flips(file, specs, cells); !slices.Contains(got, want) {
			t.Errorf("at %s:\n%s\nwant %s", c.at, strings.Join(got, "\n"), want)
		}
	}
}

func grouped(t *testing.T) {
	show := func(variants ...string) string {
		var done []executed
		for _, v := range variants {
			name, says, _ := strings.Cut(v, ":")
			done = append(done, executed{spec: &sim.Spec{Variant: name}, result: &sim.Result{Assumed: strings.Fields(says)}})
		}
		return strings.Join(gathered(done, func(r *sim.Result) []string { return r.Assumed }), " · ")
	}
	for _, c := range []struct {
		want     string
		variants []string
	}{
		{"p · q", []string{":p q"}},
		{"q · p (x) · r (y)", []string{"x:p q", "y:r q"}},
		{"p (all but z) · r (z)", []string{"x:p", "y:p", "z:r"}},
		{"r · p (5 of 10 variants) · q (5 of 10 variants)", []string{"a:p r", "b:p r", "c:p r", "d:p r", "e:p r", "f:q r", "g:q r", "h:q r", "i:q r", "j:q r"}},
	} {
		if got := show(c.variants...); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func ownLine(t *testing.T) {
	_, stdout, _ := try(nil, "run", "hello", "--record", "none")
	var labels []string
	for _, line := range strings.Split(stdout, "\n") {
		if word, rest, ok := strings.Cut(line, " "); ok && word != "" && (word == "assumed" || word == "undocumented") {
			labels = append(labels, word)
			if strings.Contains(rest, "tail_tokens=3") != (word == "undocumented") {
				t.Errorf("the line %q", line)
			}
		}
	}
	if !slices.Equal(labels, []string{"assumed", "undocumented"}) {
		t.Errorf("lines %q", labels)
	}
}
