package cli

import (
	"fmt"
	"slices"

	"agentsim/sim"
)

// cause says in one sentence why a pair differs where that is not what was
// compared: other semantics, other prices, an edit of one scenario.
func (p *pair) cause() string {
	switch {
	case p.a.semantics > 0 && p.b.semantics > 0 && p.a.semantics != p.b.semantics:
		text := fmt.Sprintf("the tool's: A is of semantics %d, B of %d", p.a.semantics, p.b.semantics)
		if changed := sim.ChangedSince(min(p.a.semantics, p.b.semantics)); changed != "" {
			text += "; " + changed
		}
		if p.a.bare != p.b.bare {
			text += "; scenario or project are others too"
		}
		return text
	case p.a.bare != p.b.bare && p.a.key() == p.b.key():
		return "your change: B has another scenario or project than A has"
	case p.a.bare == p.b.bare && p.billed():
		return "the prices': the same events were billed otherwise"
	}
	return ""
}

// billed reports whether runs of equal events cost otherwise.
func (p *pair) billed() bool {
	same := func(a, b comparedRun) bool { return a.seed == b.seed && a.digest == b.digest }
	if !slices.EqualFunc(p.a.runs, p.b.runs, same) {
		return false
	}
	return slices.ContainsFunc(p.figures(), func(f figurePair) bool { return f.Name == "cost" && f.differs() })
}

// causes are those of all pairs, each once.
func (c *comparing) causes() (out []string) {
	for i := range c.pairs {
		text := c.pairs[i].cause()
		if text != "" && len(c.pairs) > 1 {
			text = c.pairs[i].a.name() + ": " + text
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
