package scenarios

import (
	"path"
	"reflect"

	"agentsim/scenarios/document"
)

// section is a top-level part of a scenario that nothing reads.
type section struct{ key, why string }

// unusedSections lists the parts that nothing in this scenario reads, whether
// they are given or not.
func (s *Scenario) unusedSections() (out []section) {
	add := func(unused bool, key, why string) {
		if unused {
			out = append(out, section{key, why})
		}
	}
	work, spawns := s.hasWork(), s.spawns()
	add(s.allScripted(), "work", "every root has a script, so nobody begins it")
	add(s.allScripted(), "structure", "every root has a script, so nobody follows it")
	add(!work, "scope", "there is no work for it")
	add(!work, "project.facts", "only work needs facts")
	add(!work, "model", "only the policy reads it, and there is no work for it")
	add(!s.Coordinates(), "coordinator", "nobody coordinates: "+coordinatorGate+" and "+coordinatorEnvGate+" are not both on")
	add(!work || !spawns, "type", "nobody is spawned")
	add(work && s.Strategy() == "coordinator", "type", "a coordinator starts workers and nobody else")
	add(!spawns, "fan_out", "nobody is spawned")
	add(s.Stack != MinimalStack, "minimal", "only stack minimal reads it")
	add(!spawns, "forks", "nobody is spawned")
	s.unusedInjections(add)
	return out
}

func (s *Scenario) hasWork() bool { return len(s.Work) > 0 && !s.allScripted() }

// spawns tells whether agents may spawn others: by strategy, or by a script
// that calls Agent.
func (s *Scenario) spawns() bool {
	if s.hasWork() && s.Strategy() != "inline" {
		return true
	}
	for _, sc := range s.Scripts {
		for _, t := range sc.Turns {
			for _, u := range t.Tools {
				if document.Contains(s.spawnTools(), u.Name) {
					return true
				}
			}
		}
	}
	return false
}

// allScripted tells whether scripts speak for every root.
func (s *Scenario) allScripted() bool {
	for _, r := range s.rootNames() {
		found := false
		for _, sc := range s.Scripts {
			ok, err := path.Match(sc.Agent, r)
			found = found || err == nil && ok
		}
		if !found {
			return false
		}
	}
	return true
}

// usedFacts are the facts that some item needs or yields, or that make its edits
// wrong.
func (s *Scenario) usedFacts() map[string]bool {
	used := map[string]bool{}
	for _, it := range s.Work {
		for _, n := range it.Knows {
			used[n] = true
		}
		for _, y := range it.Yields {
			used[y] = true
		}
		for _, p := range it.Pitfalls {
			used[p] = true
		}
		for _, m := range it.MisledBy {
			used[m] = true
		}
	}
	return used
}

// unused reports given sections that nothing reads.
func (c *checker) unused() {
	idle := map[string]bool{}
	for _, x := range c.s.unusedSections() {
		idle[x.key] = true
		if c.Given(x.key) {
			c.badKey(x.key, "take it away", "unused section %q: %s", x.key, x.why).Unused = true
		}
	}
	c.unusedObeys()
	used := c.s.usedFacts()
	for i, f := range c.s.Project.Facts {
		if !idle["project.facts"] && !used[f.Name] {
			c.Errs.Add(c.Where("project.facts["+itoa(i)+"].name"), "name it in knows, yields, pitfalls or misled_by, or take it away", "unused fact %q", f.Name).Unused = true
		}
	}
}

// trim sets what nothing reads back to its default, so that a scenario has one
// meaning and one text.
func (s *Scenario) trim() {
	s.trimStack()
	s.narrow()
	s.trimTests()
	s.trimCoordinator()
	if s.idleChildren() != "" {
		s.Permissions.Children = ""
	}
	s.Model.Obeys = s.Model.Obeys && !s.obeysNothing()
	v, def := reflect.ValueOf(s).Elem(), reflect.ValueOf(Defaults()).Elem()
	for _, x := range s.unusedSections() {
		if f, ok := document.Reach(v, x.key); ok {
			d, _ := document.Reach(def, x.key)
			f.Set(d)
		}
	}
	used := s.usedFacts()
	var facts []Fact
	for _, f := range s.Project.Facts {
		if used[f.Name] {
			facts = append(facts, f)
		}
	}
	s.Project.Facts = facts
}
