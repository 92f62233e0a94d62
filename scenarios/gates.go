package scenarios

import (
	"sort"

	"agentsim/sim/gate"
)

// Gate is the value of a gate, its default where the scenario does not say, and
// "" for an unknown one.
func (s *Scenario) Gate(name string) string {
	if v, ok := s.Gates[name]; ok {
		return v
	}
	if g := gate.Find(name); g != nil {
		return g.Default
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
