package run

import (
	"slices"
	"testing"

	"agentsim/cmd/internal/harness"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

func TestUndone(t *testing.T) {
	known := []scenarios.Item{{ID: "trap", Pitfalls: []string{"p"}}, {ID: "lure", MisledBy: []string{"m"}}}
	said := func(words ...string) (out []string) {
		v := seen{items: map[string]verdict{}}
		of := scenarios.Scenario{Name: "story"}
		for i := 0; i < len(words); i += 3 {
			if !slices.ContainsFunc(of.Work, func(it scenarios.Item) bool { return it.ID == words[i] }) {
				it := scenarios.Item{ID: words[i]}
				if at := slices.IndexFunc(known, func(it scenarios.Item) bool { return it.ID == words[i] }); at >= 0 {
					it = known[at]
				}
				of.Work = append(of.Work, it)
			}
			it := &transcript.Item{Item: words[i], Outcome: transcript.Outcome(words[i+1])}
			if words[i+2] != "" {
				it.Missing = []string{words[i+2]}
			}
			v.Emit(&transcript.Event{Body: it})
		}
		run := &metrics.Run{}
		run.Items.Total = 9
		return undone([]executed{{Run: &harness.Run{Spec: &sim.Spec{Scenario: &of}, Metrics: run}, verdicts: v.verdicts(&of)}})
	}
	for _, c := range []struct {
		what string
		got  []string
		want []string
	}{
		{"CRD-12 all done", said("plain", "done", "", "trap", "rework", ""), nil},
		{"CRD-12 failed, then done", said("plain", "failed", "a", "plain", "done", ""), nil},
		{"CRD-12 what failed is named with what it lacks", said("plain", "failed", "a"), []string{"story left 1 of 9 items undone: plain (lacks a)"}},
		{"CRD-12 what misled is told from what was missing", said("lure", "failed", "m"), []string{"story left 1 of 9 items undone: lure (misled by m)"}},
		{"CRD-12 of what waits, of no report and of a red run", said("a", "failed", "item:b", "b", "failed", "report", "c", "failed", "run"),
			[]string{"story left 3 of 9 items undone: a (waits for b), b (no report), c (its command fails)"}},
		{"VER-01 what was not allowed to run has not failed", said("c", "failed", "barred"), []string{"story left 1 of 9 items undone: c (its command was not allowed to run)"}},
		{"CRD-12 a defect that tests show", said("a", "failed", "defect:p"), []string{"story left 1 of 9 items undone: a (tests fail over p)"}},
		{"CRD-12 no more than three are named", said("a", "failed", "", "b", "failed", "", "c", "failed", "", "d", "failed", ""),
			[]string{"story left 4 of 9 items undone: a, b, c, and 1 more"}},
		{"CON-14 a report that goes by an old version is wrong at once, a defect shows afterwards", said("trap", "wrong", "", "lure", "done", "", "lure", "wrong", ""),
			[]string{"story left 2 of 9 items undone: trap (wrong: it goes by an old version of a file), lure (wrong: what it changed has a defect)"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
}
