package scenarios

import "agentsim/scenarios/document"
import "slices"

// scope holds the scope against the work.
func (c *checker) scope() {
	var ids []string
	known, seen := map[string]bool{}, map[string]bool{}
	for _, it := range c.s.Work {
		ids = append(ids, it.ID)
		known[it.ID] = true
	}
	for i, id := range c.s.Scope {
		path := "scope[" + itoa(i) + "]"
		if len(ids) > 0 && !known[id] && !c.Errs.Full() {
			c.bad(path, document.DidYouMeanOr(id, ids), "the scope names %q, which is no work item", id)
		}
		if seen[id] {
			c.bad(path, "", "the scope names %q twice", id)
		}
		seen[id] = true
	}
}

// narrow leaves the items of the scope and forgets the scope, so that a scenario
// has one meaning and one text.
func (s *Scenario) narrow() {
	if len(s.Scope) == 0 {
		return
	}
	out := func(id string) bool { return !slices.Contains(s.Scope, id) }
	s.Work = slices.DeleteFunc(slices.Clone(s.Work), func(it Item) bool { return out(it.ID) })
	for i := range s.Work {
		s.Work[i].After = slices.DeleteFunc(slices.Clone(s.Work[i].After), out)
	}
	s.Scope = nil
}
