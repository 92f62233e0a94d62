package agent_test

import (
	"testing"

	"agentsim/sim/agent"
	"agentsim/sim/gate"
)

func TestGates(t *testing.T) {
	t.Run("GATE-02 a gate that does not exist or a value it cannot have is refused, and nothing flips", testGateErrors)
}

func testGateErrors(t *testing.T) {
	s := newStory(t)
	s.root("go")
	s.at(0, func(w *agent.World) error {
		for name, value := range map[string]string{"NO_SUCH_GATE": "true", "KAIROS": "perhaps"} {
			if err := w.FlipGate(name, value); err == nil {
				t.Errorf("%s=%s was accepted", name, value)
			}
		}
		return nil
	})
	s.run()
	if n := len(s.eventsOf("gate")); n != 0 || *s.world.Gates() != gate.Default() {
		t.Error(n, "flips recorded")
	}
}
