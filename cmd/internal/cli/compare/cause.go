package compare

import (
	"fmt"

	"agentsim/metrics/report"
	"agentsim/metrics/sides"
	"agentsim/sim"
)

// causeOf says in one sentence why a pair differs where that is not what was
// compared: other semantics, other prices, an edit of one scenario.
func causeOf(p *sides.Pair) string {
	switch c := p.Cause(); {
	case c.Tool:
		text := fmt.Sprintf("the tool's: A is of semantics %d, B of %d", p.A.Semantics, p.B.Semantics)
		if changed := sim.ChangedSince(min(p.A.Semantics, p.B.Semantics)); changed != "" {
			text += "; " + changed
		}
		if c.Edited {
			text += "; scenario or project are others too"
		}
		return text
	case c.Edited:
		return "your change: B has another scenario or project than A has"
	case c.Prices:
		return "the prices': the same events were billed otherwise"
	}
	return ""
}

// causes are those of all pairs, each once.
func (c *comparing) causes() []string {
	var found report.Findings
	for i := range c.Pairs {
		found.Add(causeOf(&c.Pairs[i]), c.Pairs[i].A.Name(), 0)
	}
	return found.Lines(len(c.Pairs))
}
