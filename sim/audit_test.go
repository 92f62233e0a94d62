package sim_test

import (
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/audit"
)

func TestAudit(t *testing.T) {
	t.Run("MET-03 each invariant is reached by runs of the library, and broken by none", func(t *testing.T) {
		var made int64
		reached := map[string]bool{}
		for _, r := range libraryResults(t) {
			made += r.res.Audit.Made
			for _, c := range r.res.Audit.Counts {
				reached[c.ID] = true
			}
			if err := r.res.Audit.Err(); err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
		}
		for _, c := range audit.Checks() {
			if !reached[c.ID] {
				t.Errorf("no run of the library reaches %s: %s", c.ID, c.What)
			}
		}
		t.Log(made)
	})
	t.Run("CRD-01 SUB-06 SUB-07 no run of any structure breaks an invariant on a client's layout", func(t *testing.T) {
		violationsOf(t, "project.client=claude-code@2.1.330", "fork-vs-subagent", "coordinator", "stopped-and-resumed", "custom-agents", "minimal-vs-full")
	})
	t.Run("CRD-08 LOOP-10 no run of coordinators, teams and who has a scratchpad breaks an invariant with the prompts of a profile", func(t *testing.T) {
		violationsOf(t, "profile=recorded-2026-11", "agent-servers", "coordinator", "custom-agents", "flipped-gate", "lazy-delegation", "recovery", "scratchpad", "side-question", "stopped-and-resumed", "team", "two-writers")
	})
	for name, text := range sound {
		t.Run(name, func(t *testing.T) {
			f, err := scenarios.Parse("sound.yaml", []byte("agentsim: 1\nname: sound\nprovider: {model: claude-sonnet-5-5}\n"+text))
			if err != nil {
				t.Fatal(err)
			}
			if err := violations(t, f, ""); err != nil {
				t.Error(err)
			}
		})
	}
}

