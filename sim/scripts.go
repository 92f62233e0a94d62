package sim

import (
	"strings"

	"agentsim/scenarios"
	"agentsim/sim/llm"
)

// idOpen and idClose stand around a lineage in a scripted tool input: $id(main/1.1)
// is the id that the agent of that lineage has in a run of this seed.
const (
	idOpen  = "$id("
	idClose = ")"
)

// scripts are the scenario's, with ids in the place of lineages.
func (r *run) scripts() []scenarios.Script {
	out := append([]scenarios.Script(nil), r.spec.Scenario.Scripts...)
	for i := range out {
		out[i].Turns = append([]scenarios.Turn(nil), out[i].Turns...)
		for j := range out[i].Turns {
			t := &out[i].Turns[j]
			for k := range t.Tools {
				if strings.Contains(t.Tools[k].Raw, idOpen) {
					t.Tools = append([]scenarios.ToolTurn(nil), t.Tools...)
					t.Tools[k].Raw = r.withIDs(t.Tools[k].Raw)
				}
			}
		}
	}
	return out
}

// withIDs is a text with ids in the place of lineages. What is not closed stays.
func (r *run) withIDs(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, idOpen)
		lineage, after, closed := strings.Cut(rest, idClose)
		if !found || !closed {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before + llm.AgentID(r.key.Sub("agents").Sub(lineage).Sub("agent").Seen()).String())
		s = after
	}
}
