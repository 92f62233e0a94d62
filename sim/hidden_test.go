package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// calls are the usages of a run's calls by lineage, in order, and the marks of hidden
// requests: how many blocks stand behind the last.
type calls struct {
	of     map[string][]llm.Usage
	behind []int32
	at     map[int32]string
}

func (c *calls) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		c.at[e.Agent] = b.Lineage
	case *transcript.Request:
		if k := len(b.Breakpoints); strings.Contains(c.at[e.Agent], llm.HiddenSuffix) {
			c.behind = append(c.behind, b.Head.Pos-b.Breakpoints[k-1].Node.Pos)
		}
	case *transcript.Response:
		c.of[c.at[e.Agent]] = append(c.of[c.at[e.Agent]], b.Resp.Usage)
	}
}

// hiddenRun is a conversation of three turns, the second after four minutes, the third
// after seven more, with what the client sends on its own.
func hiddenRun(t *testing.T, hidden string) (*calls, *sim.Result) {
	t.Helper()
	f, err := scenarios.Parse("hidden.yaml", []byte(fmt.Sprintf(`agentsim: 1
name: hidden
provider: {model: claude-sonnet-5-5, ttl: 5m}
agents: {hidden: %s}
script:
  main: {user: Look into it., system: {tokens: 20k}, then: [{after: 4m, message: And now?}, {after: 7m, message: And then?}]}
  answers: [{agent: main, turns: [{text: {tokens: 2k}}, {text: {tokens: 2k}}, {text: {tokens: 2k}}]}]
`, hidden)))
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
	c := &calls{of: map[string][]llm.Usage{}, at: map[int32]string{}}
	res, err := sim.Run(spec, sim.Options{Sinks: []transcript.Sink{c}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range res.Audit.Violations {
		t.Error(v)
	}
	return c, res
}

func TestHidden(t *testing.T) {
	plain, _ := hiddenRun(t, "{}")
	main := plain.of["main"]
	t.Run("BTW-03 a suggestion reads the whole prefix, is marked behind the answer, and leaves it to be read", func(t *testing.T) {
		c, _ := hiddenRun(t, "{suggestion: 100}")
		first := c.of["main/1.hidden-suggestion"]
		if len(first) != 1 || first[0].Read != main[0].Read+main[0].Written() || first[0].Write5m < 2_000 {
			t.Fatalf("%+v, behind %+v", first, main[0])
		}
		if got := c.of["main"][1].Read; got != first[0].Read+first[0].Write5m || got < main[1].Read+2_000 {
			t.Errorf("the next turn reads %d, want what the suggestion left, %d without it", got, main[1].Read)
		}
		for _, n := range c.behind {
			if n != 1 {
				t.Errorf("%d blocks behind the last mark", n)
			}
		}
		if n := len(c.of); n != 4 || len(c.of["main"]) != 3 {
			t.Errorf("agents %v", c.of)
		}
	})
	t.Run("BTW-03 a summary for a user who is away renews the lifetime, and a turn before it or an end has none", func(t *testing.T) {
		c, res := hiddenRun(t, "{away: 4m30s}")
		if main[2].Read >= main[1].Read+main[1].Written() {
			t.Fatalf("after seven minutes %d tokens are read without it", main[2].Read)
		}
		if got := c.of["main"][2].Read; got <= main[1].Read+main[1].Written() {
			t.Errorf("after seven minutes %d tokens are read, want what was there and the answer", got)
		}
		if len(c.of) != 2 || len(c.of["main/2.hidden-away"]) != 1 {
			t.Errorf("agents %v", c.of)
		}
		if _, without := hiddenRun(t, "{}"); res.End > without.End {
			t.Errorf("the run ends at %s, without at %s", res.End, without.End)
		}
	})
	t.Run("BTW-03 a title is asked for once, and of suggestions as many as the share says", func(t *testing.T) {
		c, _ := hiddenRun(t, "{title: true}")
		if len(c.of) != 2 || len(c.of["main/1.hidden-title"]) != 1 {
			t.Errorf("agents %v", c.of)
		}
		if c, _ := hiddenRun(t, "{suggestion: 0}"); len(c.of) != 1 {
			t.Errorf("agents %v", c.of)
		}
	})
}
