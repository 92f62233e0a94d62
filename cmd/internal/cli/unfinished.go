package cli

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
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
			limit, key := turnsOf(x, a)
			out = append(out, fmt.Sprintf("%s: reached the limit of %s (%s)", a.Lineage, ui.Plural(limit, "turn"), key))
		case "failed", "refused", "max_tokens", "pause_turn":
			out = append(out, a.Lineage+": "+a.Status+": "+a.Why)
		}
	}
	return out
}

// turnsOf is the limit of turns that a root reached, and the key that sets it:
// the root's own, the scenario's, or what it counted where the scenario leaves it
// to the default.
func turnsOf(x executed, a *metrics.Agent) (limit int, key string) {
	sc := x.spec.Scenario
	roots := sc.Roots
	if sc.Main != nil {
		roots = append(roots[:len(roots):len(roots)], *sc.Main)
	}
	for i := range roots {
		if r := &roots[i]; r.MaxTurns > 0 && (r.Name == a.Lineage || r.Name == "" && a.Lineage == "main") {
			return r.MaxTurns, "max_turns"
		}
	}
	if n := sc.Limits.Turns; n > 0 {
		return n, "limits.turns"
	}
	return a.Turns, "limits.turns"
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
