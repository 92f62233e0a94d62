package reprice_test

import (
	"errors"
	"testing"

	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/reprice"
	"agentsim/sim/transcript/sqlite"
)

// evenly makes reading as slow as computing, so that no answer begins sooner or
// later for what the cache holds.
var evenly = []string{"provider.latency.prefill=20us", "provider.latency.read=20us"}

// asked are settings and the runs in which they are asked: scenarios of the library
// and cases.
var asked = []struct{ sets, entries []string }{
	{[]string{"provider.ttl=1h"}, []string{"nested", "abort-tree", "stopped-and-resumed", "recorded-notebook"}},
	{[]string{"provider.ttl=5m"}, []string{"long pauses", "fork-after-compaction"}},
	{[]string{"provider.ttl=1h", "provider.plan_limit_at=20s"}, []string{"warmed", "nested", "long pauses"}},
	{[]string{"provider.subagent_ttl=1h"}, []string{"nested", "a definition's lifetime"}},
	{[]string{"provider.fourth_mark=true"}, []string{"fan-out"}},
	{[]string{"provider.breakpoints=last"}, []string{"one system prompt", "stream-failures", "flipped-gate"}},
	{[]string{"provider.breakpoints=none"}, []string{"hello", "faults of every kind"}},
	{[]string{"provider.breakpoints=automatic", "provider.ttl=1h"}, []string{"nested"}},
	{[]string{"provider.options.lookback_crosses_levels=false"}, []string{"one system prompt", "nested"}},
	{[]string{"provider.options.late_expiry=10m"}, []string{"long pauses", "recorded-notebook"}},
	{[]string{"provider.options.collapse_noise={share: 300000, to: nothing}"}, []string{"nested"}},
	{[]string{"provider.batch=true"}, []string{"nested"}},
}

func TestRerun(t *testing.T) {
	t.Run("REC-05 where no instant changes, the record asked by another setting gives call by call what a run again gives", rerun)
}

func rerun(t *testing.T) {
	for _, a := range asked {
		t.Run(a.sets[0], func(t *testing.T) {
			t.Parallel()
			changed := 0
			for _, entry := range a.entries {
				changed += compare(t, entry, a.sets)
			}
			if changed == 0 {
				t.Errorf("no call is billed otherwise: nothing was tested")
			}
		})
	}
}

// runsOf are the runs of a case, else of a scenario of the library.
func runsOf(t *testing.T, entry string, sets ...string) []*sim.Spec {
	if text, ok := cases[entry]; ok {
		return []*sim.Spec{specOf(t, text, sets...)}
	}
	return specs(t, entry, sets...)
}

// compare asks the record of each variant by the settings, and runs it again. It
// returns how many calls are billed otherwise.
func compare(t *testing.T, entry string, sets []string) (changed int) {
	db := database(t)
	again := runsOf(t, entry, append(append([]string{}, evenly...), sets...)...)
	equal, other := 0, 0
	for i, spec := range runsOf(t, entry, evenly...) {
		id, _ := record(t, db, spec)
		r, err := reprice.Load(db, id)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := r.Play(sets, nil)
		if refusal := (*reprice.SettingError)(nil); errors.As(err, &refusal) {
			t.Logf("%s: %v", spec.Variant, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", spec.Variant, err)
			continue
		}
		rerun, _ := record(t, db, again[i])
		want, err := db.Sent(rerun)
		if err != nil {
			t.Fatal(err)
		}
		if !sameInstants(got.Calls, want) {
			if got.Moved() == 0 && !got.Limited {
				t.Errorf("%s: instants change, and no call is said to begin at another", spec.Variant)
			}
			other++
			continue
		}
		equal++
		figures(t, spec.Variant, got.Calls, want)
		for i := range want {
			if got.Calls[i].Sent.Cost != want[i].Cost {
				changed++
			}
		}
	}
	t.Logf("%s: %d runs at the same instants, %d at others, %d calls billed otherwise", entry, equal, other, changed)
	return changed
}

func sameInstants(got []reprice.Call, want []sqlite.Sent) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		a, b := got[i].Sent, &want[i]
		if a.Started != b.Started || a.Began != b.Began || a.Ended != b.Ended || a.Status != b.Status {
			return false
		}
	}
	return true
}

func figures(t *testing.T, variant string, got []reprice.Call, want []sqlite.Sent) {
	t.Helper()
	for i := range got {
		g, w := &got[i], &want[i]
		if g.Usage != w.Usage || g.Usage != (llm.Usage{}) && (g.Cost() != w.Cost || g.Uncached() != w.Uncached) {
			t.Errorf("%s: call %d: from the record %+v for %d, run again %+v for %d", variant, w.N, g.Usage, g.Cost(), w.Usage, w.Cost)
		}
		if g.Miss.Reason != w.Miss.Reason || g.Miss.Lost != w.Miss.Lost {
			t.Errorf("%s: call %d: from the record it missed for %+v, run again for %+v", variant, w.N, g.Miss, w.Miss)
		}
	}
}
