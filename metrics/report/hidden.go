package report

import (
	"fmt"
	"strings"

	"agentsim/cachemodel"
	"agentsim/sim/llm"
)

// Hidden says of each run what requests cost that the client sent on its own and what
// side questions did, and what the others came to beside a run that had none: what they
// renewed is part of that.
func Hidden(rows []Row) (out []string) {
	return append(beside(rows, llm.HiddenSuffix, "hidden request"), beside(rows, llm.AsideSuffix, "side question")...)
}

// beside is Hidden for agents whose lineages have the suffix.
func beside(rows []Row, suffix, what string) (out []string) {
	plain := -1
	for i, r := range rows {
		if n, _ := hidden(r, suffix); n == 0 && plain < 0 {
			plain = i
		}
	}
	for _, r := range rows {
		n, cost := hidden(r, suffix)
		if n == 0 || len(r.Run.Unpriced()) > 0 {
			continue
		}
		text := fmt.Sprintf("%s of %s cost %s", count(n, what, what+"s"), variantName(r), Money(cost))
		if plain >= 0 && len(rows[plain].Run.Unpriced()) == 0 {
			saved, side := rows[plain].Run.Total.Cost-(r.Run.Total.Cost-cost), "less"
			if saved < 0 {
				saved, side = -saved, "more"
			}
			text += fmt.Sprintf("; the others cost %s %s than in %s", Money(saved), side, variantName(rows[plain]))
		}
		out = append(out, text)
	}
	return out
}

// hidden is how many agents of a run have lineages with the suffix, and what they cost.
func hidden(r Row, suffix string) (n int64, cost cachemodel.Picodollars) {
	for i := range r.Run.Agents {
		if a := &r.Run.Agents[i]; strings.Contains(a.Lineage, suffix) {
			n, cost = n+1, cost+a.Tally.Cost
		}
	}
	return n, cost
}
