package sim_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/mockllm"
	"agentsim/mockllm/latency"
	"agentsim/mockllm/policy"
	"agentsim/mockllm/script"
	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/llm/tokens"
	"agentsim/sim/mark"
	"agentsim/sim/rng"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
	"agentsim/sim/wire"
	"agentsim/sim/workspace"
)

// asked is one recorded call: the request's bytes and what was answered.
type asked struct {
	lineage string
	call    int
	model   string
	bytes   []byte
	answer  string
}

// interview is a sink that keeps every request as flat bytes.
type interview struct {
	lineage map[int32]string
	open    map[int32]int
	calls   []asked
}

func (v *interview) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		v.lineage[e.Agent] = b.Lineage
	case *transcript.Request:
		v.open[e.Agent] = len(v.calls)
		v.calls = append(v.calls, asked{lineage: v.lineage[e.Agent], call: b.Call, model: b.Model, bytes: llm.AppendRequest(nil, b.Head)})
	case *transcript.Response:
		v.calls[v.open[e.Agent]].answer = said(b.Resp.Blocks)
	}
}

// said prints blocks so that equal answers are equal texts.
func said(blocks []llm.Block) string {
	var b strings.Builder
	for i := range blocks {
		fmt.Fprintf(&b, "%s %s %s %s\n", blocks[i].Kind, blocks[i].Name, blocks[i].ID, blocks[i].Content.Raw())
	}
	return b.String()
}

// lineIn finds lines of a project's files.
func lineIn(fs *workspace.FS) func(string, int) string {
	return func(path string, n int) string {
		content, _ := fs.Content(path)
		return strings.Split(content, "\n")[n-1]
	}
}

// freshPolicy is the model of a spec, in a world of its own.
func freshPolicy(t *testing.T, spec *sim.Spec) *policy.Model {
	t.Helper()
	key := rng.Root(spec.Seed())
	table, err := policy.Bind(spec.Scenario, policy.Options{Files: spec.Project.Paths(), Says: lineIn(spec.Project.Open()), Key: key.Sub("policy"),
		Marks: mark.NewKey(spec.Seed()), Filler: script.NewFiller(tokens.Approx(spec.Scenario.Provider.Model))})
	if err != nil {
		t.Fatal(err)
	}
	return policy.New(table)
}

func TestModelIsPure(t *testing.T) {
	t.Run("LLM-01 LLM-11 CON-11 recorded requests, fed back one by one and out of order to a fresh model, give the recorded answers", func(t *testing.T) {
		for name := range structures { // order: each structure is a world of its own
			spec := workSpec(t, name)
			v := &interview{map[int32]string{}, map[int32]int{}, nil}
			runOf(t, spec, v)
			model, agents := freshPolicy(t, spec), rng.Root(spec.Seed()).Sub("agents")
			slices.Reverse(v.calls)
			for _, c := range v.calls {
				body, err := wire.Read(&llm.Builder{}, c.bytes, wire.Options{Scope: llm.Scope{Model: c.model}})
				if err != nil {
					t.Fatal(err)
				}
				q := &mockllm.Query{Head: body.Head, Model: c.model, MaxTokens: 32_000,
					Stream: llm.StreamName{Lineage: c.lineage, Key: agents.Sub(c.lineage), Call: c.call}}
				var a mockllm.Answer
				a.Reset()
				if err := model.Answer(q, &a); err != nil {
					t.Fatal(err)
				}
				if got := said(a.Blocks); got != c.answer {
					t.Errorf("%s: %s, call %d answered\n%s\nrecorded\n%s", name, c.lineage, c.call, got, c.answer)
				}
			}
		}
	})
	t.Run("CON-01 each request of an agent is a byte prefix of its next one", func(t *testing.T) {
		v := &interview{map[int32]string{}, map[int32]int{}, nil}
		runOf(t, workSpec(t, "fork"), v)
		last := map[string][]byte{}
		for _, c := range v.calls {
			open := bytes.TrimSuffix(last[c.lineage], []byte("]}]}"))
			if !bytes.HasPrefix(c.bytes, open) {
				t.Errorf("%s, call %d does not begin with the request before it", c.lineage, c.call)
			}
			last[c.lineage] = c.bytes
		}
	})
}