// violationsOf reports what the runs of some of the library break with one key set.
func violationsOf(t *testing.T, set string, entries ...string) {
	t.Helper()
	for _, entry := range entries {
		f, err := scenarios.Open(entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, variant := range f.VariantNames() {
			if err := violations(t, f, variant, set); err != nil {
				t.Errorf("%s/%s: %v", entry, variant, err)
			}
		}
	}
}

// violations is what a run breaks.
func violations(t *testing.T, f *scenarios.File, variant string, sets ...string) error {
	t.Helper()
	sc, err := f.Effective(variant, sets)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := sim.NewSpec(sc, variant)
	if err != nil {
		t.Fatal(err)
	}
	res, err := sim.Run(spec, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return res.Audit.Err()
}

// sound are scenarios of which the auditor once reported what is none.
var sound = map[string]string{
	"SUB-08 what a client says of skills to a child alone did not come from its parent, though that has listed the same files": `
project:
  client: claude-code@2.1.330
  files: {internal/orders/validation_of_orders.go: "package orders\n"}
  parts: [{kind: skills, name: verify, text: "verify: Use it after a change of internal/orders/validation_of_orders.go."}]
script:
  main: {user: Have it looked at., tools: [Agent, Glob]}
  answers:
    - {agent: main, turns: [{glob: "**/*.go"}, {spawn: {subagent: [one], prompt: Look.}}, {say: Done.}]}
    - {agent: main/2.1, turns: [{say: Fine.}]}
`,
	"LEAN-01 LEAN-02 a child has CLAUDE.md and git status where its root leaves all context out": `
structure: subagent
project: {files: {a.go: {tokens: 2k}, b.go: {tokens: 2k}}, claude_md: {tokens: 3k}, git_status: {tokens: 1k}}
script: {main: {user: Go., context: false}}
work: [{id: x, kind: research, reads: [a.go]}, {id: y, kind: research, reads: [b.go]}]
`,
	"LEAN-01 LEAN-02 so has a coordinator's worker on a client's layout": `
structure: coordinator
project: {client: claude-code@2.1.330, files: {a.go: {tokens: 2k}, b.go: {tokens: 2k}}, claude_md: {tokens: 3k}, git_status: {tokens: 1k}}
script: {main: {user: Go., context: false}}
work: [{id: x, kind: research, reads: [a.go]}, {id: y, kind: research, reads: [b.go]}]
`,
	"AUD-04 a fork has seen what its parent wrote before": `
script:
  main: {user: Go., tools: [Agent, Write]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Write, input: {file_path: d.go, content: package d}}]
        - tools: [{name: Agent, input: {description: does it, prompt: Write it anew.}}]
        - {say: waiting, until: idle}
        - {say: Done.}
    - {agent: main/*, turns: [{tools: [{name: Write, input: {file_path: d.go, content: package e}}]}, {say: Done.}]}
lab: {permissions: {mode: bypassPermissions}, gates: {FORK_SUBAGENT: true}, interactive: true}
`,
	"SUB-08 a worker's prompt is another one once the scratchpad's gate has flipped": `
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{text: {tokens: 200}, tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: worker}}]}, {say: waiting, until: idle}, {say: Done.}]}
    - {agent: main/*, turns: [{say: Done.}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true, tengu_scratch: true}, gate_flips: [{gate: tengu_scratch, value: false, at: 1s}]}
`,
	"FLT-01 who starts after teams were switched off is without their tools": `
script:
  main: {user: Go., tools: [Agent, SendMessage, TeamCreate], then: [{at: 30s, message: Next.}]}
  answers:
    - {agent: main, turns: [{say: Ok.}, {tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: Done.}]}
    - {agent: main/*, turns: [{say: Done.}]}
lab: {gates: {AGENT_SWARMS: true}, gate_flips: [{gate: AGENT_SWARMS, value: false, at: 10s}]}
`,
	"SUB-11 coordinator mode that is switched on sends agents to the background": `
script:
  main: {user: Go., tools: [Agent], then: [{at: 60s, message: Next.}]}
  answers:
    - {agent: main, turns: [{say: Ok.}, {tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: waiting, until: idle}, {say: Done.}]}
    - {agent: main/*, turns: [{say: Done.}]}
lab: {gates: {COORDINATOR_MODE: true}, gate_flips: [{gate: CLAUDE_CODE_COORDINATOR_MODE, value: true, at: 30s}]}
`,
	"AUD-04 two remote agents have each a copy of a file": `
project: {files: {a.go: "one two\n"}}
script:
  main: {user: Go., tools: [Agent, Read, Edit]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, isolation: remote}}, {name: Agent, input: {description: b, prompt: b, isolation: remote}}]
        - {say: waiting, until: idle}
        - {say: Done.}
    - {agent: main/1.1, turns: [{read: a.go}, {edit: {file: a.go, old: one, new: "1"}}, {say: Done.}]}
    - {agent: main/1.2, turns: [{read: a.go}, {say: Wait a little., read: a.go}, {edit: {file: a.go, old: two, new: "2"}}, {say: Done.}]}
agents: {remote: {latency: 10ms}}
lab: {gates: {USER_TYPE: ant}}
`,
	"SUB-14 a teammate waits for its agent however long that takes": `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., tools: [Agent, Read, SendMessage, TeamCreate]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: crew, description: d}}]
        - tools: [{name: Agent, input: {description: a, prompt: a, name: mate1, team_name: crew}}]
        - {say: waiting, until: idle}
        - {say: Done.}
    - {agent: main/2.1, turns: [{tools: [{name: Agent, input: {description: b, prompt: b}}]}, {say: Done.}]}
    - {agent: main/2.1/1.1, turns: [{read: a.go}, {say: Done.}]}
agents: {tools: {read: 130s}}
lab: {gates: {AGENT_SWARMS: true, tengu_auto_background_agents: true}}
`,
	"AUD-04 who writes what stood there changes nothing": `
script:
  main: {user: Go., tools: [Agent, Write]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Write, input: {file_path: d.go, content: package d}}]
        - tools: [{name: Agent, input: {description: does it, prompt: Write it anew., subagent_type: general-purpose}}]
        - tools: [{name: Write, input: {file_path: d.go, content: package e}}]
        - {say: Done.}
    - {agent: main/*, turns: [{tools: [{name: Read, input: {file_path: d.go}}]}, {tools: [{name: Write, input: {file_path: d.go, content: package d}}]}, {say: Done.}]}
lab: {permissions: {mode: bypassPermissions}}
`,
	"MCP-03 a call that its user interrupts while it waits for servers names none": `
project:
  servers: [{name: db, tools: 3, connects: 40s}]
  files: {.claude/agents/own.md: "---\nname: own\ndescription: Own.\nrequiredMcpServers: db\n---\nYou are own.\n"}
script:
  main: {user: Go., tools: [Agent], then: [{at: 9s, interrupt: true}, {message: Go on.}]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: does it, prompt: Look at it., subagent_type: own}}]}, {say: Done.}]}
`,
	"PRM-01 SWM-05 nobody is asked about what no other session can be sent": `
script:
  roots:
    - {name: main, user: Go., tools: [SendMessage]}
    - {name: other, user: Wait., tools: [SendMessage]}
  answers:
    - {agent: main, turns: [{tools: [{name: SendMessage, input: {to: "bridge:other", message: {type: shutdown_request}}}]}, {say: Done.}]}
    - {agent: other, turns: [{say: Done.}]}
lab: {interactive: true, gates: {AGENT_SWARMS: true}, permissions: {answers: [{after: 3s, reply: allow}]}}
`,
	"SUB-07 MCP-06 a rule that denies a server takes its tools away, and no other server's": `
project: {servers: [{name: db, tools: 2}, {name: dbs, tools: 1}]}
script:
  main: {user: Go., tools: [Read, Agent]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: does it, prompt: Look.}}]}, {say: Done.}]}
    - {agent: main/*, turns: [{say: Done.}]}
lab: {permissions: {deny: ["mcp__db"]}}
`,
	"FLT-09 what a member asks for beside its word that it shuts down is not looked at": `
script:
  main: {user: Go., tools: [Agent, TeamCreate, TeamDelete, SendMessage]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: crew}}]
        - tools: [{name: Agent, input: {description: does it, prompt: Look., name: mate1, team_name: crew}}, {name: SendMessage, input: {to: mate1, message: {type: shutdown_request, reason: over}}}]
        - {say: waiting, until: idle}
        - {say: Done.}
    - agent: main/*
      turns:
        - {say: Ready.}
        - tools: [{name: SendMessage, input: {to: team-lead, message: {type: shutdown_response, request_id: shutdown-1@mate1, approve: true}}}, {name: TeamDelete, input: {}}]
lab: {gates: {AGENT_SWARMS: true}}
`,
	"SUB-23 a message with a field that there is none of goes nowhere": `
script:
  main: {user: Go., tools: [Agent, SendMessage]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: d, prompt: p, name: bob, run_in_background: true}}]
        - tools: [{name: SendMessage, input: {to: bob, message: hi, summary: s}}]
        - {say: waiting, until: idle}
    - {agent: main/*, turns: [{say: Done.}]}
lab: {gates: {AGENT_SWARMS: true}}
`,
	"CRD-11 a message with a field that there is none of resumes nobody": `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., tools: [Agent, SendMessage, TaskStop, Read]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: d, prompt: p, run_in_background: true}}]
        - tools: [{name: TaskStop, input: {task_id: $id(main/1.1)}}]
        - tools: [{name: SendMessage, input: {to: $id(main/1.1), message: x, zz: 2}}]
        - {say: waiting, until: idle}
    - {agent: main/*, turns: [{read: a.go}, {say: Done.}]}
lab: {gates: {AGENT_SWARMS: true}}
`,
	"SUB-05 a coordinator that names a model of no name starts nobody": `
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: d, prompt: p, subagent_type: worker, model: gpt-5}}]
        - {say: Done.}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}}
`,
	"SUB-03 GATE-02 a lead's Agent tool stays as it was though a gate flips and a server drops": `
project: {servers: [{name: db, tools: 2, changes: [{at: 20s, is: dropped}]}]}
script:
  main: {user: Go., tools: [Agent], then: [{at: 30s, message: Next.}]}
  answers:
    - {agent: main, turns: [{say: Ok.}, {say: Done.}]}
lab: {gate_flips: [{gate: AGENT_SWARMS, value: true, at: 10s}]}
`,
	"SUB-03 MCP-03 a lead's Agent tool that lists types by their servers follows the gates as a server drops": `
project:
  servers: [{name: db, tools: 2, changes: [{at: 20s, is: dropped}]}]
  files: {.claude/agents/own.md: "---\nname: own\ndescription: Own.\nrequiredMcpServers: db\n---\nYou are own.\n"}
script:
  main: {user: Go., tools: [Agent], then: [{at: 30s, message: Next.}]}
  answers:
    - {agent: main, turns: [{say: Ok.}, {say: Done.}]}
lab: {gate_flips: [{gate: AGENT_SWARMS, value: true, at: 10s}]}
`,
	"SUB-03 FRK-06 a fork that inserts a tool keeps its parent's Agent tool though a gate has flipped": `
project: {tool_search: inserted, servers: [{name: db, tools: 2}]}
script:
  main: {user: Go., tools: [Agent]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: d, prompt: p}}]
        - {say: waiting, until: idle}
    - {agent: main/*, turns: [{tools: [{name: ToolSearch, input: {query: "select:mcp__db__tool_1"}}]}, {say: Done.}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}, gate_flips: [{gate: AGENT_SWARMS, value: true, at: 1s}]}
`,
	"SUB-03 LOOP-10 a root that starts after gates have flipped is rendered as it starts": `
script:
  roots:
    - {name: main, user: Go., tools: [Agent]}
    - {name: other, user: Go., at: 20s, tools: [Agent]}
  answers:
    - {agent: main, turns: [{say: Done.}]}
    - {agent: other, turns: [{say: Done.}]}
lab: {interactive: true, gate_flips: [{gate: AGENT_SWARMS, value: true, at: 10s}, {gate: FORK_SUBAGENT, value: true, at: 11s}]}
`,
}
