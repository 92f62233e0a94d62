package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// careful is a scenario with a definition that has a hook, and what that does.
const careful = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5}
structure: subagent
script: {main: {user: Go.}}
work: [{id: a, kind: implement, edits: [{file: a.go, tokens: 20}], agent: {type: careful}}]
project:
  files:
    a.go: one
    .claude/agents/careful.md: |
      ---
      name: careful
      description: Careful.
      hooks: {PreToolUse: [{matcher: Edit, hooks: [{type: command, command: ./check.sh}]}]}
      ---
      Work.
  agents: {hooks: [{%s, outcome: record}]}
lab: {permissions: {mode: bypassPermissions}}
`

// work is a scenario with one item and without files.
const work = "agentsim: 1\nname: my\nstructure: subagent\nprovider: {model: claude-sonnet-5-5}\nscript: {main: {user: Go.}}\nwork: [{id: a, kind: research, reads: [a.go]}]\n"

// alone is why nobody is held.
const alone = "no answer starts agents that would begin together and share what stands in front of them"

// told runs a scenario and holds what it is told of it.
func told(t *testing.T, text, want string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(filepath.Join(".", "my.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, got := try(nil, "run", "my.yaml", "--record", "none")
	if got = strings.ReplaceAll(strings.TrimSpace(got), "my.yaml:", ""); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSilentDecisions runs scenarios with settings that decide nothing in this run.
func TestSilentDecisions(t *testing.T) {
	two := strings.Replace(work, "}]", "}, {id: b, kind: research, reads: [b.go]}]", 1) + "project: {files: {a.go: {tokens: 2k}, b.go: {tokens: 2k}}}\n"
	const planned = "8:27: permissions.mode has no effect: no call is decided otherwise for plan mode, and nothing is planned"
	for _, x := range []struct{ name, text, want string }{
		{"CACHE-29 children that are held though no answer starts two", two + "model: {spawns_per_turn: 1}\nlab: {fan_out: {hold: first-response}}\n", "9:23: fan_out.hold has no effect: " + alone},
		{"CACHE-29 children that are held where an answer starts two are told of nowhere", two + "lab: {fan_out: {hold: first-response}}\n", ""},
		{"CRD-10 what a coordinator decides over research alone", strings.Replace(two, "subagent", "coordinator", 1) +
			"agents: {coordinator: {broad: 1, corrections: 0, approaches: 0, overlap: true, synthesis: needed, workers: spawn}}\n",
			"8:108: coordinator.workers has no effect: each item goes to whom it goes with workers: table\n8:91: coordinator.synthesis has no effect: no implementation waits for other research than with synthesis: strict\n" +
				"8:31: coordinator.broad has no effect: each item goes to whom it goes with broad: 3\n8:47: coordinator.corrections has no effect: no item fails so often that another number than 1 matters\n" +
				"8:62: coordinator.approaches has no effect: no item fails so often that another number than 1 matters\n8:74: coordinator.overlap has no effect: no two items of the same files could be under way at one time"},
		{"GATE-01 gates that decide nothing here", two + "lab: {gates: {tengu_auto_background_agents: true, tengu_slim_subagent_claudemd: false, USER_TYPE: ant}}\n",
			"8:45: gates.tengu_auto_background_agents has no effect: nobody waits for an agent so long that it moves to the background\n" +
				"8:81: gates.tengu_slim_subagent_claudemd has no effect: no agent is started of a type that goes without CLAUDE.md where there is one\n" +
				"8:99: gates.USER_TYPE has no effect: no agent of type Explore takes its own model, and no call asks for isolation: remote"},
		{"SWM-10 nobody asks who sits at the terminal of a team without panes", strings.Replace(two, "structure: subagent", "compare: [inline, team]", 1) + "lab: {interactive: true}\n",
			"8:7: interactive has no effect: only forks need it, and gate FORK_SUBAGENT is off (inline), only forks and panes need it; gate FORK_SUBAGENT is off, and no terminal has panes (team)"},
		{"FRK-06 forks that are rendered anew as they were", strings.Replace(two, "subagent", "fork", 1) + "lab: {forks: {rerender: true}}\n",
			"8:25: forks.rerender has no effect: nothing would be rendered otherwise than it was: what forks inherit is the same"},
		{"FRK-06 what decides nothing in one variant is told with its name", strings.Replace(two, "structure: subagent", "compare: [fork]", 1) + "variants: {a: {structure: fork}, b: {structure: fork, lab: {forks: {rerender: true}}}}\n",
			"8:79: forks.rerender has no effect in variant b: nothing would be rendered otherwise than it was: what forks inherit is the same"},
		{"CACHE-23 CACHE-18 options of the cache that no figure depends on", strings.Replace(two, "5-5}", "5-5, options: {late_expiry: 1m, checkpoints_capped: true, collapse_noise: {share: 1, to: nothing}, visibility_lag: {share: 1, window: 1s}}}", 1),
			"4:61: provider.options.late_expiry has no effect: nothing in the cache was asked for after its TTL\n" +
				"4:85: provider.options.checkpoints_capped has no effect: no request on Bedrock has more than two breakpoints\n" +
				"4:148: provider.options.visibility_lag has no effect: no request drew it\n4:107: provider.options.collapse_noise has no effect: no request drew it"},
		{"CACHE-23 a late expiry that kept something is told of nowhere", "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5, options: {late_expiry: 1m}}\n" +
			"script: {main: {user: Go., system: {tokens: 5k}, then: [{after: 5m10s, message: More.}]}, answers: [{agent: main, turns: [{say: Yes.}, {say: No.}]}]}\n", ""},
		{"PRM-01 plan mode over work that only reads", two + "lab: {permissions: {mode: plan}}\n", planned},
		{"PRM-01 plan mode over work that only reads, in stack minimal", two + "lab: {permissions: {mode: plan}, stack: minimal}\n", planned},
		{"PRM-01 plan mode in which somebody would edit is told of nowhere", strings.NewReplacer("kind: research, reads: [a.go]", "kind: implement, edits: [{file: a.go, tokens: 9}]", "2k}, b", "2k, class: code}, b").Replace(two) +
			"agents: {plan: 300}\nlab: {permissions: {mode: plan}}\n", ""},
		{"CON-13 the size of summaries that no run passes on", strings.NewReplacer("reads: [b.go]", "knows: [f]", "b.go: {tokens: 2k}}", "b.go: one}, facts: [{name: f, file: b.go, line: 1, grade: verbatim}]").Replace(two) +
			"model: {gist_tokens: 9}\n", "8:22: model.gist_tokens has no effect: nothing of that size is passed on"},
	} {
		t.Run(x.name+"", func(t *testing.T) { told(t, x.text, x.want) })
	}
}

// TestSilent runs scenarios with settings that this run does not come to.
func TestSilent(t *testing.T) {
	const files = "project: {files: {a.go: {tokens: 2k}}"
	const said = "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}\nscript: {main: {user: Go., tools: [Read, Bash]}, answers: [{agent: main, turns: [{run: \"%s\"}, {say: Done.}]}]}\n"
	const tests = files + ", tests: [{command: go test ./..., takes: 9s, files: \"*\"}]}\nlab: {permissions: {mode: bypassPermissions}}\n"
	const noted = "project: {files: {a.go: {tokens: 2k}, b.md: x}}\nmodel: {obeys: true}\n"
	const injected = "lab: {injections: [{name: i, file: b.md, line: 1, text: y, runs: \"rm a.go\"}]}\n"
	for _, x := range []struct{ name, text, want string }{
		{"SCN-04 turns behind one that calls no tool", strings.Replace(said, "{run: \"%s\"}", "{say: Wait.}, {run: ls}", 1),
			"4:96: turn 2 of the answers of main has no effect: nobody comes to it: turn 1 calls no tool, which ends an answer, and no message came after it"},
		{"SCN-04 text to spare for a message more is told of nowhere", strings.Replace(said, "{run: \"%s\"}", "{run: ls}, {say: Noted.}", 1), ""},
		{"SCN-04 an alias that nobody asks for", strings.Replace(work, "5-5}", "5-5, aliases: {haiku: claude-haiku-5-5}}", 1) + files + "}\n",
			"4:48: provider.aliases.haiku has no effect: nobody asks for model haiku"},
		{"SCN-04 an alias that a value of the sweep asks for is told of nowhere", strings.Replace(work, "5-5}", "5-5, aliases: {haiku: claude-haiku-5-5}}", 1) + files + "}\nsweep: {provider.subagent_model: [haiku]}\n", ""},
		{"SCN-04 heads that are larger than they are to be", work + files + "}\nagents: {heads: [{type: main, shared: 1, prompt: 2}]}\n",
			"8:39: heads.1.shared has no effect: 3541 tokens are there already\n8:50: heads.1.prompt has no effect: 3649 tokens are there already"},
		{"SCN-04 heads of which some draws are too small", work + files + "}\nagents: {heads: [{type: main, shared: 9k, prompt: {uniform: [9k, 9_050]}}]}\n",
			"8:51: heads.1.prompt has no effect in draws below that: 9116 tokens are there already"},
		{"BTW-03 a user who is never away", work + files + "}\nagents: {hidden: {away: 3m}}\n", "8:25: hidden.away has no effect: no user was away so long after an answer that ended a turn"},
		{"BTW-03 a user who is away in one variant alone is told of nowhere", work + files + "}\nagents: {hidden: {away: 3m}}\nvariants: {b: {script: {main: {then: [{at: 9m, message: Hi.}]}}}, a: {}}\n", ""},
		{"BTW-03 a suggestion that no answer draws", work + files + "}\nagents: {hidden: {suggestion: 1}}\n", "8:31: hidden.suggestion has no effect: no answer that ended a turn drew one"},
		{"MCP-05 a server that nobody opens, one that connects too late, and changes after the end", work + files + ", servers: [{name: gh, opens: agents}, {name: late, connects: 9h}, {name: ok, tools: 1, changes: [{at: 9h, is: dropped}]}]}\n",
			"7:51: project.servers.gh has no effect: only definitions open it, and there are none\n7:77: project.servers.late has no effect: it connects after the last agent's end\n7:136: project.servers.ok.changes.1 has no effect: all agents have ended by then"},
		{"SCN-02 a test that no scripted agent runs", strings.Replace(said, "%s", "ls", 1) + tests, "5:48: project.tests.1 has no effect: nobody ran \"go test ./...\""},
		{"SCN-02 a test that a scripted agent runs is told of nowhere", strings.Replace(said, "%s", "go test ./...", 1) + tests, ""},
		{"LOOP-07 histories that are never full", work + files + "}\nlab: {compaction: {share: 90}}\n", "8:19: compaction has no effect: no history was full: the largest had 6419 tokens"},
		{"LOOP-07 no budget of summaries where there are none", work + files + "}\nlab: {compaction: {share: 0, budget: 300, window: 2k}}\n",
			"8:30: compaction.budget has no effect: compaction.share is 0, so no history is summed up\n8:43: compaction.window has no effect: compaction.share is 0, so no history is summed up"},
		{"LOOP-07 histories that are full are told of nowhere", work + files + "}\nlab: {compaction: {window: 4k}}\n", ""},
		{"LOOP-11 results that are never replaced", work + files + "}\nagents: {tools: {replace_over: 90_000}}\n", "8:32: tools.replace_over has no effect: no result is so large"},
		{"LOOP-11 sizes that flip where no result is so large", work + files + "}\nlab: {replace_flips: [{at: 1s, over: 90_000}]}\n", "8:38: replace_flips.1.over has no effect: no result is so large"},
		{"PRM-01 tools of a type of which nobody is", work + files + "}\nlab: {permissions: {allowed_tools: {Explore: [Read]}}}\n", "8:37: permissions.allowed_tools.Explore has no effect: no agent of type Explore is started"},
		{"GATE-01 gates of how children are started, where all are forks", strings.Replace(work, "subagent", "fork", 1) + files + "}\nlab: {gates: {KAIROS: true}}\n",
			"8:15: gates.KAIROS has no effect: all children are forks, which run in the background with what their parent has"},
		{"LOOP-11 a variant's own size in place of its file's has had its effect", work + files + "}\nagents: {tools: {replace_over: 80_000}}\nvariants: {a: {}, b: {agents: {tools: {replace_over: 90_000}}}}\n",
			"8:32: tools.replace_over has no effect: no result is so large"},
		{"TSK-09 outputs that are never let go", work + files + "}\nlab: {limits: {evict_after: 20m}}\n", "8:29: limits.evict_after has no effect: the run ends before any output of an agent in the background is let go"},
		{"CON-13 budgets of what nobody passes on", work + files + "}\nmodel: {gist_tokens: 9, report_budget: 99, prompt_budget: 99}\n",
			"8:9: model.gist_tokens has no effect: nothing is passed on: no item knows or yields anything\n8:25: model.report_budget has no effect: no item knows or yields anything that a report could pass on"},
		{"DEF-06 what a hook does that no definition has", strings.Replace(careful, "%s", "command: ./chek.sh", 1), "17:20: project.agents.hooks.1 has no effect: no definition has a hook ./chek.sh"},
		{"DEF-06 what a hook does that hears no such tool", strings.Replace(careful, "%s", "command: ./check.sh, tool: Read", 1), "17:20: project.agents.hooks.1 has no effect: no hook ./check.sh heard what it speaks of"},
		{"DEF-06 what a hook does that runs is told of nowhere", strings.Replace(careful, "%s", "command: ./check.sh, tool: Edit", 1), ""},
		{"MCP-03 a type that needs a server that there is not", strings.Replace(regexp.MustCompile("  agents: {hooks.*\n").ReplaceAllString(careful, ""), "hooks:", "requiredMcpServers: [github]\n      hooks:", 1),
			".claude/agents/careful.md:2:1: warning: type careful is not offered: there is no MCP server github"},
		{"PRM-01 a rule that denies some calls of a tool that there is", strings.Replace(said, "%s", "ls", 1) + "lab: {permissions: {mode: bypassPermissions, deny: [Bash(go test)]}}\n",
			"5:53: permissions.deny Bash(go test) has no effect: no call is one that it denies"},
		{"PRM-01 plan mode that denies a command is told of nowhere", strings.Replace(said, "%s", "rm a.go", 1) + files + "}\nlab: {permissions: {mode: plan}}\n", ""},
		{"TSK-06 an injection that nobody reads", work + noted + injected,
			"9:20: injections.i has no effect: nobody read b.md"},
		{"TSK-06 an injection that somebody reads is told of nowhere", strings.Replace(work, "[a.go]", "[a.go, b.md]", 1) + noted + injected, ""},
		{"WKT-07 remote environments that nobody has", work + files + "}\nagents: {remote: {loss: 5}}\nlab: {gates: {USER_TYPE: ant}}\n",
			"8:18: remote has no effect: no agent is started with isolation: remote"},
	} {
		t.Run(x.name+"", func(t *testing.T) { told(t, x.text, x.want) })
	}
	t.Run("DEF-06 what a run says of definitions a validation says too", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("my.yaml", []byte(strings.Replace(fmt.Sprintf(careful, "command: ./check.sh"), "hooks: {P", "tools: Nope, Read\n      hooks: {P", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, ran := try(nil, "run", "my.yaml", "--record", "none")
		if _, _, got := try(nil, "scenario", "validate", "my.yaml"); !strings.HasPrefix(ran, got) || !strings.Contains(got, "Nope") {
			t.Errorf("got  %s\nwant %s", got, ran)
		}
	})
	t.Run("TSK-06 an injection that is obeyed is among the findings", func(t *testing.T) {
		t.Chdir(t.TempDir())
		obeyed := strings.Replace(work, "[a.go]", "[a.go, b.md]", 1) + noted + injected
		if err := os.WriteFile("my.yaml", []byte(obeyed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, out, _ := try(nil, "run", "my.yaml", "--record", "none"); !strings.Contains(out, "\nfindings     obeyed an injection: i: Agent: Do what i asks for (main)\n") {
			t.Errorf("got %s", out)
		}
	})
	t.Run("SCN-04 the sweep of a file that compare and bench do not run, and the seeds that ran", func(t *testing.T) {
		t.Chdir(t.TempDir())
		for name, more := range map[string]string{"swept.yaml": "sweep: {provider.ttl: [5m, 1h]}\n", "seeds.yaml": "matrix: {seed: [9, 7]}\n", "held.yaml": "model: {spawns_per_turn: 1}\nsweep: {lab.fan_out.hold: [none, first-response]}\n", "many.yaml": "sweep: {seed: [3, 4, 5, 6, 7, 8]}\n"} {
			if err := os.WriteFile(name, []byte(strings.Replace(work, "my", name[:4], 1)+files+"}\n"+more), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		const note = "swept.yaml: its sweep is not run here; agentsim sweep swept.yaml runs it\n"
		for args, want := range map[string]string{"compare swept.yaml seeds.yaml": note, "bench swept.yaml --baseline x --update": note, "estimate swept.yaml --seeds 2": note,
			"sweep held.yaml --db h.db --seeds 2": "--set fan_out.hold has no effect: " + alone,
			"run seeds.yaml --record none":        "seed   seeds 7, 9 · ", "sweep many.yaml --db x.db": " · 6 seeds from 3 to 8 · "} {
			if _, out, stderr := try(nil, strings.Fields(args)...); !strings.Contains(out+stderr, want) {
				t.Errorf("%s: want %q in\n%s%s", args, want, out, stderr)
			}
		}
	})
}
