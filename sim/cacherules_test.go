package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/cachemodel"
	"agentsim/metrics"
	"agentsim/sim"
	"agentsim/sim/llm"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

func TestCacheRules(t *testing.T) {
	t.Run("CACHE-30 a sub-agent reads nothing of its parent and writes for five minutes, a fork reads all of it and writes as its parent does", childrenAndForks)
	t.Run("CACHE-30 sub-agents have the lifetime that the scenario gives them", givenLifetime)
	t.Run("CACHE-96 over the plan's limit roots and forks write for five minutes, and sub-agents as they did", planLimit)
	t.Run("CACHE-40 a run with markers and one without say the same, word for word", sameWords)
	t.Run("CACHE-42 a run in a batch costs half of the same calls, one in the US a tenth more, and fast mode has its own rates", tariffs)
	t.Run("CACHE-18 CACHE-02 on Bedrock two workspaces read each other's prefix, on the Claude API they do not", bedrock)
	t.Run("CACHE-44 LOOP-06 agents above the limit wait for as long as they are told and finish, and a run without a limit asks for none", limitedRun)
	t.Run("CACHE-46 one root or one step asks for no tokens, the others answer, and its recorded counts hold", prewarm)
	t.Run("CACHE-46 recorded counts hold for a request whose answer breaks off, and for the one that sends it again", brokenCounts)
	t.Run("CACHE-47 IMP-09 disturbed runs break no law, say so among their options, and repeat", disturbedRuns)
}

// heard keeps the answers of each agent.
type heard struct {
	lineage map[int32]string
	of      map[string][]llm.Response
	errs    []llm.APIError
}

func newHeard() *heard { return &heard{lineage: map[int32]string{}, of: map[string][]llm.Response{}} }

func (h *heard) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		h.lineage[e.Agent] = b.Lineage
	case *transcript.Response:
		name := h.lineage[e.Agent]
		h.of[name] = append(h.of[name], *b.Resp)
	case *transcript.APIError:
		h.errs = append(h.errs, *b.Err)
	}
}

