package scenarios

import (
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
