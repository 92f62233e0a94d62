package sim

import (
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/transcript"
)

// TestBooks runs a world of forks and then bends the server's books.
func TestBooks(t *testing.T) {
	t.Run("CACHE-L6 SUB-18 MET-02 the server's bill is the agents' consumption and the roots' roll-up, to the token", func(t *testing.T) {
		f, err := scenarios.Open("fan-out")
		if err != nil {
			t.Fatal(err)
		}
		sc, err := f.Effective("eight", nil)
		if err != nil {
			t.Fatal(err)
		}
		sc.Faults = []string{"drop after event=2 agent=main/2.3", "529 agent=main/2.4"}
		sc.Seed = 1
		spec, err := NewSpec(sc, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := build(spec, nil, transcript.NewDigest())
		if err != nil {
			t.Fatal(err)
		}
		if err := r.kernel.Run(); err != nil {
			t.Fatal(err)
		}
		if err := r.laws(Completed); err != nil {
			t.Fatal(err)
		}
		for _, bend := range []func(){
			func() { r.engine.billed.Read++ },
			func() { r.engine.billed.Read--; r.engine.billed.Output-- },
		} {
			bend()
			if err := r.laws(Completed); err == nil || !strings.Contains(err.Error(), "CACHE-L6") {
				t.Errorf("bent books passed: %v", err)
			}
			if err := r.laws(Interrupted); err != nil {
				t.Errorf("a run that was cut off has no books to close: %v", err)
			}
		}
	})
}
