package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// reviews is a lead that gives out n reviews of a file each, by a structure.
func reviews(structure string, n int) string {
	var b strings.Builder
	b.WriteString("agentsim: 1\nname: reviews\nlab: {interactive: true}\n")
	b.WriteString("provider: {model: claude-sonnet-4-5-20250929}\nstructure: " + structure + "\nproject:\n  files:\n")
	for i := range n {
		fmt.Fprintf(&b, "    f%d.go: {tokens: 300, class: code}\n", i)
	}
	b.WriteString("script:\n  main: {user: Review it.}\nwork:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: r%d, kind: research, knows: [summaries], found_in: [f%d.go]}\n", i, i)
	}
	return b.String()
}

func TestAssumed(t *testing.T) {
	t.Run("CON-13 how many children begin in one answer is assumed, and when all at once would be out of the look-back's reach", spawnsAssumed)
	t.Run("SUB-09 which model each type of child has is assumed, and that forks keep their parent's", modelsAssumed)
	t.Run("CON-13 which times are nobody's figures is assumed: the latency of all models, and of commands that are no test of the project", timesAssumed)
	t.Run("LOOP-03 a command that reached the limit of those whose call says none is told", limitAssumed)
	t.Run("PRM-02 what is denied because nobody is asked is told, with where to allow it", deniedAssumed)
	t.Run("SUB-09 a definition's own model is told where sub-agents have one", ownModelAssumed)
	t.Run("LOOP-06 where calls failed, how often one is tried and a worker continued is assumed", triesAssumed)
	t.Run("CON-13 several roots that each do the work, and heads of sub-agents that main agents have too, are told", sharedAssumed)
	t.Run("SCN-04 scripted calls that fail are told, by their tools and agents", scriptedFailures)
	t.Run("CON-13 files of a client's that a run of a scenario's own project does not read are told", filesAssumed)
	t.Run("CACHE-30 another lifetime of sub-agents is told where there are any", childLifetimeAssumed)
}

// assumes holds what a run assumes against what it must and must not say.
func assumes(t *testing.T, text string, sets []string, want string, not ...string) {
	t.Helper()
	got := runOf(t, specOf(t, text, "", sets...)).Assumed
	if !slices.Contains(got, want) {
		t.Errorf("%q is not among %q", want, got)
	}
	for _, no := range not {
		if strings.Contains(strings.Join(got, "\n"), no) {
			t.Errorf("%q is among %q", no, got)
		}
	}
}

