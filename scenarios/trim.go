package scenarios

import "slices"

// trim sets what nothing reads back to its default, so that a scenario has one
// meaning and one text.
func (s *Scenario) trim() {
	s.trimStack()
	s.narrow()
	unread, def := setBack(s), Defaults()
	for _, x := range unread {
		if f, rest := fieldAt(s, x.key); f.IsValid() && rest == "" {
			d, _ := fieldAt(def, x.key)
			f.Set(d)
		}
	}
	gone := func(key string) bool {
		return slices.ContainsFunc(unread, func(x section) bool { return x.key == key })
	}
	s.Project.Facts = kept(s.Project.Facts, func(i int) bool { return gone("project.facts." + step(s.Project.Facts[i].Name, i)) })
	s.Project.Tests = kept(s.Project.Tests, func(i int) bool { return gone("project.tests." + itoa(i+1)) })
	s.GateFlips = kept(s.GateFlips, func(i int) bool { return gone("gate_flips." + itoa(i+1)) })
	for _, name := range workerGates {
		if gone("gates." + name) {
			s.Gates[name] = "false"
		}
	}
}

// setBack lists what nothing in a scenario reads and what is therefore set back to its default.
func setBack(s *Scenario) []section {
	return append(ruled(s, func(f fate) bool { return f == trimmed }), unusedParts(s)...)
}
