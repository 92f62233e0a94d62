package sim_test

import (
	"slices"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

// TestUnread holds what is told as unread against runs.
func TestUnread(t *testing.T) {
	t.Run("SCN-04 what nothing reads, as it is told, changes no event of a run but the first", func(t *testing.T) {
		if testing.Short() {
			t.Skip("runs a part of the library for each key")
		}
		sets := []string{"model.prompting=lazy", "model.prompt_budget=40", "model.spawns_per_turn=1", "provider.subagent_model=claude-haiku-5-5",
			"provider.subagent_ttl=1h", "provider.plan_limit_at=1s", "coordinator.broad=1", "model.think_tokens=9",
			"retry.max=1", "tools.preview=500", "fan_out.cap=1s"}
		idle := map[string]int{}
		for _, name := range []string{"fork-vs-subagent", "coordinator", "fan-out", "custom-agents", "nested", "hello", "flipped-gate"} {
			f, err := scenarios.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, variant := range f.VariantNames() {
				var want []string
				for _, set := range sets {
					if f.Unread(variant, []string{set}, set) == "" {
						continue
					}
					if want == nil {
						want = linesOf(t, effective(t, f, variant))[1:]
					}
					idle[set]++
					if !slices.Equal(want, linesOf(t, effective(t, f, variant, set))[1:]) {
						t.Errorf("%s %s: %s has an effect", name, variant, set)
					}
				}
			}
		}
		for _, set := range sets {
			if idle[set] == 0 {
				t.Errorf("%s is read in all variants that are looked at", set)
			}
		}
	})
}

// effective is a spec of a file's variant.
func effective(t *testing.T, f *scenarios.File, variant string, sets ...string) *sim.Spec {
	t.Helper()
	sc, err := f.Effective(variant, sets)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}
