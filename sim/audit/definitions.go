package audit

import "agentsim/sim/transcript"

// sources are those of definitions, each stronger than those before it.
var sources = map[string]int{"plugin": 1, "userSettings": 2, "projectSettings": 3, "flagSettings": 4, "policySettings": 5}

// definitions hold, for each type of agent that a source defines, how strong the
// source in force is, and the strongest that gave way to it; 0 is none.
type definitions struct {
	*ledger
	inForce, gave map[string]int
}

// definition is DEF-02: no definition gives way to that of a weaker source.
func (x *definitions) definition(b *transcript.Definition) {
	switch rank := sources[b.Source]; b.Outcome {
	case "loaded", "shadows the built-in":
		x.inForce[b.Type] = rank
	case "overridden":
		x.gave[b.Type] = max(x.gave[b.Type], rank)
	}
	if is := x.inForce[b.Type]; is > 0 && x.fails(def02, x.gave[b.Type] <= is) {
		x.report(def02, nil, "type "+b.Type+" as the strongest of its sources defines it", "as a weaker one does")
	}
}