func TestScaledTime(t *testing.T) {
	t.Run("KRN-09 durations scaled by seven scale every instant by seven", func(t *testing.T) {
		for name := range structures { // order: each structure is a world of its own
			sevenfold(t, name, func(k vtime.Duration) *sim.Spec { return timed(t, name, k) })
		}
	})
	t.Run("KRN-09 LLM-06 durations that are drawn scale as those that are not, whatever they are drawn from", func(t *testing.T) {
		for name := range structures { // order: each structure is a world of its own
			for turn := range 5 {
				one := sevenfold(t, name, func(k vtime.Duration) *sim.Spec { return drawn(t, name, k, turn) })
				if slices.Equal(one, instants(t, timed(t, name, 1))) {
					t.Fatalf("%s: nothing was drawn", name)
				}
			}
		}
	})
}

// sevenfold holds a world against the one whose durations are seven times as long.
func sevenfold(t *testing.T, name string, spec func(vtime.Duration) *sim.Spec) []vtime.Instant {
	t.Helper()
	one, seven := instants(t, spec(1)), instants(t, spec(7))
	if len(one) != len(seven) {
		t.Fatalf("%s: %d events became %d", name, len(one), len(seven))
	}
	for i := range one {
		if seven[i] != 7*one[i] {
			t.Fatalf("%s: event %d at %s became %s", name, i, one[i], seven[i])
		}
	}
	return one
}

// clock is a sink that keeps when each event was.
type clock struct{ at []vtime.Instant }

func (c *clock) Emit(e *transcript.Event) { c.at = append(c.at, e.At) }

// instants are when the events of a run were.
func instants(t *testing.T, spec *sim.Spec) []vtime.Instant {
	t.Helper()
	var c clock
	runOf(t, spec, &c)
	return c.at
}

// drawn is the timed world with drawn times; turn says who draws from what.
func drawn(t *testing.T, structure string, k vtime.Duration, turn int) *sim.Spec {
	t.Helper()
	spec := timed(t, structure, k)
	us := func(n int64) int64 { return n * int64(k) }
	bounds := func(d rng.Dist) *rng.Span {
		d.Lo, d.Hi = us(3_000), us(9_000_000)
		return &rng.Span{Lo: d.Lo * rng.Micro, Hi: d.Hi * rng.Micro, Dist: &d}
	}
	spans := []*rng.Span{
		{Lo: us(20_000) * rng.Micro, Hi: us(777_777) * rng.Micro},
		bounds(rng.Dist{Shape: rng.Lognormal, A: us(300_001), B: 1_234}),
		bounds(rng.Dist{Shape: rng.Exponential, A: us(123_457)}),
		bounds(rng.Dist{Shape: rng.Gamma, A: us(54_321), B: 5}),
		{Lo: us(11_000) * rng.Micro, Hi: us(3_000_007) * rng.Micro, Dist: &rng.Dist{Shape: rng.Empirical, Lo: us(11_000), Hi: us(3_000_007),
			Points: []rng.Quantile{{P: 0, Value: us(11_000)}, {P: 333_333, Value: us(70_001)}, {P: 1_000_000, Value: us(3_000_007)}}}},
	}
	at := func(i int) *rng.Span { return spans[(i+turn)%len(spans)] }
	sc := spec.Scenario
	sc.Provider.Latency.Queue, sc.Provider.Latency.Jitter = at(0), at(1)
	sc.Tools.Read, sc.Tools.Grep, sc.Tools.Glob, sc.Tools.Edit = at(2), at(3), at(4), at(2)
	return spec
}

// timed is the small world with every duration k times as long.
func timed(t *testing.T, structure string, k vtime.Duration) *sim.Spec {
	t.Helper()
	spec := workSpec(t, structure)
	setTimes(spec.Scenario, vtime.Millisecond*k)
	return spec
}

// setTimes sets the times of a scenario that have defaults; ms is what becomes of a
// millisecond.
func setTimes(sc *scenarios.Scenario, ms vtime.Duration) {
	us := func(n vtime.Duration) *vtime.Duration { d := n * ms / 1000; return &d }
	span := func(n vtime.Duration) *rng.Span { return &rng.Span{Lo: int64(n * ms), Hi: int64(n * ms)} }
	sc.Provider.Latency = scenarios.Latency{Profile: latency.Default, Queue: span(900), Prefill: us(21), Read: us(2), Decode: us(12_345), Jitter: span(400)}
	sc.Tools.Read, sc.Tools.Grep, sc.Tools.Glob, sc.Tools.Edit = span(20), span(61), span(43), span(31)
	sc.Retry.Base, sc.Retry.Cap, sc.FanOut.Cap = 500*ms, 32_000*ms, 5_000*ms
}