// children are the lineages other than the root's.
func (h *heard) children() []string {
	var out []string
	for name := range h.of { // order: sorted below
		if name != "main" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func childrenAndForks(t *testing.T) {
	for _, structure := range []string{"subagent", "fork"} {
		h := newHeard()
		res := runOf(t, workSpec(t, structure, "provider.ttl=1h"), h)
		for i, r := range h.of["main"] {
			if r.Usage.Write5m != 0 || i == 0 && r.Usage.Write1h == 0 {
				t.Errorf("%s: the parent's call %d: %+v", structure, i, r.Usage)
			}
		}
		if len(h.children()) == 0 {
			t.Fatalf("%s: no children", structure)
		}
		for _, name := range h.children() {
			first := h.of[name][0]
			call := int(name[len("main/")] - '0')
			parent := h.of["main"][call-1]
			left := parent.Usage.Read + parent.Usage.Written()
			if structure == "fork" {
				if first.Usage.Read < left {
					t.Errorf("%s reads %d of the %d that its parent left", name, first.Usage.Read, left)
				}
			} else if name == h.children()[0] && first.Cache.ReadTo != nil {
				t.Errorf("%s reads %d tokens of a prefix that is not its own", name, first.Usage.Read)
			}
			for i, r := range h.of[name] {
				if long := structure == "fork"; long && r.Usage.Write5m != 0 || !long && r.Usage.Write1h != 0 {
					t.Errorf("%s, call %d: %+v", name, i, r.Usage)
				}
			}
		}
		if slices.Contains(res.Assumed, "breakpoints agent, TTL 1h, sub-agents 5m (provider.subagent_ttl)") != (structure != "fork") {
			t.Errorf("assumed: %q", res.Assumed)
		}
	}
}

func givenLifetime(t *testing.T) {
	for set, long := range map[string]bool{"provider.subagent_ttl=1h": true, "provider.subagent_ttl=5m": false} {
		h := newHeard()
		runOf(t, workSpec(t, "subagent", "provider.ttl=5m", set), h)
		for _, name := range h.children() {
			if u := h.of[name][0].Usage; (u.Write1h > 0) != long || (u.Write5m > 0) == long {
				t.Errorf("%s: %s writes %+v", set, name, u)
			}
		}
		if u := h.of["main"][0].Usage; u.Write1h != 0 {
			t.Errorf("%s: the parent writes %+v", set, u)
		}
	}
}

func planLimit(t *testing.T) {
	const limit = 8 * vtime.Second
	for _, structure := range []string{"fork", "subagent"} {
		h := newHeard()
		res := runOf(t, workSpec(t, structure, "provider.ttl=1h", "provider.subagent_ttl=1h", "provider.plan_limit_at=8s"), h)
		var hour, five int
		for name, said := range h.of { // order: sums, and each lineage is told by itself
			for i, r := range said {
				u := r.Usage
				switch over := r.Started >= vtime.Instant(limit); {
				case over && (name == "main" || structure == "fork"):
					five++
					if u.Write1h != 0 || u.Write5m == 0 {
						t.Errorf("%s: %s, call %d over the limit: %+v", structure, name, i, u)
					}
				default:
					hour++
					if u.Write5m != 0 || u.Write1h == 0 {
						t.Errorf("%s: %s, call %d: %+v", structure, name, i, u)
					}
				}
			}
		}
		if hour == 0 || five == 0 || !hasAssumed(res, "TTL 1h, 5m from 8s on, over the plan's limit") {
			t.Errorf("%s: %d calls of an hour, %d of five minutes; assumed %q", structure, hour, five, res.Assumed)
		}
	}
	res := runOf(t, workSpec(t, "fork", "provider.ttl=1h", "provider.plan_limit_at=1h"))
	if !hasAssumed(res, "no request of roots or forks was marked after the plan's limit at 1h") {
		t.Errorf("a limit that is never reached: assumed %q", res.Assumed)
	}
}

func hasAssumed(res *sim.Result, text string) bool {
	return slices.ContainsFunc(res.Assumed, func(s string) bool { return strings.Contains(s, text) })
}

func sameWords(t *testing.T) {
	play := func(sets ...string) *heard {
		h := newHeard()
		runOf(t, workSpec(t, "inline", sets...), h)
		return h
	}
	want := play("provider.breakpoints=none").of["main"]
	for _, sets := range [][]string{{"provider.breakpoints=agent"}, {"provider.breakpoints=automatic", "provider.ttl=1h"},
		{"provider.options.collapse_noise={share: 500_000}"}, {"provider.batch=true"}} {
		got := play(sets...).of["main"]
		if len(got) != len(want) {
			t.Fatalf("%v: %d answers, without markers %d", sets, len(got), len(want))
		}
		written := int64(0)
		for i := range got {
			a, b := &got[i], &want[i]
			written += a.Usage.Written()
			if a.Head.Hash != b.Head.Hash || a.Stop != b.Stop || a.Usage.Output != b.Usage.Output || a.Usage.Prompt() != b.Usage.Prompt() {
				t.Errorf("%v, call %d: other words", sets, i)
			}
			if b.Usage.Written()+b.Usage.Read != 0 {
				t.Errorf("call %d without markers: %+v", i, b.Usage)
			}
		}
		if written == 0 {
			t.Errorf("%v: nothing was cached", sets)
		}
	}
}

// costOf runs the small world and returns its bill.
func costOf(t *testing.T, sets ...string) (cachemodel.Picodollars, *sim.Result) {
	t.Helper()
	spec := workSpec(t, "inline", append([]string{"provider.hidden_tokens=false"}, sets...)...)
	f := metrics.New(metrics.Options{Items: len(spec.Scenario.Work), Price: spec.Scenario.Provider.Priced})
	res := runOf(t, spec, f)
	return f.Run().Total.Cost, res
}

func tariffs(t *testing.T) {
	list, _ := costOf(t, "provider.model=claude-opus-5")
	us, res := costOf(t, "provider.model=claude-opus-5", "provider.inference_geo=us")
	half, _ := costOf(t, "provider.model=claude-opus-5", "provider.batch=true", "provider.options.batch_hits=1_000_000")
	fast, _ := costOf(t, "provider.model=claude-opus-5", "provider.speed=fast")
	if us*10 != list*11 || half*2 != list || fast != list*2 {
		t.Errorf("list %d, us %d, batch %d, fast %d", list, us, half, fast)
	}
	if !slices.ContainsFunc(res.Assumed, func(s string) bool { return strings.HasSuffix(s, "US inference (1.1 times)") }) {
		t.Errorf("assumed: %q", res.Assumed)
	}
	_, res = costOf(t, "provider.model=claude-opus-5-5", "provider.speed=fast")
	if !slices.ContainsFunc(res.Assumed, func(s string) bool { return strings.Contains(s, "a third party's test fixture") }) {
		t.Errorf("assumed: %q", res.Assumed)
	}
}

// twoRooms are two roots of one text in two workspaces, one after the other.
const twoRooms = `
agentsim: 1
name: rooms
provider: {model: claude-opus-4-7}
script:
  roots:
    - {name: one, workspace: red, user: Hello., system: {tokens: 6_000}, tools: [], context: false}
    - {name: two, workspace: blue, at: 1m, user: Hello., system: {tokens: 6_000}, tools: [], context: false}
  answers: [{agent: "*", turns: [{text: Yes.}]}]
`

func bedrock(t *testing.T) {
	for platform, shared := range map[string]bool{"claude-api": false, "claude-on-aws": false, "foundry": false, "bedrock": true, "google-cloud": true} {
		h := newHeard()
		runOf(t, specOf(t, twoRooms, "", "provider.platform="+platform), h)
		if got := h.of["two"][0].Usage.Read > 0; got != shared {
			t.Errorf("%s: the second workspace reads %d", platform, h.of["two"][0].Usage.Read)
		}
	}
}

// warmed is a root that warms the cache for another, which warms it once more
// by a step of its own.
const warmed = `
agentsim: 1
name: warmed
provider: {model: claude-opus-4-7, counter: recorded, breakpoints: last}
script:
  roots:
    - {name: warm, user: Hello., system: {tokens: 6_000}, tools: [], context: false, settings: {max_tokens: 0}}
    - name: asks
      at: 1m
      user: Hello.
      system: {tokens: 6_000}
      tools: []
      context: false
      then: [{message: Warm., settings: {max_tokens: 0}}, {message: And now?}]
  answers:
    - {agent: warm, turns: [{counts: {-1: 7_000}}]}
    - {agent: asks, turns: [{text: Yes.}, {counts: {-1: 7_500}}, {text: Now.}]}
`

func prewarm(t *testing.T) {
	h := newHeard()
	res := runOf(t, specOf(t, warmed, ""), h)
	warm, asks := h.of["warm"], h.of["asks"]
	if len(warm) != 1 || len(asks) != 3 {
		t.Fatalf("%d and %d answers", len(warm), len(asks))
	}
	for name, r := range map[string]llm.Response{"the root": warm[0], "the step": asks[1]} {
		if r.Stop != llm.MaxTokens || r.Usage.Output != 0 || len(r.Blocks) != 0 || r.Usage.Written() == 0 {
			t.Errorf("%s: %v, %+v, %d blocks", name, r.Stop, r.Usage, len(r.Blocks))
		}
	}
	for _, i := range []int{0, 2} {
		if r := asks[i]; r.Stop != llm.EndTurn || r.Usage.Output == 0 {
			t.Errorf("call %d: %v, %+v", i, r.Stop, r.Usage)
		}
	}
	if warm[0].Usage.Written() != 7_000 || asks[0].Usage.Read != 7_000 || asks[1].Usage.Read+asks[1].Usage.Written() != 7_500 || asks[2].Usage.Read != 7_500 {
		t.Errorf("not by the recorded counts: %+v, %+v, %+v, %+v", warm[0].Usage, asks[0].Usage, asks[1].Usage, asks[2].Usage)
	}
	if res.Outcome != sim.Completed {
		t.Errorf("%s: %s", res.Outcome, res.Detail)
	}
}

// broken is a root whose answer breaks off once, after its prompt was cached.
const broken = `
agentsim: 1
name: broken
provider: {model: claude-opus-4-7, counter: recorded, breakpoints: last}
lab: {faults: [500 after event=2 agent=main call=1 attempt=1]}
script:
  main: {user: Hello., system: {tokens: 6_000}, tools: [], context: false}
  answers:
    - {agent: main, turns: [{text: Yes., counts: {-1: 7_000}}]}
`

func brokenCounts(t *testing.T) {
	h := newHeard()
	runOf(t, specOf(t, broken, ""), h)
	answers := h.of["main"]
	if len(h.errs) != 1 || len(answers) != 1 {
		t.Fatalf("%d errors, %d answers", len(h.errs), len(answers))
	}
	if was, is := h.errs[0].Usage, answers[0].Usage; was.Written() != 7_000 || is.Read != 7_000 || is.Written() != 0 {
		t.Errorf("not by the recorded counts: %+v, then %+v", was, is)
	}
}

func limitedRun(t *testing.T) {
	free := newHeard()
	res := runOf(t, workSpec(t, "inline"), free)
	for _, o := range res.Options {
		if strings.HasPrefix(o, "input_rate") {
			t.Errorf("without a limit: %s", o)
		}
	}
	h := newHeard()
	tight := runOf(t, workSpec(t, "inline", "provider.rate_limits={input: {most: 20_000, refill: 10ms}}", "provider.breakpoints=none"), h)
	if len(h.errs) == 0 || len(h.of["main"]) != len(free.of["main"]) || tight.End <= res.End {
		t.Fatalf("%d refusals, %d answers of %d, end %v of %v", len(h.errs), len(h.of["main"]), len(free.of["main"]), tight.End, res.End)
	}
	for _, e := range h.errs {
		if e.Status != 429 || e.RetryAfter <= 0 || e.Usage != (llm.Usage{}) {
			t.Errorf("refused as %+v", e)
		}
	}
	if !slices.Contains(tight.Options, "input_rate_scope=model") {
		t.Errorf("options %q", tight.Options)
	}
	// What is read is free: with markers the same limit refuses less.
	cached := newHeard()
	runOf(t, workSpec(t, "inline", "provider.rate_limits={input: {most: 20_000, refill: 10ms}}"), cached)
	if len(cached.errs) >= len(h.errs) {
		t.Errorf("%d refusals with a cache, %d without", len(cached.errs), len(h.errs))
	}
}

func disturbedRuns(t *testing.T) {
	for name, set := range map[string]string{
		"visibility_lag=300000 ppm within 30s":          "provider.options.visibility_lag={share: 300_000, window: 30s}",
		"collapse_noise=300000 ppm to nothing":          "provider.options.collapse_noise={share: 300_000, to: nothing}",
		"collapse_noise=300000 ppm to first-breakpoint": "provider.options.collapse_noise={share: 300_000}",
		"batch_hits=640000 ppm":                         "provider.batch=true",
	} {
		for _, structure := range []string{"inline", "subagent", "fork"} {
			spec := workSpec(t, structure, set)
			res := runOf(t, spec)
			if !slices.Contains(res.Options, name) {
				t.Errorf("%s, %s: options %q", structure, set, res.Options)
			}
			if again := runOf(t, workSpec(t, structure, set)); again.Digest != res.Digest {
				t.Errorf("%s, %s: another run", structure, set)
			}
			if plain := runOf(t, workSpec(t, structure)); plain.Digest == res.Digest {
				t.Errorf("%s, %s: the run is undisturbed", structure, set)
			}
		}
	}
}
