package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/metrics"
	"agentsim/scenarios"
	"agentsim/scenarios/expect"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// figures are what the variants of a scenario of the library came to.
type figures struct {
	file *scenarios.File
	of   map[string]*metrics.Run
	log  map[string]string // the canonical events
}

// playLibrary runs every variant of a scenario of the library.
func playLibrary(t *testing.T, name, policy string, seed uint64) *figures {
	t.Helper()
	file, err := scenarios.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	f := &figures{file: file, of: map[string]*metrics.Run{}, log: map[string]string{}}
	for _, variant := range file.VariantNames() {
		sc, err := file.Effective(variant, nil)
		if err != nil {
			t.Fatal(err)
		}
		sc.Seed = seed
		spec, err := sim.NewSpec(sc, variant)
		if err != nil {
			t.Fatal(err)
		}
		spec.Policy = policy
		fold := metrics.New(metrics.Options{Items: len(sc.Work), Price: sc.Provider.Priced, Assigned: spec.Assigned()})
		var log strings.Builder
		runOf(t, spec, fold, transcript.NewText(&log))
		f.of[variant], f.log[variant] = fold.Run(), log.String()
	}
	return f
}

// broken lists the expectations that do not hold once variants stand for others.
func (f *figures) broken(as map[string]string) (out []string) {
	lookup := func(variant, subject, metric string) (metrics.Value, bool) {
		if other, ok := as[variant]; ok {
			variant = other
		}
		return metrics.Lookup(f.of[variant], subject, metric)
	}
	for _, x := range f.file.Expect {
		for _, r := range x.Evaluate(lookup) {
			if r.Verdict != expect.Pass {
				out = append(out, strings.TrimSpace(r.Variant+" "+x.Text+": "+r.Verdict.String()))
			}
		}
	}
	return out
}

// underPolicies runs a scenario first in, first out, and under random schedules
// of three seeds.
func underPolicies(t *testing.T, name string, each func(f *figures)) {
	t.Helper()
	each(playLibrary(t, name, "fifo", 42))
	for seed := range uint64(3) {
		each(playLibrary(t, name, "random", seed+1))
	}
}

func TestLed(t *testing.T) {
	t.Run("CRD-10 the table gets everything done for less than always spawning, always continuing costs less and leaves items undone; what each extreme comes to would not pass for the table", func(t *testing.T) {
		underPolicies(t, "continue-or-spawn", func(f *figures) {
			if bad := f.broken(nil); bad != nil {
				t.Errorf("%q", bad)
			}
			for extreme, least := range map[string][]string{
				"continue": {"table items.done == table.items.total", "continue.cost < table.cost", "table.tokens.read < continue.tokens.read", "table.agents > continue.agents"},
				"spawn":    {"table.cost < spawn.cost", "table.tokens.written < spawn.tokens.written", "table.reads < spawn.reads", "table.agents < spawn.agents"},
			} {
				bad := strings.Join(f.broken(map[string]string{"table": extreme}), "\n")
				for _, want := range least {
					if first, rest, _ := strings.Cut(want, " "); !strings.Contains(bad, rest) || !strings.Contains(bad, first) {
						t.Errorf("%s passes for the table in %s:\n%s", extreme, want, bad)
					}
				}
			}
		})
	})
	t.Run("CRD-12 each row of the recovery table goes the way that the table says, and a worker that failed is told of with its error", func(t *testing.T) {
		underPolicies(t, "recovery", func(f *figures) {
			if bad := f.broken(nil); bad != nil {
				t.Errorf("%q", bad)
			}
			for pair, want := range map[string]string{"tests-fail tests-fail-anew": "tests-fail.cost", "wrong-approach anchored": "anchored.items.failed",
				"stopped stopped-anew": "stopped.reads", "error error-anew": "error.cost"} {
				one, other, _ := strings.Cut(pair, " ")
				swapped := f.broken(map[string]string{one: other, other: one})
				if !slices.ContainsFunc(swapped, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("%s could stand for each other: %q", pair, swapped)
				}
			}
			if !strings.Contains(f.log["error"], `status=failed why="API error 500 api_error: internal server error"`) {
				t.Error("nothing says why the worker failed")
			}
		})
	})
	t.Run("CRD-13 CRD-09 two writers of one file do work again and leave a defect that tests of one of them do not see; one after the other does not", func(t *testing.T) {
		underPolicies(t, "two-writers", func(f *figures) {
			if bad := f.broken(nil); bad != nil {
				t.Errorf("%q", bad)
			}
			if bad := strings.Join(f.broken(map[string]string{"at-once": "in-turn"}), "\n"); !strings.Contains(bad, "at-once.items.wrong") {
				t.Errorf("in-turn passes for at-once:\n%s", bad)
			}
			for _, v := range []string{"at-once", "tested-last"} {
				if n := strings.Count(f.log[v], "name=Edit error=true"); n != 1 {
					t.Errorf("%s: %d edits were refused", v, n)
				}
			}
			if strings.Contains(f.log["in-turn"], "name=Edit error=true") {
				t.Error("in-turn: an edit was refused")
			}
		})
	})
}
