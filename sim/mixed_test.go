package sim_test

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim"
	"agentsim/sim/rng"
)

var mixes = flag.Int("mixes", 60, "how many combinations of features TestMixed runs; in -short a fifth of them")
var firstMix = flag.Int("first-mix", 1, "the seed of the first of them")

// mix draws the parts of a scenario, each by its name.
type mix struct{ key rng.Key }

// one is one of some texts.
func (m mix) one(name string, texts ...string) string {
	return texts[m.key.Sub(name).Between(0, int64(len(texts)-1))]
}

// some joins those of some texts that are drawn, each in one of n.
func (m mix) some(name string, n int64, texts ...string) string {
	var out []string
	for i, text := range texts {
		if m.key.Sub(name).At(uint64(i)).Between(1, n) == 1 {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// TestMixed runs features laid over one another, drawn by a seed, and fails where one breaks
// an invariant, panics or never ends. What it prints is the scenario to run.
func TestMixed(t *testing.T) {
	n := *mixes
	if testing.Short() {
		n /= 5
	}
	const draws = 20 // until one is a scenario
	refused, broken, scripts := 0, 0, 0
	for seed := *firstMix; seed < *firstMix+n; seed++ {
		ran, text, err := false, "", error(nil)
		for i := uint64(0); !ran && i < draws; i++ {
			text = mix{rng.Root(uint64(seed)).At(i)}.scenario()
			ran, err = mixed(text)
		}
		if ran && strings.Contains(text, "\n  answers:\n") {
			scripts++
		}
		switch {
		case !ran:
			refused++
		case err != nil:
			broken++
			t.Errorf("seed %d: %v\n%s", seed, err, text)
		}
	}
	t.Logf("%d combinations, %d of them scripts, %d more of which no draw is a scenario, %d broken", n-refused, scripts, refused, broken)
	if refused > n/10 {
		t.Error("too few of the combinations can be run")
	}
}

// mixed runs a scenario. One that cannot be run, or whose script does not fit, has not run.
func mixed(text string) (ran bool, err error) {
	f, err := scenarios.Parse("mixed.yaml", []byte(text))
	if err != nil {
		return false, err
	}
	sc, err := f.Effective("", nil)
	if err != nil {
		return false, err
	}
	spec, err := sim.NewSpec(sc, "")
	if err != nil {
		return false, err
	}
	res, err := sim.Run(spec, sim.Options{})
	if err != nil {
		var refused *sim.ScenarioError
		return !errors.As(err, &refused) && !strings.Contains(err.Error(), "script "), err
	}
	return true, res.Audit.Err()
}

// scenario is a small world with features laid over one another, as a user writes it.
func (m mix) scenario() string {
	structure, doing := m.one("structure", "", "", "", "", "", "inline", "subagent", "subagent-background", "fork", "coordinator", "team"), ""
	if structure == "" {
		doing = m.script()
	} else {
		doing = m.work(structure)
	}
	return "agentsim: 1\nname: mixed\n" +
		"provider: {" + strings.Trim("model: claude-sonnet-5-5, aliases: {haiku: claude-haiku-5-5}, "+m.some("provider", 3, "ttl: 1h", "subagent_ttl: 1h", "latency: {profile: steady}"), ", ") + "}\n" +
		m.project() + doing +
		"lab: {permissions: {" + strings.Trim("mode: "+m.one("mode", "default", "default", "acceptEdits", "bypassPermissions", "auto", "plan")+", "+
		m.some("rules", 3, `allow: ["Bash(git:*)", Edit]`, `deny: ["Agent(Explore)"]`, "ask: [Write]", "answers: ["+m.one("answer", "{after: 5s, reply: allow}", "{after: 2s, reply: deny, feedback: no}, {after: 1s, reply: allow}", "{reply: never}")+"]"), ", ") + "}, " +
		strings.Trim("gates: {"+m.gates(structure)+"}, "+m.some("lab", 4, "interactive: true", "compaction: {window: "+m.one("window", "14k", "20k", "30k")+", share: 70}",
			"faults: ["+m.one("fault", "529 agent=main call=1", "500 agent=main/* call=1", "529 agent=**/* call=2")+"]"), ", ") + "}\n"
}

func (m mix) gates(structure string) string {
	list := []string{"FORK_SUBAGENT: true", "AGENT_SWARMS: true", "tengu_auto_background_agents: true", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: true", "tengu_scratch: true", "CLAUDE_CODE_SIMPLE: true", "KAIROS: true", "TRANSCRIPT_CLASSIFIER: true"}
	if structure == "" {
		list = append(list[:4], list[6:]...) // which are a coordinator's

		list = append(list, "COORDINATOR_MODE: true, CLAUDE_CODE_COORDINATOR_MODE: true")
	}
	return m.some("gates", 4, list...)
}

func (m mix) project() string {
	definition := "---\nname: own\ndescription: Own.\n" + strings.ReplaceAll(m.some("definition", 4, "permissionMode: "+m.one("own-mode", "plan", "acceptEdits", "bubble", "default"), "background: true", "isolation: worktree",
		"maxTurns: 3", "model: haiku", "memory: project", "skills: lint", "disallowedTools: Bash", "initialPrompt: Begin.", "effort: low", "omitClaudeMd: true", "mcpServers: db", "requiredMcpServers: db"), ", ", "\n") + "\n---\nYou are own.\n"
	return "project: {" + strings.TrimLeft(m.some("project", 3, "claude_md: {tokens: 200}", m.one("git", "git_status: {tokens: 100}", "repository: none", "repository: empty"),
		m.one("search", "", "tool_search: deferred, ", "tool_search: inserted, ")+"servers: [{name: db, tools: 3, connects: "+m.one("connects", "0s", "1s", "40s")+m.one("changes", "", "", ", changes: [{at: 9s, is: dropped}]", ", changes: [{at: 3s, is: dropped}, {at: 20s, is: connected}]")+"}]")+", ", ", ") +
		"files: {pkg/a.go: {tokens: 2k, class: code}, pkg/b.go: {tokens: 3k, class: code}, pkg/c.go: \"const c = 10\\n\", .claude/skills/lint/SKILL.md: \"---\\nname: lint\\ndescription: lints\\n---\\nLint.\\n\", .claude/agents/own.md: " + strconv.Quote(definition) + "}}\n"
}

// work is what the mock model leads by itself.
func (m mix) work(structure string) string {
	return "structure: " + structure + "\n" +
		"agents: {" + m.some("agents", 4, "isolation: "+m.one("isolation", "worktree", "offered"), "plan: 200", "type: own") + "}\n" +
		"script: {main: {user: Do it." + m.one("tools", "", ", tools: [Agent, Read, Glob, Grep, Edit, Write, Bash, EnterPlanMode, ExitPlanMode]") + m.one("then", "", "", ", then: [{at: 8s, interrupt: true}, {message: Go on.}]", ", then: [{at: 6s, aside: {ask: How far?}}]", ", then: [{at: 5s, background: true}]", ", then: [{message: Thanks.}]", ", then: [{at: 9s, kill_agents: true}, {message: Go on.}]") + "}}\n" +
		"work:\n  - {id: look, kind: research, reads: [pkg/a.go]}\n" +
		"  - {id: ea, kind: implement, after: [look], edits: [{file: pkg/a.go, tokens: 100}]}\n" +
		"  - {id: eb, kind: implement, after: [" + m.one("after", "look", "ea") + "], edits: [{file: pkg/b.go, tokens: 100}]}\n"
}

// script is exact turns of a lead and of whom it starts.
func (m mix) script() string {
	var b strings.Builder
	b.WriteString("agents: {" + m.some("agents", 2, "isolation: offered") + "}\nscript:\n  main:\n    user: Go.\n    tools: [Agent, Read, Edit, Write, Bash, Glob, Skill, SendMessage, TaskStop, TeamCreate, TeamDelete, EnterPlanMode, ExitPlanMode]\n")
	if m.one("system", "", "own") != "" {
		b.WriteString("    system: {tokens: 3_000}\n")
	}
	b.WriteString("    then: [" + m.some("then", 3, "{at: 7s, message: And?}", "{at: 9s, aside: {ask: How far?}}", "{at: 11s, interrupt: true}", "{at: 12s, background: true}", "{at: 30s, message: Is it done?}", "{at: 40s, kill_agents: true}") + "]\n  answers:\n")
	m.turns(&b, "main", 5)
	m.turns(&b, "main/*", 3)
	m.turns(&b, "**", 2)
	return b.String()
}

func (m mix) turns(b *strings.Builder, agent string, n int) {
	fmt.Fprintf(b, "    - agent: %q\n      turns:\n", agent)
	k := mix{m.key.Sub(agent)}
	if agent == "main" && k.one("team", "", "team") != "" {
		b.WriteString("        - tools: [{name: TeamCreate, input: {team_name: crew}}]\n")
	}
	for i := range n {
		t := mix{k.key.At(uint64(i))}
		var calls []string
		for j := range t.key.Sub("calls").Between(1, 3) {
			calls = append(calls, mix{t.key.At(uint64(j))}.call())
		}
		b.WriteString("        - tools: [" + strings.Join(calls, ", ") + "]\n")
	}
	for range 6 {
		b.WriteString("        - {say: waiting, until: idle}\n")
	}
}

func (m mix) call() string {
	agent := "{name: Agent, input: {description: does it, prompt: Look at it closely and say what it is.%s}}"
	return m.one("call",
		fmt.Sprintf(agent, m.one("type", "", ", subagent_type: own", ", subagent_type: Explore", ", subagent_type: worker", ", subagent_type: general-purpose")+m.one("how", "", "", ", run_in_background: true", ", isolation: worktree", ", model: haiku")),
		fmt.Sprintf(agent, ", name: mate"+m.one("name", "1", "2", "3")+", team_name: crew"+m.one("how", "", "", ", mode: plan", ", mode: acceptEdits", ", subagent_type: own", ", model: haiku", ", isolation: worktree")),
		"{name: Read, input: {file_path: pkg/a.go}}", "{name: Read, input: {file_path: pkg/b.go}}", "{name: Glob, input: {pattern: \"**\"}}",
		"{name: Edit, input: {file_path: pkg/c.go, old_string: \"10\", new_string: \"11\"}}", "{name: Read, input: {file_path: pkg/c.go}}",
		"{name: Write, input: {file_path: pkg/d.go, content: \"package d\"}}", "{name: Bash, input: {command: ls; touch x}}", "{name: Bash, input: {command: \"git add -A; git commit -m x\"}}", "{name: Bash, input: {command: sleep 5, run_in_background: true}}",
		"{name: EnterPlanMode, input: {}}", "{name: ExitPlanMode, input: {}}", "{name: ToolSearch, input: {query: \"select:mcp__db__tool_1\"}}", "{name: mcp__db__tool_1, input: {}}",
		"{name: SendMessage, input: {to: mate1, message: Hello you there.}}", "{name: SendMessage, input: {to: team-lead, message: It is done by now.}}", "{name: SendMessage, input: {to: \"*\", message: All of you.}}", "{name: SendMessage, input: {to: \"bridge:two\", message: You there.}}",
		"{name: SendMessage, input: {to: mate1, message: {type: shutdown_request, reason: over}}}", "{name: SendMessage, input: {to: team-lead, message: {type: shutdown_response, request_id: shutdown-1@mate1, approve: true}}}",
		"{name: SendMessage, input: {to: team-lead, message: {type: plan_approval_request, plan: We do it.}}}", "{name: SendMessage, input: {to: mate1, message: {type: plan_approval_response, request_id: plan-1@mate1, approve: true}}}",
		"{name: TeamDelete, input: {}}", "{name: Skill, input: {skill: lint}}", "{name: TaskCreate, input: {subject: s, description: d}}", "{name: TaskUpdate, input: {taskId: \"1\", status: in_progress}}")
}
