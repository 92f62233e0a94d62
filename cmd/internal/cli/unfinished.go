package cli

import (
	"fmt"
	"strings"

	"agentsim/metrics"
)

// unfinished says which roots ended before their conversation did, and how many
// agents below them failed, for each variant.
func unfinished(done []executed) (out []string) {
	for _, x := range done {
		lines := unfinishedRoots(x)
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

// unfinishedRoots says of each root that failed or reached its limit why. A root
// that was killed is none: the scenario wants it so.
func unfinishedRoots(x executed) (out []string) {
	for i := range x.metrics.Agents {
		a := &x.metrics.Agents[i]
		if a.Parent >= 0 || a.Lineage == "" {
			continue
		}
		switch a.Status {
		case "max_turns":
			out = append(out, fmt.Sprintf("%s: reached the limit of %s (limits.turns)", a.Lineage, plural(turnsOf(x, a), "turn")))
		case "failed":
			out = append(out, a.Lineage+": failed: "+a.Why)
		}
	}
	return out
}

// turnsOf is the limit of turns that a root reached: the scenario's, or what it
// counted where the scenario leaves it to the default.
func turnsOf(x executed, a *metrics.Agent) int {
	if n := x.spec.Scenario.Limits.Turns; n > 0 {
		return n
	}
	return a.Turns
}

// failedChildren counts the agents below the roots that failed or reached their
// limit of turns: what became of their work is an outcome, not an end.
func failedChildren(r *metrics.Run) string {
	failed, limited := 0, 0
	for i := range r.Agents {
		switch a := &r.Agents[i]; {
		case a.Parent < 0:
		case a.Status == "failed":
			failed++
		case a.Status == "max_turns":
			limited++
		}
	}
	var parts []string
	if failed > 0 {
		parts = append(parts, plural(failed, "agent")+" failed")
	}
	if limited > 0 {
		parts = append(parts, plural(limited, "agent")+" reached the limit of turns")
	}
	return strings.Join(parts, ", ")
}
