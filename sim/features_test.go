package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/transcript"
)

// feature is a small run.
type feature struct{ name, text string }

// features are small runs in which agents do what the stack says, and which an auditor that
// knows less than the stack would take for broken.
var features = []feature{
	{"FRK-10 a fork in a worktree of its own is told of its directory", `
script:
  main: {user: Go., tools: [Agent, Read, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}, {name: Agent, input: {description: b, prompt: b}}]}, {say: w, until: idle}]}
    - {agent: main/*, turns: [{say: "Scope: a"}]}
agents: {isolation: offered}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}}`},
	{"LOOP-07 FRK-10 DEF-06 what a child was started with stays in front of its summary", `
project: {files: {big.txt: {tokens: 5000}, more.txt: {tokens: 5000}, most.txt: {tokens: 5000}, .claude/agents/own.md: "---\nname: own\ndescription: Own.\nskills: s\ninitialPrompt: Begin so.\n---\nOwn.\n", .claude/skills/s/SKILL.md: "Be short.\n"}}
script:
  main: {user: Go., tools: [Agent, Read]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: Find it., subagent_type: own}}, {name: Agent, input: {description: b, prompt: b, isolation: worktree}}]}, {say: w, until: idle}]}
    - {agent: main/1.1, turns: [{read: big.txt}, {read: more.txt}, {read: most.txt}, {contains: <conversation-summary>, tools: [{name: Glob, input: {pattern: a}}]}, {contains: Find it., text: ok}]}
    - {agent: main/1.2, turns: [{read: big.txt}, {read: more.txt}, {read: most.txt}, {contains: <conversation-summary>, tools: [{name: Glob, input: {pattern: a}}]}, {contains: translate, text: "Scope: b"}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}, compaction: {window: 16_000}, permissions: {mode: bypassPermissions}}`},
	{"MCP-07 LOOP-07 tools that came later are told of in front of a summary", `
project: {files: {big.txt: {tokens: 5000}, more.txt: {tokens: 5000}, most.txt: {tokens: 5000}}, servers: [{name: gh, tools: 1}, {name: late, tools: 1, connects: 3s}]}
script:
  main: {user: Go., tools: [Read]}
  answers: [{agent: main, turns: [{read: big.txt}, {read: more.txt}, {read: most.txt}, {contains: <conversation-summary>, tools: [{name: Read, input: {file_path: a}}]}, {contains: mcp__late__tool_1, text: done}]}]
lab: {compaction: {window: 14_000}}
variants: {deferred: {project: {tool_search: deferred}}, inserted: {project: {tool_search: inserted}}, client: {project: {client: claude-code@2.1.330, tool_search: deferred}}}`},
	{"MCP-07 the tools of a child's own server can be found where no other server is there", `
project: {files: {.claude/agents/own.md: "---\nname: own\ndescription: Own.\nmcpServers:\n  - own: {type: stdio, command: o}\n---\nOwn.\n"}, servers: [{name: gh, changes: [{at: 1s, is: dropped}]}]}
script:
  main: {user: Go., tools: [Agent]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: own}}]}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}
variants: {deferred: {project: {tool_search: deferred}}, client: {project: {client: claude-code@2.1.330, tool_search: deferred}}}`},
	{"FRK-06 MCP-07 a fork beside a search has the tools of its parent's request", `
project: {servers: [{name: gh, tools: 1}], tool_search: inserted}
script:
  main: {user: Go., tools: [Agent, Read]}
  answers:
    - {agent: main, turns: [{tools: [{name: ToolSearch, input: {query: "select:mcp__gh__tool_1"}}, {name: Agent, input: {description: a, prompt: a}}]}, {tools: [{name: mcp__gh__tool_1, input: {}}]}, {say: w, until: idle}]}
    - {agent: main/*, turns: [{say: "Scope: a"}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}, permissions: {mode: bypassPermissions}}`},
	{"ISO-13 other settings behind other types of agents leave what was said", `
project: {files: {.claude/agents/late.md: "---\nname: late\ndescription: Late.\nrequiredMcpServers: [gh]\n---\nLate.\n"}, servers: [{name: gh, tools: 1, connects: 12s}], tool_search: inserted}
script:
  main: {user: Go., tools: [Agent, Bash], then: [{at: 14s, settings: {thinking: adaptive}}]}
  answers: [{agent: main, turns: [{run: sleep 30}, {say: done}]}]
lab: {permissions: {mode: bypassPermissions}}`},
	{"TSK-04 a notification meets an agent that goes on with an answer that was cut off", `
script:
  main: {user: Go., tools: [Agent, Read]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, run_in_background: true}}]}, {say: {tokens: 200}}, {say: {tokens: 200}}, {say: done, until: idle}]}
    - {agent: main/*, turns: [{say: ok}]}
lab: {faults: ["max-tokens keep=60 agent=main call=2-3"]}`},
	{"WKT-04 a worktree whose agent has started another one goes where nothing is changed", `
script:
  main: {user: Go., tools: [Agent, Read, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}]}, {say: done}]}
    - {agent: main/1.1, turns: [{tools: [{name: Agent, input: {description: b, prompt: b}}]}, {tools: [{name: Bash, input: {command: git status}}]}, {say: done}]}
    - {agent: main/1.1/1.1, turns: [{say: done}]}
agents: {isolation: offered}
lab: {permissions: {mode: bypassPermissions}}`},
	{"WKT-04 who started an agent in a worktree ends before it, and before whom the worktree was made for", `
project: {files: {.claude/agents/one.md: "---\nname: one\ndescription: One.\nmaxTurns: 1\n---\nOne.\n"}}
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}]}, {say: done}]}
    - {agent: main/1.1, turns: [{tools: [{name: Agent, input: {description: b, prompt: b, subagent_type: one}}]}, {run: sleep 60}, {say: done}]}
    - {agent: main/1.1/1.1, turns: [{tools: [{name: Agent, input: {description: c, prompt: c, run_in_background: true}}]}, {say: done}]}
    - {agent: main/1.1/1.1/1.1, turns: [{run: sleep 30}, {say: done}]}
lab: {permissions: {mode: bypassPermissions}}`},
	{"FLT-06 SUB-07 whoever plans of its own can end it, also where its session names nothing for that", `
project: {files: {.claude/agents/p.md: "---\nname: p\ndescription: Plans.\npermissionMode: plan\n---\nPlan.\n"}}
script:
  main: {user: Go., tools: [Agent, TeamCreate, SendMessage]}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: p}}, {name: TeamCreate, input: {team_name: t}}]
        - tools: [{name: Agent, input: {description: b, prompt: b, name: bo, team_name: t, mode: plan}}]
        - {say: w, until: idle}
    - {agent: main/1.1, turns: [{contains: ExitPlanMode, say: ok}]}
    - {agent: main/2.1, turns: [{contains: ExitPlanMode, say: ok}]}
lab: {gates: {AGENT_SWARMS: true}, permissions: {mode: default}}`},
	{"CRD-08 WKT-05 the scratchpad is one directory for workers in all worktrees", `
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: worker, isolation: worktree}}, {name: Agent, input: {description: b, prompt: b, subagent_type: worker, isolation: worktree}}]
        - {say: w, until: idle}
    - {agent: main/1.1, turns: [{tools: [{name: Write, input: {file_path: /work/project/.scratchpad/f.md, content: "FOUND IT\n"}}]}, {say: ok}]}
    - {agent: main/1.2, turns: [{run: sleep 20}, {tools: [{name: Read, input: {file_path: .scratchpad/f.md}}]}, {contains: FOUND IT, say: ok}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true, tengu_scratch: true}, permissions: {mode: default}}`},
	{"PLN-03 DEF-06 a child that plans by its definition is told so in front of its prompt", `
project: {files: {.claude/agents/p.md: "---\nname: p\ndescription: Plans.\npermissionMode: plan\nskills: s\n---\nPlan.\n", .claude/skills/s/SKILL.md: "Be short.\n"}}
script:
  main: {user: Go., tools: [Agent, Read, Write, ExitPlanMode]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: p}}]}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}
lab: {permissions: {mode: default}}`},
	{"FLT-09 no layer takes from a simple worker what it was not offered", `
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: worker}}]}, {say: w, until: idle}]}
    - {agent: main/*, turns: [{tools: [{name: Agent, input: {description: b, prompt: b, subagent_type: worker}}, {name: Grep, input: {pattern: b}}]}, {say: ok}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true, CLAUDE_CODE_SIMPLE: true}}`},
	{"SWM-05 PRM-01 a message over a bridge is asked about in every mode", `
script:
  roots:
    - {name: one, user: Go., tools: [SendMessage]}
    - {name: two, user: Go., tools: [SendMessage]}
  answers:
    - {agent: one, turns: [{tools: [{name: SendMessage, input: {to: "bridge:two", message: Hello there.}}]}, {say: done}]}
    - {agent: two, turns: [{say: done}, {say: done}]}
lab: {gates: {AGENT_SWARMS: true}, permissions: {mode: bypassPermissions}}`},
	{"SUB-04 nobody forks into a team", `
script:
  main: {user: Go., tools: [Agent, SendMessage, TeamCreate]}
  answers:
    - {agent: main, turns: [{tools: [{name: TeamCreate, input: {team_name: t}}, {name: Agent, input: {description: a, prompt: a, name: m, team_name: t}}]}, {say: w, until: idle}]}
    - {agent: main/*, turns: [{say: ok, until: idle}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true, AGENT_SWARMS: true}}`},
	{"SUB-17 SUB-11 AUD-05 a teammate in a pane starts agents in the background", `
script:
  main: {user: Go., tools: [Agent, SendMessage, TeamCreate]}
  answers:
    - {agent: main, turns: [{tools: [{name: TeamCreate, input: {team_name: t}}, {name: Agent, input: {description: a, prompt: a, name: m, team_name: t}}]}, {say: w, until: idle}]}
    - {agent: main/1.2, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, run_in_background: true}}, {name: Agent, input: {description: b, prompt: b}}]}, {say: w, until: idle}]}
    - {agent: main/1.2/1.2, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, run_in_background: true}}]}, {say: w, until: idle}]}
    - {agent: main/1.2/*, turns: [{say: ok}]}
    - {agent: main/1.2/1.2/*, turns: [{say: ok}]}
agents: {teams: {inside: tmux, installed: [tmux]}}
lab: {interactive: true, gates: {AGENT_SWARMS: true}}`},
	{"LOOP-12 marks in a system prompt move with the tools in front of it", `
project: {servers: [{name: db, tools: 2, connects: 1s}], files: {a.go: "package a\n"}}
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{read: a.go}, {read: a.go}, {say: done}]}`},
	{"LOOP-10 SUB-08 a child is told of the tools that can be found as it starts", `
project: {tool_search: deferred, servers: [{name: db, tools: 6, connects: 1s}], files: {a.go: "package a\n"}}
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{read: a.go}, {spawn: {subagent: [x], prompt: Look.}}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}`},
	{"WKT-05 a worktree has what was merged before it was made", `
project: {files: {a.go: {tokens: 300, class: code}, b.go: {tokens: 300, class: code}}}
structure: subagent
agents: {isolation: worktree}
script: {main: {user: Do both., tools: [Agent, Read, Glob, Grep, Edit, Bash]}}
work:
  - {id: one, kind: implement, edits: [{file: a.go, tokens: 60}]}
  - {id: two, kind: implement, after: [one], reads: [a.go], edits: [{file: b.go, tokens: 60}]}
lab: {permissions: {allow: ["Bash(git:*)"]}}`},
	{"SUB-05 a definition's worktree is refused where there is no repository", `
project: {repository: none, files: {.claude/agents/t.md: "---\nname: t\ndescription: T.\nisolation: worktree\n---\nWork apart.\n"}}
script:
  main: {user: Go., tools: [Agent]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: t}}]}, {say: done}]}
agents: {isolation: offered}`},
	{"LOOP-07 a scripted agent is asked for a summary, and its next turn is still to come", `
project: {files: {a.go: {tokens: 4_000}, b.go: {tokens: 4_000}, c.go: {tokens: 4_000}}}
script:
  main: {user: Go., system: {tokens: 4_000}, tools: [Read, Glob]}
  answers:
    - {agent: main, turns: [{read: a.go}, {read: b.go}, {read: c.go}, {glob: "*.go"}, {say: done}]}
lab: {compaction: {window: 20k, share: 70}}`},
	{"CRD-06 SUB-11 AUD-05 a coordinator waits for its workers where background tasks are disabled", `
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: x, subagent_type: worker}}, {name: Agent, input: {description: b, prompt: x, subagent_type: worker}}]}, {say: Ok.}]}
    - {agent: main/*, turns: [{tools: [{name: Agent, input: {description: c, prompt: x, subagent_type: worker}}]}, {say: The report.}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true, CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: true}}`},
	{"SUB-05 fields of a call that are ill-typed are refused, and those that are not offered are read over", `
script:
  main: {user: Go., tools: [Agent]}
  answers:
    - agent: main
      turns:
        - tools:
            - {name: Agent, input: {description: a, prompt: a, model: ""}}
            - {name: Agent, input: {description: b, prompt: b, isolation: ""}}
            - {name: Agent, input: {description: c, prompt: c, run_in_background: {x: 1}}}
            - {name: Agent, input: {description: d, prompt: d, name: 3, mode: 3}}
        - {say: done}
    - {agent: "main/*", turns: [{say: ok}]}`},
	{"SUB-23 a message that is no text, or none, is refused whoever bears the name", `
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: look, prompt: Look., subagent_type: worker, name: w1}}]
        - tools: [{name: SendMessage, input: {to: w1, message: ""}}, {name: SendMessage, input: {to: w1}}, {name: SendMessage, input: {to: w1, message: {type: shutdown_request}}}]
        - {say: ok., until: idle}
    - {agent: main/1.1, turns: [{say: Done.}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}}`},
	{"PRM-01 VER-01 a verification's call of Bash without a command writes no temporary file", `
project: {files: {a.go: "package a\n"}, agents: {built_ins: [verification]}}
script:
  main: {user: Go., tools: [Agent, Read, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: verification}}]}, {say: done, until: idle}]}
    - {agent: main/1.1, turns: [{tools: [{name: Bash, input: {}}]}, {say: "VERDICT: PASS"}]}
lab: {permissions: {mode: default}}`},
	{"FLT-09 no layer takes what a server brings after the child has started", `
project: {servers: [{name: db, tools: 1, connects: 12s}], files: {.claude/agents/t.md: "---\nname: t\ndescription: T.\ntools: Bash\n---\nWork.\n"}}
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: t, run_in_background: true}}]}, {run: "sleep 12"}, {say: done, until: idle}]}
    - {agent: main/*, turns: [{run: "sleep 20"}, {tools: [{name: mcp__db__tool_1, input: {}}]}, {say: ok}]}
lab: {permissions: {mode: bypassPermissions}}`},
	{"BTW-01 a side question goes on from the last request before it, though another goes out at its instant", `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., then: [{at: 3s, interrupt: true, message: more}, {at: 3s, aside: {ask: "what?"}}]}
  answers:
    - {agent: main, turns: [{read: a.go}, {say: {tokens: 300}}, {say: done, until: idle}]}`},
	{"WKT-04 a notification tells of the worktree as its activation has left it", `
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: worker, isolation: worktree, name: bob}}]
        - {say: {tokens: 300}, tools: [{name: SendMessage, input: {to: bob, message: go on}}]}
        - {say: w, until: idle}
    - {agent: main/*, turns: [{say: done}, {say: done}]}
agents: {isolation: offered}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}}`},
	{"FRK-08 what a fork said beside a call comes home where its last answer is empty, and begins otherwise", `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., tools: [Agent, Read]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: w, until: idle}]}
    - {agent: main/1.1, turns: [{text: so, tools: [{name: Read, input: {file_path: a.go}}]}, {say: "Scope: a"}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}, faults: ["empty agent=main/1.1 call=2"]}`},
	{"FRK-08 a report without a word does not begin with its scope", `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., tools: [Agent, Read]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: w, until: idle}]}
    - {agent: main/1.1, turns: [{read: a.go}, {say: "Scope: a"}]}
lab: {interactive: true, gates: {FORK_SUBAGENT: true}, faults: ["empty agent=main/1.1 call=2"]}`},
	{"SUB-08 PLN-03 plan files of a child and its parent are in one directory, and their names may begin alike", `
seed: 6
project: {files: {.claude/agents/p.md: "---\nname: p\ndescription: P.\npermissionMode: plan\n---\nPlan.\n"}}
script:
  main: {user: Go., tools: [Agent, Write, ExitPlanMode]}
  answers:
    - {agent: main, turns: [{tools: [{name: Write, input: {file_path: $plan(main), content: p}}]}, {tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: p}}]}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}
lab: {permissions: {mode: default, allow: [Write]}}`},
	{"FLT-09 no layer takes from a child what went with teams before it started", `
script:
  main: {user: Go., tools: [Agent, Bash, SendMessage, TeamCreate, TaskList]}
  answers:
    - {agent: main, turns: [{run: sleep 9}, {tools: [{name: Agent, input: {description: a, prompt: a, run_in_background: true}}]}, {say: w, until: idle}]}
    - {agent: main/*, turns: [{tools: [{name: TaskList, input: {}}]}, {say: ok}]}
lab: {gates: {AGENT_SWARMS: true}, gate_flips: [{at: 5s, gate: AGENT_SWARMS, value: false}], permissions: {mode: bypassPermissions}}`},
	{"CACHE-L6 a side question pays for a stream that broke", `
project: {files: {a.go: "package a\n"}}
script:
  main: {user: Go., tools: [Read], then: [{at: 20s, aside: {ask: "what?"}}]}
  answers:
    - {agent: main, turns: [{read: a.go}, {say: done, until: idle}]}
lab: {faults: ["drop event=5 agent=main/aside-1 attempt=1"]}`},
	{"DEF-06 an initial prompt may be a skill's slash command", `
project: {files: {.claude/skills/style/SKILL.md: "---\nname: style\ndescription: s\n---\nShort sentences.\n", .claude/agents/ip.md: "---\nname: ip\ndescription: d\ninitialPrompt: /style now\n---\nx\n"}}
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: ip}}]}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}`},
	{"WKT-05 files of another worktree are read by their own paths", `
project: {files: {a.go: "package a\n\nconst Limit = 10\n"}}
script:
  main: {user: Go., tools: [Agent, Read, Edit, Bash]}
  answers:
    - agent: main
      turns:
        - {tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}]}
        - {read: /work/project/.claude/worktrees/agent-a326c762/a.go}
        - {edit: {file: a.go, old: "10", new: "30"}}
        - {read: a.go}
        - {edit: {file: a.go, old: "10", new: "30"}}
        - {tools: [{name: Agent, input: {description: b, prompt: b, isolation: worktree}}]}
        - {say: done}
    - {agent: main/1.1, turns: [{read: a.go}, {edit: {file: a.go, old: "10", new: "20"}}, {read: /work/project/a.go}, {tools: [{name: Edit, input: {file_path: /work/project/a.go, old_string: "10", new_string: "40"}}]}, {say: done}]}
    - {agent: main/6.1, turns: [{read: /work/project/a.go}, {read: ../agent-a326c762/a.go}, {read: a.go}, {edit: {file: a.go, old: "10", new: "50"}}, {say: done}]}
lab: {permissions: {mode: bypassPermissions}}`},
	{"WKT-08 an environment that nobody offers is none of a call's wishes", `
project: {files: {.claude/agents/t.md: "---\nname: t\ndescription: T.\nisolation: worktree\n---\nWork apart.\n"}}
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: t, isolation: remote}}]}, {say: done}]}
    - {agent: main/*, turns: [{say: ok}]}`},
	{"DEF-10 SUB-03 the Agent tool of a child whose server connects late is that of its start", `
project:
  files:
    .claude/agents/needs.md: "---\nname: needs\ndescription: d\nrequiredMcpServers: [slow]\n---\nx\n"
    .claude/agents/own.md: "---\nname: own\ndescription: d\nmcpServers:\n  - own: {type: stdio, command: o}\n---\nx\n"
  servers: [{name: slow, tools: 1, connects: 5s}, {name: own, tools: 1, opens: agents, connects: 9s}]
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: do it now, prompt: go, subagent_type: own}}]}, {say: done, until: idle}]}
    - {agent: main/1.1, turns: [{say: ok}]}
lab:
  gates: {AGENT_SWARMS: true}
  gate_flips: [{at: 6s, gate: CLAUDE_CODE_DISABLE_BACKGROUND_TASKS, value: "true"}]`},
	{"TSK-05 the result of a remote agent comes home also where nobody is left to hear it", `
project: {files: {a.go: "1\n"}}
script:
  main: {user: Go., tools: [Agent, Bash], then: [{at: 20s, interrupt: true}, {message: next}]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a}}]}, {say: done}, {say: done}]}
    - {agent: main/1.1, turns: [{tools: [{name: Agent, input: {description: b, prompt: b, isolation: remote}}]}, {say: w, until: idle}]}
    - {agent: main/1.1/1.1, turns: [{run: sleep 60}, {say: ok}]}
agents: {remote: {}}
lab: {gates: {USER_TYPE: ant}, permissions: {mode: bypassPermissions}}`},
	{"DEF-10 SUB-03 the Agent tool of a teammate in a pane is that of its start", `
project:
  files: {.claude/agents/needs.md: "---\nname: needs\ndescription: d\nrequiredMcpServers: [slow]\n---\nx\n"}
  servers: [{name: slow, tools: 1, connects: 5s}]
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: TeamCreate, input: {team_name: t, description: d}}]
        - tools: [{name: Agent, input: {description: a, prompt: a, name: bo, team_name: t}}]
        - {say: w, until: idle}
    - {agent: main/2.1, turns: [{say: ok}]}
agents: {teams: {inside: tmux, installed: [tmux]}}
lab:
  interactive: true
  gates: {AGENT_SWARMS: true}
  gate_flips: [{at: 6s, gate: tengu_slim_subagent_claudemd, value: true}]`},
	{"LOOP-07 an agent goes on with a full history for a call where no summary came", `
project: {files: {a.go: {tokens: 4_000}, b.go: {tokens: 4_000}, c.go: {tokens: 4_000}}}
script:
  main: {user: Go., system: {tokens: 4_000}, tools: [Read, Glob]}
  answers:
    - {agent: main, turns: [{read: a.go}, {read: b.go}, {read: c.go}, {glob: "*.go"}, {glob: "*.go"}, {say: done}]}
lab: {compaction: {window: 20k, share: 70}}
variants: {empty: {lab: {faults: ["empty agent=main call=5"]}}, refused: {lab: {faults: ["refusal agent=main call=5"]}}}`},
	{"SUB-23 a message in front of the call that starts its receiver is refused", `
script:
  main: {user: Go.}
  answers:
    - agent: main
      turns:
        - tools: [{name: SendMessage, input: {to: bob, message: go on}}, {name: Agent, input: {description: a, prompt: a, subagent_type: worker, name: bob}}]
        - tools: [{name: SendMessage, input: {to: bob, message: go on}}]
        - {say: w, until: idle}
    - {agent: main/*, turns: [{say: done}, {say: done}]}
lab: {gates: {COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true}}`},
	{"DEF-11 what a type that only looks writes in the background is told, also where its end stops the command", `
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, subagent_type: Explore}}, {name: Agent, input: {description: b, prompt: b, subagent_type: Explore}}]}, {say: done, until: idle}]}
    - {agent: main/1.1, turns: [{tools: [{name: Bash, input: {command: "echo x > e; sleep 60; echo y > f", run_in_background: true}}]}, {say: ok}]}
    - {agent: main/1.2, turns: [{tools: [{name: Bash, input: {command: "echo x > b; sleep 1; echo y > c", run_in_background: true}}]}, {run: "sleep 5; echo z > d"}, {say: ok}]}
lab: {gates: {USER_TYPE: ant}, permissions: {mode: bypassPermissions}}`},
}

