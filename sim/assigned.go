package sim

import "agentsim/sim/mark"

// Assigned says which kinds of work a text assigns by the marks of the spec's own
// items, in order: what metrics.Options.Assigned asks. It is nil where the
// scenario has no work.
func (s *Spec) Assigned() func(text string) []string {
	if len(s.Scenario.Work) == 0 {
		return nil
	}
	kinds := map[string]string{}
	for i := range s.Scenario.Work {
		kinds[s.Scenario.Work[i].ID] = s.Scenario.Work[i].Kind
	}
	marks := mark.NewKey(s.Seed())
	return func(text string) (out []string) {
		marks.Scan(text, func(m mark.Mark) {
			if kind := kinds[m.Args[0]]; m.Verb == mark.Do && kind != "" {
				out = append(out, kind)
			}
		})
		return out
	}
}
