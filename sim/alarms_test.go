package sim_test

import (
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/transcript"
)

// alarms are features too: runs that the auditor took for broken.
var alarms = []feature{
	{"SUB-08 PLN-03 a teammate of a lead that plans is told of plan mode in its lead's words", `
script:
  main: {user: Go., tools: [Agent, Read, Write, SendMessage, TeamCreate, EnterPlanMode, ExitPlanMode]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: t, description: d}}]
        - tools: [{name: EnterPlanMode, input: {}}]
        - tools: [{name: Agent, input: {description: a, prompt: a, name: al, team_name: t, mode: plan}}, {name: Agent, input: {description: b, prompt: b, name: bo, team_name: t, mode: acceptEdits}}]
        - {say: w, until: idle}
        - tools: [{name: SendMessage, input: {to: bo, message: {type: plan_approval_response, request_id: plan-1@bo, approve: true}}}]
        - {say: w, until: idle}
        - {say: w, until: idle}
    - {agent: main/3.1, turns: [{say: ok, until: idle}]}
    - agent: main/3.2
      turns:
        - tools: [{name: Write, input: {file_path: $plan(main/3.2), content: p}}]
        - tools: [{name: ExitPlanMode, input: {}}]
        - {say: w, until: idle}
        - tools: [{name: Write, input: {file_path: b.go, content: x}}]
        - {say: w, until: idle}
lab: {gates: {AGENT_SWARMS: true}, permissions: {mode: acceptEdits}}`},
	{"PRM-01 WKT-08 a rule speaks of a file by any of its names, and of no other file", `
project: {files: {a.go: "x\n", b.go: "x\n", secret.txt: "S\n"}}
script:
  main: {user: Go., tools: [Agent, Read, Edit]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}]
        - tools: [{name: Read, input: {file_path: a.go}}, {name: Read, input: {file_path: b.go}}]
        - tools: [{name: Edit, input: {file_path: a.go, old_string: x, new_string: y}}]
        - tools: [{name: Edit, input: {file_path: b.go, old_string: x, new_string: y}}]
        - {say: done}
    - agent: main/1.1
      turns:
        - tools: [{name: Read, input: {file_path: a.go}}, {name: Read, input: {file_path: /work/project/b.go}}, {name: Read, input: {file_path: /work/project/secret.txt}}]
        - tools: [{name: Edit, input: {file_path: a.go, old_string: x, new_string: y}}]
        - tools: [{name: Edit, input: {file_path: ./a.go, old_string: y, new_string: z}}]
        - tools: [{name: Edit, input: {file_path: ../../../b.go, old_string: x, new_string: y}}]
        - {say: done}
agents: {isolation: offered}
lab: {permissions: {mode: default, deny: ["Read(secret.txt)"], answers: [{reply: always}]}}
variants: {given: {lab: {permissions: {allow: ["Edit(/work/project/a.go)", "Edit(./b.go)"]}}}}`},
	{"DEF-10 MCP-07 a child that finds a tool keeps the Agent tool of its start, whatever types there are by then", `
project:
  files: {.claude/agents/needs.md: "---\nname: needs\ndescription: d\nrequiredMcpServers: [slow]\n---\nx\n"}
  servers: [{name: gh, tools: 1}, {name: slow, tools: 1, connects: 6s}]
  tool_search: inserted
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: done}]}
    - {agent: main/*, turns: [{run: sleep 9}, {tools: [{name: ToolSearch, input: {query: "select:mcp__gh__tool_1"}}]}, {say: ok}]}
lab: {permissions: {mode: bypassPermissions}}`},
	{"TSK-08 WKT-07 a message that is on its way as its sender fails reaches its receiver, or nobody", `
script:
  main: {user: Go., tools: [Agent, SendMessage]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, isolation: remote, name: far}}]
        - {say: w}
        - tools: [{name: SendMessage, input: {to: far, message: and more}}]
        - {say: done}
    - {agent: main/1.1, turns: [{say: ok}]}
agents: {remote: {latency: 5s}}
lab: {gates: {USER_TYPE: ant, AGENT_SWARMS: true}, faults: ["500 agent=main call=4"], retry: {max: 0}}`},
	{"FLT-09 MCP-06 no layer takes a tool from an agent that started when its server was gone, though its session has not looked since", `
project: {files: {.claude/agents/ed.md: "---\nname: ed\ndescription: d\ntools: [Read]\n---\nx\n"}, servers: [{name: gh, tools: 1, changes: [{at: 3s, is: dropped}]}]}
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Bash, input: {command: sleep 9}}, {name: Agent, input: {description: a, prompt: a, subagent_type: ed}}]}, {say: done}]}
    - {agent: main/*, turns: [{tools: [{name: mcp__gh__tool_1, input: {}}]}, {say: ok}]}
lab: {permissions: {mode: bypassPermissions}}`},
	{"FLT-09 FLT-11 a policy's worker has no internal tools, as any worker", `
project: {agents: {policy: {agents/worker.md: "---\nname: worker\ndescription: Works.\n---\nYou work.\n"}}}
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: worker}}]}, {say: done, until: idle}]}
    - {agent: main/*, turns: [{tools: [{name: SendMessage, input: {to: main, message: hi}}]}, {say: ok}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}}`},
	{"SUB-17 GATE-02 a teammate starts nobody in the background, also once teams are off", `
script:
  main: {user: Go., tools: [Agent, Bash, SendMessage, TeamCreate]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: t, description: d}}]
        - tools: [{name: Agent, input: {description: a, prompt: a, name: bo, team_name: t}}]
        - {run: sleep 30}
        - {say: w, until: idle}
    - agent: main/2.1
      turns: [{run: sleep 9}, {tools: [{name: Agent, input: {description: b, prompt: b, run_in_background: true}}]}, {say: ok}]
lab:
  gates: {AGENT_SWARMS: true}
  permissions: {mode: bypassPermissions}
  gate_flips: [{at: 9s, gate: AGENT_SWARMS, value: "false"}]`},
	{"TSK-10 MCP-07 CACHE-23 an agent that is resumed expects nothing of a prefix that it left for tools that it had found", foundAndResumed},
}

