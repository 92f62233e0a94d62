package sim_test

import (
	"encoding/json"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/recording/recordingtest"
	"agentsim/sim/transcript"
)

// usages is a sink that keeps what each call of each root was billed.
type usages struct {
	lineage map[int32]string
	of      map[string][]llm.Usage
}

func (u *usages) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		u.lineage[e.Agent] = b.Lineage
	case *transcript.Response:
		name := u.lineage[e.Agent]
		u.of[name] = append(u.of[name], b.Resp.Usage)
	}
}

// goldenCall is a recorded call as golden.json has it.
type goldenCall struct {
	Arm                        string
	Input, Output, Write, Read int64
}

// goldenData reads golden.json, which stands outside the project.
func goldenData(t *testing.T) (out map[string]struct{ Calls []goldenCall }) {
	t.Helper()
	src := recordingtest.Read(t, "golden", "golden.json")
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(src, &raw); err != nil {
		t.Fatal(err)
	}
	out = map[string]struct{ Calls []goldenCall }{}
	for name, value := range raw {
		var g struct{ Calls []goldenCall }
		if json.Unmarshal(value, &g) == nil && len(g.Calls) > 0 {
			out[name] = g
		}
	}
	return out
}

// TestGolden plays recorded-notebook and compares every call with what was
// recorded.
func TestGolden(t *testing.T) {
	got, marked := notebook(t, "recorded"), notebook(t, "marked-again")
	t.Run("CACHE-22 CACHE-14 lookback: blocks 10, 15 and 35; the third call finds 15 only where it is marked", func(t *testing.T) {
		for i, want := range [][2]int64{{0, 0}, {3000, 3000}, {0, 3500}} {
			if a, b := got["lookback"][i].Read, marked["lookback"][i].Read; a != want[0] || b != want[1] {
				t.Errorf("call %d reads %d, marked again %d; want %v", i+1, a, b, want)
			}
		}
	})
	t.Run("CACHE-04 CACHE-38 CACHE-39 both arms of the recorded notebook give every billed figure through the whole stack", func(t *testing.T) {
		arms := map[string][]goldenCall{}
		for _, c := range goldenData(t)["GOLD-A1_cookbook_multi_turn"].Calls {
			arms[c.Arm] = append(arms[c.Arm], c)
		}
		compareCalls(t, "automatic", arms["auto"], got["automatic"])
		compareCalls(t, "explicit", arms["explicit"], got["explicit"])
	})
	t.Run("CACHE-05 CACHE-37 one long text unmarked, written and hit gives every billed figure", func(t *testing.T) {
		for _, c := range goldenData(t)["GOLD-A2_single_turn"].Calls {
			root := map[string]string{"baseline": "baseline", "write": "write", "hit": "hit"}[c.Arm]
			c.Output = got[root][0].Output // not recorded
			compareCalls(t, root, []goldenCall{c}, got[root])
		}
	})
	t.Run("CACHE-32 PRM-05 a changed effort writes everything again, as recorded", func(t *testing.T) {
		compareCalls(t, "effort", goldenData(t)["GOLD-A3_effort_change"].Calls, got["effort"])
	})
}

func compareCalls(t *testing.T, root string, want []goldenCall, got []llm.Usage) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s made %d calls, recorded are %d", root, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Input != w.Input || g.Written() != w.Write || g.Read != w.Read || g.Output != w.Output {
			t.Errorf("%s, call %d: input %d written %d read %d output %d; recorded %d, %d, %d, %d",
				root, i+1, g.Input, g.Written(), g.Read, g.Output, w.Input, w.Write, w.Read, w.Output)
		}
	}
}

// notebook runs a variant of recorded-notebook.
func notebook(t *testing.T, variant string) map[string][]llm.Usage {
	t.Helper()
	f, err := scenarios.Open("recorded-notebook")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective(variant, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	u := &usages{map[int32]string{}, map[string][]llm.Usage{}}
	runOf(t, spec, u)
	return u.of
}
