package compare

import (
	"fmt"

	"agentsim/metrics/compare"
	"agentsim/sim"
)

// causeOf says in one sentence why a pair differs where that is not what was
// compared: other semantics, other prices, an edit of one scenario.
func causeOf(p *compare.Pair) string {
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
func (c *comparing) causes() (out []string) {
	for i := range c.Pairs {
		text := causeOf(&c.Pairs[i])
		if text != "" && len(c.Pairs) > 1 {
			text = c.Pairs[i].A.Name() + ": " + text
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