// foundAndResumed has a teammate killed in its first call with a tool that it has found, and
// resumed.
const foundAndResumed = `
project: {servers: [{name: gh, tools: 2}], tool_search: inserted}
script:
  main: {user: Go., tools: [Agent, SendMessage, TeamCreate], then: [{at: 10s, kill_agents: true}]}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: t, description: d}}]
        - tools: [{name: Agent, input: {description: a, prompt: a, name: alice, team_name: t}}]
        - {say: w}
        - tools: [{name: SendMessage, input: {to: alice, message: go on}}]
        - {say: w, until: idle}
    - agent: main/2.1
      turns:
        - {tools: [{name: ToolSearch, input: {query: "select:mcp__gh__tool_1"}}]}
        - {say: cut}
        - {tools: [{name: ToolSearch, input: {query: "select:mcp__gh__tool_2"}}]}
        - {tools: [{name: mcp__gh__tool_1, input: {}}]}
        - {say: ok, until: idle}
lab: {gates: {AGENT_SWARMS: true}, permissions: {mode: bypassPermissions}}`

func TestResumedWithTools(t *testing.T) {
	t.Run("TSK-10 MCP-07 an agent that is resumed keeps in front what it had found, also as it finds more", func(t *testing.T) {
		f, err := scenarios.Parse("my.yaml", []byte("agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}"+foundAndResumed+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		runOf(t, effective(t, f, f.VariantNames()[0]), transcript.NewText(&b))
		if !strings.Contains(b.String(), `detail="found mcp__gh__tool_2" tools=Agent,Read,Grep,Glob,Edit,SendMessage,TaskCreate,TaskGet,TaskList,TaskUpdate,ToolSearch,mcp__gh__tool_1,mcp__gh__tool_2`) {
			t.Error("the tool that was found first is gone")
		}
	})
}