// keeps runs a scenario and looks at what kept its calls from being done.
func keeps(t *testing.T, text string, want ...string) {
	t.Helper()
	if got := runOf(t, specOf(t, text, "")).Kept; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func spawnsAssumed(t *testing.T) {
	const out = ": all in one answer would be out of the look-back's reach; model.spawns_per_turn is how many begin in one answer"
	assumes(t, reviews("fork", 9), nil, "8 spawns a turn for 9 items"+out)
	assumes(t, reviews("subagent", 9), nil, "8 spawns a turn for 9 items")
	assumes(t, reviews("subagent", 10), nil, "8 spawns a turn for 10 items"+out)
	assumes(t, reviews("fork", 9), []string{"model.spawns_per_turn=9"}, "9 spawns a turn")
	assumes(t, reviews("fork", 9), []string{"provider.fourth_mark=true"}, "8 spawns a turn for 9 items")
	assumes(t, reviews("fork", 4), []string{"model.spawns_per_turn=2"}, "2 spawns a turn for 4 items")
	assumes(t, reviews("inline", 9), nil, "2 reads a turn", "spawns a turn")
	chained := strings.ReplaceAll(reviews("fork", 9), "{id: r8,", "{id: r8, after: [r0],")
	assumes(t, chained, nil, "8 spawns a turn")
}

func triesAssumed(t *testing.T) {
	const tries, continued = "a failed call is tried 11 times over 2m39.5s, and up to a quarter more (lab.retry)", "a worker that failed is continued up to 3 times"
	assumes(t, reviews("coordinator", 2), nil, "breakpoints agent, TTL 5m", "is tried", "is continued")
	once := []string{`lab.faults=["500 agent=main/1.1 call=1 attempt=1"]`}
	assumes(t, reviews("coordinator", 2), once, tries, "is continued")
	dies := []string{`lab.faults=["500 agent=main/1.1 call=1-"]`}
	assumes(t, reviews("coordinator", 2), dies, continued)
	assumes(t, reviews("subagent", 2), dies, tries, "is continued")
	assumes(t, reviews("subagent", 2), append(dies, "lab.retry.max=2"), "a failed call is tried 3 times over 1.5s, and up to a quarter more (lab.retry)")
	assumes(t, reviews("subagent", 2), append(once, "lab.retry.max=1000000"), "a failed call is tried 1000001 times over 8888h50m39.5s, and up to a quarter more (lab.retry)")
	assumes(t, reviews("subagent", 2), append(once, "lab.retry.max=1000000000"), "a failed call is tried 1000000001 times (lab.retry)")
}

func modelsAssumed(t *testing.T) {
	haiku := []string{"provider.subagent_model=claude-haiku-4-5-20251001"}
	assumes(t, reviews("subagent", 2), haiku, "general-purpose on claude-haiku-4-5-20251001")
	assumes(t, reviews("fork", 2), nil, "forks on claude-sonnet-4-5-20250929, the model of their parent", "main on")
}

func timesAssumed(t *testing.T) {
	text := strings.Replace(reviews("inline", 2), "{id: r0,", "{id: r0, runs: [go  test ./...],", 1)
	text = strings.Replace(text, "main: {user: Review it.}", "main: {user: Review it., tools: [Read, Bash]}", 1)
	const took = "go test ./... takes 8s (project.tests says how long)"
	assumes(t, text, nil, took)
	assumes(t, text, nil, "latency opus-4-recorded for all models, which all do the same work")
	assumes(t, text, []string{"provider.latency.profile=steady"}, "latency steady for all models, which all do the same work", "opus-4")
	assumes(t, text, []string{`project.tests=[{command: go test ./..., takes: 7m, files: "*.go"}]`}, "2 reads a turn", "takes 8s")
	drawn := `tools.commands.takes={uniform: [2s, 40s]}`
	assumes(t, text, []string{drawn}, "go test ./... takes 2s to 40s, drawn (project.tests says how long)", "takes 8s")
	assumes(t, text, []string{drawn, `project.tests=[{command: go test ./..., takes: 7m, files: "*.go"}]`}, "2 reads a turn", "drawn")
	assumes(t, text, []string{"tools.commands.takes=3s"}, "2 reads a turn", "project.tests")
}

func limitAssumed(t *testing.T) {
	script := func(input string) string {
		return "agentsim: 1\nname: s\nprovider: {model: claude-sonnet-4-5-20250929}\nscript:\n  main: {user: Go., tools: [Bash]}\n" +
			"  answers: [{agent: main, turns: [{tools: [{name: Bash, input: {command: " + input + "}}]}, {text: done}]}]\n"
	}
	const told = "a Bash call (main) reached the time limit of 2m0s: write timeout: 600000, in milliseconds, in the input"
	keeps(t, script("sleep 420"), told)
	keeps(t, script("sleep 420, timeout: 480000"))
	keeps(t, script("sleep 100"))
}

func deniedAssumed(t *testing.T) {
	text := func(background string) string {
		return "agentsim: 1\nname: s\nprovider: {model: claude-sonnet-4-5-20250929}\nproject: {files: {a.go: x}}\nscript:\n  main: {user: Go., tools: [Agent, Bash]}\n" +
			"  answers:\n    - {agent: main, turns: [{tools: [{name: Agent, input: {description: d, prompt: Go., run_in_background: " + background + "}}]}, {text: waits}, {text: done}]}\n" +
			"    - {agent: main/*, turns: [{tools: [{name: Bash, input: {command: rm a.go}}]}, {text: done}]}\n"
	}
	keeps(t, text("true"), "a call of Bash (main/1.1) denied, since nobody is asked about agents in the background: lab: {permissions: {allow: [Bash]}} needs no prompt")
	keeps(t, text("false"))
	assumes(t, text("false"), nil, "prompts for which permissions give no answer, plans too, allowed at once")
}

func ownModelAssumed(t *testing.T) {
	text := strings.Replace(reviews("subagent", 1), "  files:\n", "  files:\n    .claude/agents/reviewer.md: \"---\\nname: reviewer\\ndescription: Reviews.\\nmodel: haiku\\n---\\nYou review.\\n\"\n", 1) + "agents: {type: reviewer}\n"
	sets := []string{"provider.aliases.haiku=claude-haiku-4-5-20251001"}
	assumes(t, text, sets, "reviewer on claude-haiku-4-5-20251001", "is its definition's")
	assumes(t, text, append(sets, "provider.subagent_model=claude-opus-4-5-20251101"), "the model of reviewer is its definition's, haiku, not provider.subagent_model")
}

func childLifetimeAssumed(t *testing.T) {
	const told = "breakpoints agent, TTL 1h, sub-agents 5m (provider.subagent_ttl)"
	hour := []string{"provider.ttl=1h"}
	assumes(t, reviews("subagent", 1), hour, told)
	assumes(t, reviews("fork", 1), hour, "breakpoints agent, TTL 1h", "sub-agents 5m")
	assumes(t, reviews("inline", 1), hour, "breakpoints agent, TTL 1h", "sub-agents 5m")
}

func scriptedFailures(t *testing.T) {
	const text = "agentsim: 1\nname: f\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.go: x}}\nscript:\n  main: {user: Go., tools: [Read]}\n  answers: [{agent: main, turns: [%s, {say: Done.}]}]\n"
	keeps(t, fmt.Sprintf(text, "{read: b.go}, {tools: [{name: Raed, input: {}}]}"), "2 scripted calls of Read, Raed failed (main)")
	keeps(t, fmt.Sprintf(text, "{read: a.go}"))
}

func filesAssumed(t *testing.T) {
	const settings, memory = "permissions of .claude/settings.json among the project's files counts in a directory alone (project: DIR): say it in the scenario",
		"CLAUDE.local.md among the project's files counts in a directory alone (project: DIR): say it in the scenario"
	own := `project.files={a.go: one, CLAUDE.local.md: Be nice., .claude/settings.json: '{"agents": {}, "permissions": {"deny": ["Edit"]}}'}`
	assumes(t, reviews("inline", 1), []string{own}, settings, "agents, ")
	assumes(t, reviews("inline", 1), []string{own}, memory)
	assumes(t, reviews("inline", 1), []string{`project.files={a.go: one, .claude/settings.json: '{"agents": {}}'}`}, "hand-off style full", ".claude/settings.json")
}

func sharedAssumed(t *testing.T) {
	two := strings.Replace(reviews("inline", 1), "main: {user: Review it.}", "roots: [{name: one, user: Review it.}, {name: two, user: Review it.}]", 1)
	const roots, tools = "each of 2 roots does all of the work", "definitions of tools are as large as heads of sub-agents have them, for main agents too"
	assumes(t, two, nil, roots, tools)
	assumes(t, reviews("inline", 1), []string{"heads=[{type: sub-agent, shared: 12k, prompt: 12k}]"}, tools, roots)
}
