package sim

import (
	"fmt"

	"agentsim/cachemodel"
	"agentsim/scenarios"
	"agentsim/sim/transcript"
)

// What is assumed of children decides whether they are cheaper than one agent:
// how many begin in one answer, and which model each type of them has.

// childAssumed says which model a child has, "" for a root.
func childAssumed(b *transcript.AgentStart) string {
	switch b.Structure {
	case "root":
		return ""
	case "fork":
		return "forks on " + b.Model + ", the model of their parent"
	}
	return b.Type + " on " + b.Model
}

// agentsAssumed says that the agents which items name are not used, and why.
func agentsAssumed(sc *scenarios.Scenario) []string {
	why, items := sc.AgentsUnused()
	switch len(items) {
	case 0:
		return nil
	case 1:
		return []string{why + ": agent of " + items[0] + " has no effect"}
	}
	return []string{fmt.Sprintf("%s: agent of %s and %d more has no effect", why, items[0], len(items)-1)}
}

// spawnsAssumed says how many children begin in one answer, and where the work
// asks for more of them at once than that, whether the look-back would reach over
// so many. Nothing where nobody is spawned.
func spawnsAssumed(sc *scenarios.Scenario) []string {
	n, most := widest(sc), sc.Model.SpawnsPerTurn
	if sc.Structure.Base() == scenarios.Inline || n == 0 {
		return nil
	}
	switch s := sc.Model.AtOnce.Spawns; {
	case s.Set && s.Lo == s.Hi:
		return []string{fmt.Sprintf("%d spawns a turn", s.Lo)}
	case s.Set:
		return []string{fmt.Sprintf("%d to %d spawns a turn, drawn", s.Lo, s.Hi)}
	}
	text := fmt.Sprintf("%d spawns a turn", most)
	if n > most {
		text += fmt.Sprintf(" for %d items", n)
		if !sc.Provider.FourthMark && beyond(sc, n) && !beyond(sc, most) {
			text += ": all in one answer would be out of the look-back's reach; model.spawns_per_turn is how many begin in one answer"
		}
	}
	return []string{text}
}

// beyond reports whether so many calls of one answer lie between two marks of
// the plan for agents: the calls and their results, the text before them, and a
// fork's directive.
func beyond(sc *scenarios.Scenario, calls int) bool {
	positions := 2 * calls
	if sc.Model.Preamble {
		positions++
	}
	if sc.Structure.Base() == scenarios.Fork {
		positions++
	}
	return positions >= cachemodel.LookBack
}

// widest is how many of the children's items can begin at one time: the most
// that come after chains of equal length.
func widest(sc *scenarios.Scenario) (most int) {
	after, depth := map[string][]string{}, map[string]int{}
	for i := range sc.Work {
		after[sc.Work[i].ID] = sc.Work[i].After
	}
	var level func(id string) int
	level = func(id string) int {
		if depth[id] == 0 {
			deepest := 0
			for _, dep := range after[id] {
				deepest = max(deepest, level(dep))
			}
			depth[id] = deepest + 1
		}
		return depth[id]
	}
	count := map[int]int{}
	for i := range sc.Work {
		if sc.Work[i].By != "lead" {
			l := level(sc.Work[i].ID)
			count[l]++
			most = max(most, count[l])
		}
	}
	return most
}
