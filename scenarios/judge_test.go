package scenarios

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"

	"agentsim/metrics"
	"agentsim/scenarios/expect"
)

const judged = `agentsim: 1
name: grid
provider: {model: claude-sonnet-4-5-20250929}
script:
  main: {user: hello}
  answers: [{agent: main, turns: [{text: hello}]}]
variants: {a: {}, b: {}}
matrix:
  provider.ttl: ["5m", "1h"]
expect:
  - all.calls == 1
  - a.calls == b.calls
  - b.calls == 2
`

func TestJudge(t *testing.T) {
	t.Run("SCN-05 expectations that speak of a variant that did not run are left out, and cells are judged one by one", judging)
}

func judging(t *testing.T) {
	file, err := Parse("grid.yaml", []byte(judged))
	if err != nil {
		t.Fatal(err)
	}
	run := func(calls int64) *metrics.Run {
		r := &metrics.Run{}
		r.Total.Calls = calls
		return r
	}
	names := file.VariantNames()
	if len(names) != 4 {
		t.Fatalf("variants %q", names)
	}
	show := func(ran map[string]*metrics.Run) string {
		var out []string
		for _, v := range expect.Judge(file.Expect, file.Cells(), ran) {
			out = append(out, v.Variant+" "+v.Verdict.String())
		}
		return strings.Join(out, "; ")
	}
	cell5m, cell1h := strings.TrimPrefix(names[0], "a"), strings.TrimPrefix(names[1], "a")
	got := show(map[string]*metrics.Run{"a" + cell5m: run(1), "b" + cell5m: run(2), "a" + cell1h: run(1)})
	want := "a" + cell5m + " pass; b" + cell5m + " fail; a" + cell1h + " pass; " + cell5m + " fail; " + cell5m + " pass"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestNamesAgent holds the quick way for patterns of an agent's children against the
// library that all other patterns are matched by.
func TestNamesAgent(t *testing.T) {
	t.Run("SPD-02 what a pattern names is what doublestar says", rapid.MakeCheck(func(t *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune("am/*.1?")))
		pattern, lineage := word.Draw(t, "pattern")+rapid.SampledFrom([]string{"", "/*", "/**"}).Draw(t, "end"), word.Draw(t, "lineage")
		if got, want := matches(pattern, lineage), doublestar.MatchUnvalidated(pattern, lineage); got != want {
			t.Errorf("%q names %q: %t, want %t", pattern, lineage, got, want)
		}
	}))
}
