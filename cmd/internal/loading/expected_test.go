package loading

import (
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios/expect"
)

func oneLine(t *testing.T) {
	miss := func(text, variant string, v expect.Verdict) expect.Result {
		return expect.Result{Expect: &expect.Line{Text: text}, Variant: variant, Verdict: v, Left: metrics.Whole(8, metrics.Count), Right: metrics.Whole(9, metrics.Count)}
	}
	got := Judged([]expect.Result{miss("a.calls == 9", "a", expect.Fail), miss("all.calls == 9", "a", expect.Fail), miss("all.calls == 9", "b", expect.Fail),
		miss("all.calls == 9", "c", expect.NoData), miss("b.calls > 1", "b", expect.Pass)}, "")
	want := []string{"1 of 5 expectations hold", "missed in a and 1 more variant: all.calls == 9 (8 against 9 in a)", "missed in a: a.calls == 9 (8 against 9)", "no data in c: all.calls == 9"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExpected(t *testing.T) {
	t.Run("TTY-06 CLI-03 an expectation that several variants miss is one line, that which most miss is the first", oneLine)
	t.Run("TTY-02 what says that an expectation is missed or without data is marked, and what says how many hold is not", func(t *testing.T) {
		for line, want := range map[string]report.Mark{"1 of 5 expectations hold": report.Unmarked, "missed in a: x": report.Worse, "no data in c: x": report.Worse} {
			if got := WhetherMissed(line); got != want {
				t.Errorf("%s: %d, want %d", line, got, want)
			}
		}
	})
}
