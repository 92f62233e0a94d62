package reprice_test

import (
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
)

// cases are runs that the library has none of.
var cases = map[string]string{
	"recorded counts": `
agentsim: 1
name: counts
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m, counter: recorded, breakpoints: last}
script:
  main: {user: {tokens: 3000}, then: [{after: 1s, message: more}, {after: 400s, message: and more}]}
  answers:
    - agent: main
      turns:
        - {text: one, counts: {-1: 4000}}
        - {text: two, counts: {-1: 4321}}
        - {text: three, counts: {-1: 4400}}
`,
	"warmed": `
agentsim: 1
name: warmed
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m, counter: recorded, breakpoints: last, latency: {queue: 1us, prefill: 1us, read: 1us, decode: 1us, jitter: 0s}}
script:
  main: {user: {tokens: 3000}, settings: {max_tokens: 0}, then: [{after: 1s, message: more}, {after: 400s, message: and more}]}
  answers:
    - {agent: main, turns: [{counts: {-1: 4000}}, {counts: {-1: 4321}}, {counts: {-1: 4400}}]}
`,
	"forced tool, with and without": `
agentsim: 1
name: forced
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m}
agents:
  settings: {tool_choice: any}
script:
  main: {user: {tokens: 3000}, then: [{after: 1s, message: more, settings: {tool_choice: auto}}, {after: 1s, message: more}]}
  answers:
    - {agent: main, turns: [{text: one}, {text: two}, {text: three}]}
`,
	"a definition's lifetime": `
agentsim: 1
name: lifetimes
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m, latency: {queue: 1us, prefill: 1us, read: 1us, decode: 1us, jitter: 0s}}
project:
  files:
    a.go: {tokens: 2_000, class: code}
    .claude/agents/quick.md: "---\nname: quick\ndescription: q\nexperimental: {cacheTtl: 5m}\n---\nYou are quick.\n"
    .claude/agents/long.md: "---\nname: long\ndescription: l\nexperimental: {cacheTtl: 1h}\n---\nYou are slow.\n"
script:
  main: {user: go}
  answers:
    - agent: main
      turns:
        - tools:
            - {name: Agent, input: {description: of the one kind, prompt: p, subagent_type: quick}}
            - {name: Agent, input: {description: of the other kind, prompt: p, subagent_type: long}}
            - {name: Agent, input: {description: of no kind, prompt: p}}
        - {text: done}
    - {agent: main/*, turns: [{tools: [{name: Read, input: {file_path: a.go}}]}, {text: done}]}
`,
	"noise": `
agentsim: 1
name: noise
provider:
  model: claude-sonnet-4-5-20250929
  ttl: 5m
  options: {visibility_lag: {share: 400000, window: 30s}, collapse_noise: {share: 300000, to: nothing}}
script:
  main: {user: {tokens: 3000}, then: [{after: 1s, message: more}, {after: 1s, message: more}, {after: 40s, message: more}, {after: 1s, message: more}]}
  answers:
    - {agent: main, turns: [{text: one}, {text: two}, {text: three}, {text: four}, {text: five}]}
`,
	"batch": `
agentsim: 1
name: batch
provider: {model: claude-sonnet-4-5-20250929, ttl: 1h, batch: true}
script:
  main: {user: {tokens: 3000}, then: [{after: 1s, message: more}, {after: 1s, message: more}, {after: 40s, message: more}, {after: 1s, message: more}]}
  answers:
    - {agent: main, turns: [{text: one}, {text: two}, {text: three}, {text: four}, {text: five}]}
`,
	"two workspaces, own plans, nothing waits": `
agentsim: 1
name: roots
provider:
  model: claude-sonnet-4-5-20250929
  ttl: 5m
  latency: {queue: 1us, prefill: 1us, read: 1us, decode: 1us, jitter: 0s}
script:
  roots:
    - {name: a, workspace: one, user: {tokens: 3000}, breakpoints: last, then: [{after: 0s, message: more}, {after: 400s, message: more}]}
    - {name: b, workspace: one, user: {tokens: 3000}, breakpoints: automatic, then: [{after: 0s, message: more}]}
    - {name: c, workspace: two, user: {tokens: 3000}, breakpoints: {explicit: [{from_call: 0, at: [-1]}, {from_call: 1, at: [1, -2]}]}, then: [{after: 0s, message: more}]}
    - {name: d, workspace: two, user: {tokens: 3000}, breakpoints: none, then: [{after: 0s, message: more}]}
  answers:
    - {agent: "*", turns: [{text: one}, {text: two}, {text: three}]}
`,
	"long pauses": `
agentsim: 1
name: pauses
provider: {model: claude-sonnet-4-5-20250929, ttl: 1h}
script:
  main: {tools: [], system: {tokens: 1500}, user: {tokens: 3000}, then: [{after: 1s, message: more}, {after: 400s, message: more}, {after: 4000s, message: more}]}
  answers:
    - {agent: main, turns: [{text: one}, {text: two}, {text: three}, {text: four}]}
`,
	"short prompt": `
agentsim: 1
name: short
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m}
script:
  main: {tools: [], system: {tokens: 1500}, user: {tokens: 300}}
  answers:
    - {agent: main, turns: [{text: one}]}
`,
	"one system prompt": `
agentsim: 1
name: system
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m}
script:
  roots:
    - {name: a, tools: [], system: {tokens: 1500}, user: {tokens: 300}, then: [{after: 1s, message: more}]}
    - {name: b, at: 20s, tools: [], system: {tokens: 1500}, user: {tokens: 200}, then: [{after: 1s, message: {tokens: 900}}]}
    - {name: c, at: 60s, tools: [], system: {tokens: 1500}, user: {tokens: 400}, breakpoints: {explicit: [{from_call: 0, at: [-1]}]}}
  answers:
    - {agent: "*", turns: [{text: one}, {text: two}]}
`,
	"ends at a limit, with a call under way": `
agentsim: 1
name: limit
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m}
script:
  roots:
    - {name: a, user: {tokens: 30000}, then: [{after: 1s, message: more}]}
    - {name: b, at: 8s, user: {tokens: 30000}, then: [{after: 1s, message: more}]}
  answers:
    - {agent: "*", turns: [{text: one}, {text: {tokens: 9000}}, {text: three}]}
lab:
  limits: {time: 9s}
`,
	"faults of every kind": `
agentsim: 1
name: faults
provider: {model: claude-sonnet-4-5-20250929, ttl: 5m, fourth_mark: true}
script:
  main: {user: {tokens: 3000}, then: [{after: 1s, message: more}, {after: 1s, message: more}, {after: 290s, message: more}, {after: 20s, interrupt: true, message: more}]}
  answers:
    - {agent: main, turns: [{text: one}, {text: two}, {text: three}, {text: {tokens: 4000}}, {text: five}, {text: six}]}
lab:
  faults: ["529 agent=main call=2 attempt=1-2", "429 retry-after=4s agent=main call=3 attempt=1", "drop agent=main call=4 event=3 attempt=1"]
`,
}

func specOf(t testing.TB, text string, sets ...string) *sim.Spec {
	t.Helper()
	f, err := scenarios.Parse("case.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := f.Effective("", sets)
	if err != nil {
		t.Fatal(err)
	}
	sc.Seed = 7
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	spec.Policy = "random"
	return spec
}
