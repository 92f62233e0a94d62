package cli

import (
	"strings"

	"agentsim/cmd/internal/harness"
	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
)

// unfinished says which roots ended before their conversation did, and how many
// agents below them failed, for each variant.
func unfinished(done []executed) (out []string) {
	for _, x := range done {
		lines := harness.OpenRoots(x.spec.Scenario, x.metrics)
		if text := failedChildren(x.metrics); text != "" {
			lines = append(lines, text+", see agentsim inspect")
		}
		for _, line := range lines {
			if x.spec.Variant != "" && len(done) > 1 {
				line = x.spec.Variant + ": " + line
			}
			out = append(out, line)
		}
	}
	return out
}

// failedChildren counts the agents below the roots that did not come to an end of
// their own: what became of their work is an outcome, not an end.
func failedChildren(r *metrics.Run) string {
	count := map[string]int{}
	for i := range r.Agents {
		if a := &r.Agents[i]; a.Parent >= 0 {
			count[a.Status]++
		}
	}
	var parts []string
	for _, s := range [...]struct{ status, what string }{
		{"failed", "failed"}, {"refused", "refused"}, {"max_tokens", "cut off at max_tokens"}, {"pause_turn", "paused too often"},
		{"max_turns", "reached the limit of turns"},
	} {
		if n := count[s.status]; n > 0 {
			parts = append(parts, ui.Plural(n, "agent")+" "+s.what)
		}
	}
	return strings.Join(parts, ", ")
}
