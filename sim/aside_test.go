package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/agent"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// beside is what a run shows of a root and of the side question asked of it.
type beside struct {
	of      map[string][]llm.Usage
	heads   map[string][]*llm.Node // of requests
	began   map[string][]transcript.Event
	results []*transcript.ToolResult
	names   map[int32]string
	vain    []string
	denied  []string // why calls of the side question are
}

func (a *beside) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		a.names[e.Agent] = b.Lineage
	case *transcript.Request:
		n := a.names[e.Agent]
		a.heads[n] = append(a.heads[n], b.Head)
		a.began[n] = append(a.began[n], transcript.Event{At: e.At})
	case *transcript.Response:
		n := a.names[e.Agent]
		a.of[n] = append(a.of[n], b.Resp.Usage)
		a.began[n+" ends"] = append(a.began[n+" ends"], transcript.Event{At: e.At})
	case *transcript.Finding:
		if b.Rule == "aside-vain" {
			a.vain = append(a.vain, b.Detail)
		}
	case *transcript.Permission:
		if b.Decision == "deny" {
			a.denied = append(a.denied, b.Why)
		}
	case *transcript.ToolResult:
		if strings.Contains(a.names[e.Agent], llm.AsideSuffix) {
			c := *b
			a.results = append(a.results, &c)
		}
	}
}

// aside runs a conversation of two turns with a step in between, and what a script says
// for the side question.
func aside(t *testing.T, step, answers string, root ...string) *beside {
	t.Helper()
	f, err := scenarios.Parse("aside.yaml", []byte(fmt.Sprintf(`agentsim: 1
name: aside
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project: {files: {a.go: {tokens: 3k}}}
script:
  main: {%suser: Look into it., system: {tokens: 20k}, then: [%s{after: 2m, message: And now?}]}
  answers:
    - {agent: main, turns: [{tools: [{name: Read, input: {file_path: a.go}}]}, {text: {tokens: 2k}}, {text: {tokens: 2k}}]}
%s`, strings.Join(root, ""), step, answers)))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	a := &beside{of: map[string][]llm.Usage{}, heads: map[string][]*llm.Node{}, began: map[string][]transcript.Event{}, names: map[int32]string{}}
	res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{a}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range res.Audit.Violations {
		t.Error(v)
	}
	return a
}

const calls3 = "    - {agent: main/aside-1, turns: [{tools: [{name: Read, input: {file_path: a.go}}]}, {tools: [{name: Read, input: {file_path: a.go}}]}, {text: It is 80.}]}\n"

func TestAside(t *testing.T) {
	quiet := aside(t, "", "")
	main := quiet.of["main"]
	t.Run("BTW-01 a side question goes on from the root's request byte for byte while its answer streams, with the same tools", func(t *testing.T) {
		a := aside(t, "{on: {event: tool_result, tool: Read}, aside: {ask: Which port?}}, ", "")
		q, sent := a.heads["main/aside-1"], a.heads["main"]
		if len(q) != 1 || q[0].Parent.Hash != sent[1].Hash && q[0].Parent.Hash != sent[0].Hash {
			t.Fatalf("%d requests; in front of the question stands position %d, main sent up to %d and %d", len(q), q[0].Parent.Pos, sent[0].Pos, sent[1].Pos)
		}
		if at, ends := a.began["main/aside-1"][0].At, a.began["main ends"][1].At; at >= ends {
			t.Errorf("asked at %s, and main had its answer at %s", at, ends)
		}
	})
	t.Run("BTW-01 a call of a tool is refused, and one turn is all it has", func(t *testing.T) {
		for pattern, refused := range map[string]int{"main/aside-1": 1, "main/aside-*": 1, "'**/aside-1'": 1, "main/*": 0, "'**'": 0} { // the last two do not say that they mean side questions
			a := aside(t, "{after: 1m, aside: {ask: Which port?}}, ", strings.Replace(calls3, "main/aside-1", pattern, 1))
			if len(a.results) != refused || refused > 0 && !a.results[0].IsError || len(a.heads["main/aside-1"]) != 1 {
				t.Errorf("%s: results %+v of %d requests", pattern, a.results, len(a.heads["main/aside-1"]))
			}
		}
	})
	t.Run("BTW-02 it reads what its root left, writes nothing, and leaves no trace in the root's requests", func(t *testing.T) {
		a := aside(t, "{after: 1m, aside: {ask: Which port?}}, ", "")
		q := a.of["main/aside-1"]
		if len(q) != 1 || q[0].Read != main[1].Read+main[1].Written() || q[0].Written() != 0 || q[0].Input < 2_000 {
			t.Errorf("%+v behind %+v", q, main[1])
		}
		for i, h := range a.heads["main"] {
			if h.Hash != quiet.heads["main"][i].Hash || len(a.heads["main"]) != len(quiet.heads["main"]) {
				t.Errorf("request %d of main is another one than without the question", i+1)
			}
		}
	})
	t.Run("BTW-04 context, tools and the number of turns are cut each by itself", func(t *testing.T) {
		for _, c := range []struct {
			cut                string
			requests, refused  int
			context            bool
			results, turnsLeft int
		}{
			{"", 1, 1, true, 1, 0},
			{", tools: true", 1, 0, true, 1, 0},
			{", turns: 5", 3, 2, true, 2, 0},
			{", context: none", 1, 1, false, 1, 0},
			{", tools: true, turns: 5", 3, 0, true, 2, 0},
			{", tools: true, turns: 5, context: none", 3, 0, false, 2, 0},
		} {
			a := aside(t, "{after: 1m, aside: {ask: Which port?"+c.cut+"}}, ", calls3)
			q, refused := a.heads["main/aside-1"], 0
			for _, r := range a.results {
				if r.IsError {
					refused++
				}
			}
			context := q[0].Pos > quiet.heads["main"][1].Pos
			if len(q) != c.requests || refused != c.refused || len(a.results) != c.results || context != c.context {
				t.Errorf("aside%s: %d requests, %d of %d calls refused, whole context %v", c.cut, len(q), refused, len(a.results), context)
			}
		}
	})
	t.Run("BTW-04 one that keeps its tools starts no agent, which its result says, in every way to start one", func(t *testing.T) {
		const spawns = "    - {agent: main/aside-1, turns: [{tools: [{name: Agent, input: {description: d, prompt: x}}]}, {say: Ok.}]}\n"
		for _, lab := range []string{"", "lab: {interactive: true, gates: {FORK_SUBAGENT: true}}\n", "lab: {gates: {KAIROS: true}}\n"} {
			a := aside(t, "{after: 1m, aside: {ask: Which port?, tools: true, turns: 2}}, ", spawns+lab)
			if len(a.results) != 1 || !a.results[0].IsError || !slices.Equal(a.denied, []string{agent.WhyAsideAgent}) || len(a.names) != 2 {
				t.Errorf("%s: results %+v, denied %q, agents %v", lab, a.results, a.denied, a.names)
			}
		}
	})
	t.Run("BTW-01 a side question before the first request is not asked, which a finding says", func(t *testing.T) {
		if a := aside(t, "{at: 1s, aside: {ask: Early?}}, ", "", "at: 5s, "); len(a.vain) != 1 || len(a.heads["main/aside-1"]) != 0 {
			t.Errorf("findings %q, %d requests", a.vain, len(a.heads["main/aside-1"]))
		}
	})
}
