package run

import (
	"strings"
	"testing"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
)

// unsound is a run in which an invariant was broken twice.
func unsound() executed {
	check := audit.Check{ID: "ISO-02", What: "files"}
	return executed{Run: &harness.Run{
		Spec:    &sim.Spec{Scenario: &scenarios.Scenario{Name: "hello", Seed: 7}, Policy: "random", Variant: "one"},
		Metrics: &metrics.Run{},
		Result: &sim.Result{Outcome: sim.Completed, Audit: &audit.Report{Made: 12431, Broken: 2,
			Counts:     []audit.Count{{Check: check, Made: 12431, Broken: 2}},
			Violations: []audit.Violation{{Check: "ISO-02", Event: 41, Agent: "main/1.1", Want: "no file", Got: "1 file"}}}},
	}}
}

func TestIsolation(t *testing.T) {
	t.Run("MET-03 CLI-02 a broken invariant is exit code 6, with what is broken and the line that repeats it", func(t *testing.T) {
		err := (&answer{options: &options{name: "hello"}, done: []executed{unsound()}}).verdict(nil)
		if ui.Classify(err) != ui.Broken {
			t.Fatalf("exit code %d: %v", ui.Classify(err), err)
		}
		for _, part := range []string{"ISO-02 is broken at event 41", "by main/1.1", "expected  no file", "found     1 file", "and 1 more",
			"repeat with: agentsim run hello --seed 7 --policy random --variant one"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("no %q in\n%v", part, err)
			}
		}
		sound := unsound()
		sound.Result.Audit.Broken, sound.Result.Audit.Counts[0].Broken = 0, 0
		if err := (&answer{done: []executed{sound}}).verdict(nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("MET-03 the line in the report says how many were held, how often, and which are broken", func(t *testing.T) {
		x := unsound()
		if got := isolation([]executed{x}); got != "1 invariant, 12,431 checks, 2 broken: ISO-02" {
			t.Error(got)
		}
		x.Result.Audit.Counts[0].Broken = 0
		if got := isolation([]executed{x, x}); got != "1 invariant, 24,862 checks, none broken" {
			t.Error(got)
		}
		if got := isolation([]executed{{Run: &harness.Run{Result: &sim.Result{}}}}); got != "" {
			t.Error(got)
		}
	})
	t.Run("MET-03 REC-01 the record has a row for each invariant that was checked", func(t *testing.T) {
		rows := harness.Invariants(unsound().Result.Audit)
		if len(rows) != 1 || rows[0].Name != "ISO-02" || rows[0].Checks != 12431 || rows[0].Broken != 2 || harness.Invariants(nil) != nil {
			t.Error(rows)
		}
	})
}
