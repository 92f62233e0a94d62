package scenarios

import (
	"maps"
	"slices"

	"agentsim/scenarios/document"
)

// unusedFacts are the facts that no item needs or yields, and that make no item's
// edits wrong.
func (s *Scenario) unusedFacts() (out []section) {
	used := map[string]bool{}
	for _, it := range s.Work {
		for _, name := range slices.Concat(it.Knows, it.Yields, it.Pitfalls, it.MisledBy) {
			used[name] = true
		}
	}
	for i, f := range s.Project.Facts {
		if !used[f.Name] {
			out = append(out, section{"project.facts." + step(f.Name, i), "no item names " + document.Quoted(f.Name) + " in knows, yields, pitfalls or misled_by", trimmed})
		}
	}
	return out
}

// unusedTests are the tests that no item runs; a scripted agent may run any, and so
// may one that wanders.
func (s *Scenario) unusedTests() (out []section) {
	for i, t := range s.Project.Tests {
		runs := func(it Item) bool {
			return slices.ContainsFunc(it.Runs, func(r string) bool { return command(r) == command(t.Command) })
		}
		if len(s.Scripts) == 0 && !s.Model.Wander.Uses.Set && !slices.ContainsFunc(s.Work, runs) {
			out = append(out, section{"project.tests." + itoa(i+1), "no item runs " + document.Quoted(t.Command), trimmed})
		}
	}
	return out
}

// unusedFlips are the flips of gates that only a coordinator's workers read.
func (s *Scenario) unusedFlips() (out []section) {
	for i, f := range s.GateFlips {
		if slices.Contains(workerGates, f.Gate) && !s.Coordinates() && !s.minimal() {
			out = append(out, section{"gate_flips." + itoa(i+1), forWorkers, trimmed})
		}
	}
	return out
}

// unusedAliases are the names of models that nobody asks for. What definitions ask
// for only a run finds out.
func (s *Scenario) unusedAliases() (out []section) {
	if s.definesAgents() {
		return nil
	}
	p := &s.Provider
	used := map[string]bool{"haiku": s.exploresOnHaiku()}
	used[p.Model], used[p.SubagentModel] = true, true
	for _, it := range s.Work {
		used[it.Agent.Model] = true
		used["haiku"] = used["haiku"] || s.onHaiku(it.Agent.Type)
	}
	s.scriptsSpawn(func(typ string) bool {
		used["haiku"] = used["haiku"] || typ == "Explore"
		return false
	})
	for _, name := range slices.Sorted(maps.Keys(p.Aliases)) {
		if !used[name] && !s.asks(name) {
			out = append(out, section{"provider.aliases." + name, "nobody asks for model " + name, quiet})
		}
	}
	return out
}
