package run

import (
	"strings"
	"testing"

	"agentsim/cmd/internal/harness"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

func TestLeaves(t *testing.T) {
	t.Run("MIN-05 the lines below the comparison name the statements left, once for variants that leave the same", func(t *testing.T) {
		var done []executed
		for _, x := range []struct{ variant, found string }{
			{"full", ""},
			{"minimal", "SUB-12 SUB-08 SUB-10 SUB-08"},
			{"minimal-explore", "SUB-10 SUB-08 SUB-12"},
			{"minimal-error", "SUB-16"},
			{"", "SUB-18"},
		} {
			d := seen{}
			d.Emit(&transcript.Event{Body: &transcript.Finding{Rule: "definition", Detail: "DEF-01: another rule"}})
			for _, id := range strings.Fields(x.found) {
				d.Emit(&transcript.Event{Body: &transcript.Finding{Rule: "minimal", Detail: id + ": what: and where"}})
			}
			spec := &sim.Spec{Variant: x.variant, Scenario: &scenarios.Scenario{Name: "alone"}}
			done = append(done, executed{Run: &harness.Run{Spec: spec}, leaves: d.left()})
		}
		want := strings.Join([]string{"minimal, minimal-explore: " + sim.Departure("SUB-08") + "; " + sim.Departure("SUB-10") + "; " + sim.Departure("SUB-12"),
			"minimal-error: a sub-agent's error comes home unmarked", "alone: what a sub-agent uses is in nobody's counters"}, "\n")
		if got := strings.Join(leaves(done), "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}