func TestFeatures(t *testing.T) {
	for _, c := range slices.Concat(features, alarms) {
		t.Run(c.name, func(t *testing.T) {
			audited(t, "agentsim: 1\nname: feature\nprovider: {model: claude-sonnet-5-5}"+c.text+"\n")
		})
	}
}

// planningTeam is a team whose member plans by its definition.
const planningTeam = `agentsim: 1
name: planned
provider: {model: claude-sonnet-5-5}
project: {files: {pkg/a.go: {tokens: 500, class: code}, .claude/agents/own.md: "---\nname: own\ndescription: Own.\npermissionMode: plan\n---\nYou are own.\n"}}
structure: team
agents: {type: own}
script: {main: {user: Do it., tools: [Agent, Read, Edit, Write, Glob, Grep, Bash, SendMessage, TeamCreate, TeamDelete, TaskCreate, TaskGet, TaskList, TaskUpdate, ExitPlanMode]}}
work: [{id: ea, kind: implement, edits: [{file: pkg/a.go, tokens: 50}]}]
lab: {permissions: {mode: default}}
`

func TestPlansOfATeam(t *testing.T) {
	t.Run("PLN-04 SWM-06 a member sends its plan to its lead, who approves, and it begins", func(t *testing.T) {
		f, err := scenarios.Parse("planned.yaml", []byte(planningTeam))
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
		var b strings.Builder
		if err := runOf(t, spec, transcript.NewText(&b)).Audit.Err(); err != nil {
			t.Error(err)
		}
		for _, want := range []string{"type=plan_approval_request", "type=plan_approval_response mode=default", " item item=ea outcome=done"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("no %q", want)
			}
		}
		if strings.Contains(b.String(), "tool=ExitPlanMode mode=plan decision=ask") {
			t.Error("its user was asked about the plan")
		}
	})
}

// audited runs a scenario as a user writes it, each variant, and fails where it breaks an
// invariant.
func audited(t *testing.T, text string) {
	t.Helper()
	f, err := scenarios.Parse("feature.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range f.VariantNames() {
		if err := violations(t, f, variant); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}
