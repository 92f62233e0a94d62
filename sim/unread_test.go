package sim_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
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

// TestDecisive holds what runs say of settings that decided nothing in them against runs
// without these.
func TestDecisive(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a part of the library for each key")
	}
	sets := map[string]string{"fan_out.hold": "first-response", "fan_out.cap": "100ms", "forks.rerender": "true", "forks.fresh_decisions": "true",
		"coordinator.workers": "spawn", "coordinator.synthesis": "needed", "coordinator.broad": "1", "coordinator.corrections": "0", "coordinator.approaches": "0",
		"coordinator.overlap": "true", "model.gist_tokens": "70", "gates.USER_TYPE": "ant"}
	for _, path := range scenarios.Decisive() {
		if strings.HasPrefix(path, "gates.") && sets[path] == "" {
			sets[path] = strconv.FormatBool(path != "gates.tengu_slim_subagent_claudemd")
		}
	}
	decided, idle := map[string]bool{}, map[string]bool{}
	t.Run("SCN-04 a setting of which a run says that nothing came out otherwise changes no event but the first, and every other one does", func(t *testing.T) {
		for _, of := range []string{"coordinator", "continue-or-spawn wrong-continue", "recovery tests-fail", "recovery nobody-gets-it", "two-writers in-turn", "fan-out at-once",
			"auto-background waits", "custom-agents own", "flipped-gate shared", "flipped-gate no-flip", "content-replacement shared", "agent-servers own", "hello", "day-session 5m",
			"explore-or-fork explore", "nested every-level", "lazy-delegation full", "fan-out held", "all-ways small-coordinator", "continue-or-spawn recent-continue",
			"continue-or-spawn verify-spawn", "agent-servers too-late"} {
			name, variant, _ := strings.Cut(of, " ")
			f, err := scenarios.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			known := map[string]ran{}
			for _, path := range scenarios.Decisive() {
				set := path + "=" + sets[path]
				if f.Unread(variant, []string{set}, set) != "" {
					continue
				}
				with, unmet := ranWith(t, known, f, variant, set)
				without, _ := ranWith(t, known, f, variant, path+"=null")
				if with == nil || without == nil {
					continue
				}
				told := slices.Contains(unmet, path)
				if same := slices.Equal(with, without); same != told && path != "forks.rerender" { // which is an event itself
					t.Errorf("%s: %s: no event differs: %v, told: %v", of, set, same, told)
				}
				decided[path], idle[path] = decided[path] || !told, idle[path] || told
			}
		}
	})
	for _, path := range scenarios.Decisive() {
		if !decided[path] || !idle[path] && path != "gates.FORK_SUBAGENT" && path != "fan_out.cap" { // which nothing of the library has in vain
			t.Errorf("of what is looked at %s decides something: %v, decides nothing: %v", path, decided[path], idle[path])
		}
	}
}

// ran are the events but the first of a run, and what met nothing in it.
type ran struct{ lines, unmet []string }

// ranWith is a variant's run with an override, which is known if its spec is; nil where it
// is no scenario, or its run fails.
func ranWith(t *testing.T, known map[string]ran, f *scenarios.File, variant, set string) (lines, unmet []string) {
	t.Helper()
	sc, err := f.Effective(variant, []string{set})
	if err != nil {
		return nil, nil
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	id := spec.RunID()
	if r, ok := known[id]; ok {
		return r.lines, r.unmet
	}
	var text strings.Builder
	if r, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{transcript.NewText(&text)}}); err == nil {
		known[id] = ran{strings.Split(text.String(), "\n")[1:], r.Unmet}
	}
	return known[id].lines, known[id].unmet
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
