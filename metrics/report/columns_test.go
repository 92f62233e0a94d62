package report

import (
	"os"
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/sim/vtime"
)

func TestColumns(t *testing.T) {
	rows := sample()
	rows[0].Run.CriticalPath = 541 * vtime.Second
	rows[1].Run.Total.FactsMissing = 2
	rows[1].Run.Total.Reads[metrics.Lazy] = 3
	rows[1].Run.Items = metrics.Outcomes{Done: 7, Rework: 1, Failed: 1, Wrong: 1, Total: 9}
	t.Run("MET-01 the trade-off's columns are cache read, cache write, uncached input, output, cost, re-invocations, time, critical path, facts lost and outcome", func(t *testing.T) {
		names, err := Columns("trade-off,reads.again, phase.overlap", metrics.Known{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := Comparison(rows, names).write(&b, Style{}, ""); err != nil {
			t.Fatal(err)
		}
		want := `
VARIANT  CACHE READ  CACHE WRITE  UNCACHED  OUTPUT   COST  RE-INVOCATIONS   TIME  CRITICAL PATH  FACTS LOST  OUTCOME                              READS.AGAIN  PHASE.OVERLAP
inline       2.79 M        118 k    1.10 k  21.0 k  $1.60               0  9m12s          9m01s           0  9 of 9 done                                    0              –
fork         3.74 M        109 k    1.60 k  25.0 k  $1.91      8 × 61.3 k  2m18s          0m00s           5  7 of 9 done, 1 again, 1 failed, 1 wrong            3              –
`
		if got := "\n" + b.String(); squeeze(got) != squeeze(want) {
			t.Errorf("got%s", got)
		}
	})
	t.Run("CLI-03 each column but the outcome shows metrics that there are, each of them once", func(t *testing.T) {
		for _, c := range columns {
			if shown := Metrics([]string{c.name}); len(shown) == 0 != (c.name == "outcome") {
				t.Errorf("%s shows %v", c.name, shown)
			}
			for _, m := range c.exact {
				if _, ok := metrics.Find(m); !ok {
					t.Errorf("%s: there is no metric %s", c.name, m)
				}
			}
		}
		got := Metrics([]string{"cost", "outcome", "done", "reads.again", "cost"})
		if want := []string{"cost", "items.done", "items.total", "reads.again"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("LANG-08 a column is a path: a metric of the run, of each variant, or of an agent type", func(t *testing.T) {
		in := metrics.Known{Types: []string{"fork", "Explore"}}
		names, err := Columns("cost,all.calls,fork.cost,all.fork.tokens.read", in)
		if want := []string{"cost", "calls", "fork.cost", "fork.tokens.read"}; err != nil || !slices.Equal(names, want) {
			t.Errorf("got %v %v, want %v", names, err, want)
		}
		r := &metrics.Run{Types: []metrics.Type{{Name: "fork"}}}
		r.Types[0].Tally.Calls, r.Total.Calls = 4, 9
		for path, want := range map[string]string{"fork.calls": "4", "calls": "9", "Explore.calls": "–"} {
			if got := columnOf(path).cell(r).String(); got != want {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		for _, wrong := range []string{"frok.cost", "fork.csot", "fork.2.cost", "inline.fork.cost"} {
			if names, err := Columns(wrong, in); err == nil {
				t.Errorf("%s is taken for %v", wrong, names)
			}
		}
	})
	t.Run("CLI-04 a column that there is not is named, with those that there are", func(t *testing.T) {
		_, err := Columns("cost,writen", metrics.Known{})
		if err == nil || !strings.Contains(err.Error(), `"writen"`) || !strings.Contains(err.Error(), "cache-write, uncached") {
			t.Error(err)
		}
		names, err := Columns("", metrics.Known{})
		if err != nil || !slices.Contains(names, "done") {
			t.Error(names, err)
		}
	})
	t.Run("MET-01 a run that did not finish says so in place of its outcome, and one without work has none", func(t *testing.T) {
		if got := outcome(&metrics.Run{Outcome: "deadlock"}); got != "deadlock" {
			t.Error(got)
		}
		if got := outcome(&metrics.Run{Outcome: "completed"}); got != "–" {
			t.Error(got)
		}
	})
}

// squeeze takes runs of spaces for one.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestGlossary(t *testing.T) {
	t.Run("TTY-03 every column of a comparison is in the glossary and named by its title", func(t *testing.T) {
		text, err := os.ReadFile("../../docs/glossary.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			if title := strings.TrimSpace(c.head); c.name != strings.ReplaceAll(strings.ToLower(title), " ", "-") {
				t.Errorf("the column %s is named %s", title, c.name)
			}
			if !strings.Contains(string(text), "| "+strings.TrimSpace(c.head)+" |") {
				t.Errorf("%s is not in docs/glossary.md", c.head)
			}
		}
	})
}
