package harness

import (
	"fmt"
	"strings"

	"agentsim/cmd/internal/ui"
	"agentsim/metrics"
	"agentsim/metrics/report"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// Open says why a run did not come to the end that its scenario wants, "" where it
// did: a root that failed did not finish either.
func (r *Run) Open() string {
	if r.Result.Outcome != sim.Completed {
		return Ending(r.Result)
	}
	return strings.Join(OpenRoots(r.Spec.Scenario, r.Metrics), "; ")
}

// Ending says what ended an unfinished run and what to do about it.
func Ending(r *sim.Result) string {
	switch r.Outcome {
	case sim.Interrupted:
		return fmt.Sprintf("interrupted at %s after %d events; what was recorded until then is whole", report.Time(r.End.Sub(0)), r.Events)
	case sim.Limited:
		return r.Detail + "; raise it with --set limits." + limitName(r.Detail) + "=…"
	}
	return string(r.Outcome) + ": " + r.Detail
}

// limitName is the second word of what a limit says.
func limitName(detail string) string {
	_, rest, _ := strings.Cut(detail, " ")
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// OpenRoots says of the roots that failed or reached their limit why, in one line
// where it is the same. A root that was killed is none: the scenario wants it so.
func OpenRoots(sc *scenarios.Scenario, r *metrics.Run) (out []string) {
	type root struct{ name, why string }
	var open []root
	for i := range r.Agents {
		a := &r.Agents[i]
		if a.Parent >= 0 || a.Lineage == "" {
			continue
		}
		switch a.Status {
		case transcript.EndMaxTurns:
			limit, key := turnsOf(sc, a)
			open = append(open, root{a.Lineage, fmt.Sprintf("reached the limit of %s (%s)", ui.Plural(limit, "turn"), key)})
		case transcript.EndFailed, transcript.EndRefused, transcript.EndMaxTokens, transcript.EndPaused:
			open = append(open, root{a.Lineage, string(a.Status) + ": " + a.Why})
		}
	}
	for _, alike := range ui.Alike(open, func(x root) string { return x.why }) {
		who := alike[0].name
		if more := len(alike) - 1; more > 0 {
			who += " and " + ui.Plural(more, "more root")
		}
		out = append(out, who+": "+alike[0].why)
	}
	return out
}

// turnsOf is the limit of turns that a root reached, and the key that sets it:
// the root's own, the scenario's, or what it counted where the scenario leaves it
// to the default.
func turnsOf(sc *scenarios.Scenario, a *metrics.Agent) (limit int, key string) {
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
