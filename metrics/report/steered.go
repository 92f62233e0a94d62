package report

import "agentsim/metrics"

// Steered says in a line for each variant how often its agents were steered from
// outside: asked about, denied, moved, killed.
func Steered(rows []Row) []string {
	var out []string
	for _, r := range rows {
		if line := steered(&r.Run.Total); line != "" {
			out = append(out, variantName(r)+" "+line)
		}
	}
	return out
}

func steered(t *metrics.Tally) string {
	line := ""
	for _, p := range []struct {
		n    int64
		text string
	}{
		{t.Prompts, "asked for permission " + count(t.Prompts, "time", "times")},
		{t.Denials, "had " + count(t.Denials, "tool use", "tool uses") + " denied"},
		{t.Backgrounded, "moved " + count(t.Backgrounded, "agent", "agents") + " to the background"},
		{t.Killed, "lost " + count(t.Killed, "agent", "agents") + " to aborts"},
	} {
		if p.n == 0 {
			continue
		}
		if line != "" {
			line += ", "
		}
		line += p.text
	}
	return line
}
