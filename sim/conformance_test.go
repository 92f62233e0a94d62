package sim_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/gate"
	"agentsim/sim/transcript"
	"agentsim/sim/workspace"
)

func TestConformance(t *testing.T) {
	t.Run("KRN-01 a run is a function of its spec: environment and time of day do not go in", func(t *testing.T) {
		for name := range structures {
			a := runOf(t, workSpec(t, name))
			t.Setenv("TZ", "Pacific/Chatham")
			t.Setenv("LANG", "de_DE.UTF-8")
			t.Setenv("HOME", os.TempDir())
			b := runOf(t, workSpec(t, name))
			if a.Digest != b.Digest || a.RunID != b.RunID {
				t.Errorf("%s: %s became %s", name, a.Digest, b.Digest)
			}
		}
	})
	t.Run("KRN-03 CON-05 policy, seed, scenario, files and variant are the run's identity, and nothing else is", func(t *testing.T) {
		base := workSpec(t, "fork")
		ids := map[string]string{base.RunID(): "base"}
		vary := func(what string, change func(s *sim.Spec)) {
			s := workSpec(t, "fork")
			change(s)
			if prev, dup := ids[s.RunID()]; dup {
				t.Errorf("%s has the id of %s", what, prev)
			}
			ids[s.RunID()] = what
		}
		vary("another policy", func(s *sim.Spec) { s.Policy = "random" })
		vary("another seed", func(s *sim.Spec) { s.Scenario.Seed++ })
		vary("another variant", func(s *sim.Spec) { s.Variant = "x" })
		vary("another scenario", func(s *sim.Spec) { s.Scenario.Model.ReadsPerTurn++ })
		vary("other files", func(s *sim.Spec) { s.Project = oneFile(t) })
		if again := workSpec(t, "fork").RunID(); ids[again] != "base" {
			t.Error("an equal spec has another id")
		}
	})
	t.Run("KRN-03 the random policy orders ties by its seed and repeats itself", func(t *testing.T) {
		digests := map[string]bool{}
		for seed := range uint64(8) {
			s := workSpec(t, "fork")
			s.Policy, s.Scenario.Seed = "random", seed
			a, b := runOf(t, s), runOf(t, s)
			if a.Digest != b.Digest {
				t.Fatalf("seed %d gave two digests", seed)
			}
			digests[a.Digest] = true
		}
		if len(digests) < 2 {
			t.Error("eight seeds gave one order")
		}
	})
	t.Run("KRN-04 CON-16 an added conversation moves no draw of another", func(t *testing.T) {
		alone := linesOf(t, workSpec(t, "fork"))
		text := strings.Replace(workText("fork"), "script:\n  main:\n    user: Make it safe.\n", `
script:
  roots:
    - {name: main, user: Make it safe.}
    - {name: other, at: 1s, user: Hello., workspace: elsewhere}
  answers:
    - agent: other
      turns: [{text: {tokens: {uniform: [10, 400]}}}]
`, 1)
		both := linesOf(t, specOf(t, text, ""))
		if want, got := responses(alone, "0"), responses(both, "0"); !slices.Equal(want, got) {
			t.Errorf("the lead's answers moved:\n%s\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
		}
	})
	t.Run("KRN-07 a panic of ours names seed, instant, process, the last events and the command that repeats it", func(t *testing.T) {
		_, err := sim.Run(workSpec(t, "fork"), sim.Options{Sinks: []transcript.Sink{bomb{}}, Repeat: "agentsim run x --seed 42"})
		var bug *sim.BugError
		if !errors.As(err, &bug) {
			t.Fatalf("got %v", err)
		}
		if bug.Seed != 42 || bug.Process != "main" || bug.Instant == 0 || bug.Repeat == "" || len(bug.Events) == 0 || !strings.Contains(bug.Stack, "Emit") {
			t.Errorf("%+v", bug)
		}
		if last := bug.Events[len(bug.Events)-1]; !strings.Contains(last, " item ") {
			t.Errorf("the last event is %s", last)
		}
	})
	t.Run("GATE-01 scenarios and the agent stack know the same gates with the same defaults", func(t *testing.T) {
		var have gate.Set
		for name, v := range scenarios.Defaults().Gates {
			if err := have.Set(name, v); err != nil {
				t.Error(err)
			}
		}
		if have != gate.Default() || len(scenarios.Defaults().Gates) != len(gate.All()) {
			t.Errorf("a scenario begins with %+v", have)
		}
	})
	t.Run("REC-04 a replay finds the first event that differs, and its field", func(t *testing.T) {
		lines := linesOf(t, workSpec(t, "subagent"))
		if _, diff, err := sim.Replay(workSpec(t, "subagent"), seq(lines), sim.Options{}); diff != nil || err != nil {
			t.Fatal(diff, err)
		}
		bent := slices.Clone(lines)
		bent[7] = strings.Replace(bent[7], "s 1 ", "9s 1 ", 1)
		_, diff, err := sim.Replay(workSpec(t, "subagent"), seq(bent), sim.Options{})
		if err != nil || diff == nil || diff.Index != 7 || diff.Field != "instant" {
			t.Errorf("%v %v", diff, err)
		}
	})
}

func oneFile(t *testing.T) *workspace.Snapshot {
	s, err := workspace.NewSnapshot(map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bomb panics at the first item that is done.
type bomb struct{}

func (bomb) Emit(e *transcript.Event) {
	if e.Body.Kind() == transcript.KindItem {
		panic("bomb")
	}
}

// responses are an agent's answers without sequence numbers.
func responses(lines []string, agent string) []string {
	var out []string
	for _, l := range lines {
		if f := strings.SplitN(l, " ", 5); f[3] == agent && strings.HasPrefix(f[4], "response ") {
			out = append(out, f[1]+" "+f[4])
		}
	}
	return out
}

func seq(lines []string) func(func(string, error) bool) {
	return func(yield func(string, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}
