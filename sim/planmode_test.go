package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/transcript"
)

const planned = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5, latency: {profile: steady}, aliases: {haiku: claude-haiku-4-5-20251001}}
project: {files: {a.go: {tokens: 400, class: code}, b.go: {tokens: 400, class: code}, notes.md: {tokens: 300}}}
work:
  - {id: look, kind: research, reads: [notes.md], agent: {type: Explore}}
  - {id: change, kind: implement, after: [look], by: lead, edits: [{file: a.go, tokens: 20}, {file: b.go, tokens: 20}]}
script: {main: {user: Change it.}}
agents: {plan: 300}
structure: subagent
`

// TestPlanMode runs a lead that plans.
func TestPlanMode(t *testing.T) {
	t.Run("PLN-03 PLN-06 a lead that plans sends Explore out, reads what it will change, writes the plan and changes files behind its approval alone", testPlans)
	t.Run("PLN-05 each plan that is rejected is followed by another, and the plan file alone is written until one is approved", testRevises)
	t.Run("PLN-04 a lead that may not plan works without a plan, and one that nobody answers asks again when its user speaks", testUnplanned)
	t.Run("PLN-03 a lead whose history becomes a summary plans once", testSummedUp)
	t.Run("PLN-02 tools of a server run while its session plans if the server marks them as read-only", testServers)
	t.Run("PLN-04 CRD-07 a coordinator's workers hand in their plans, it approves, and they do the work", testWorkersPlans)
	t.Run("PLN-01 plans are refused by name where there is no plan mode, and plan mode where nobody plans work that changes something", testNoPlanMode)
}

func testServers(t *testing.T) {
	for mark, result := range map[string]string{"": "mcp__tracker__tool_1!", ", read_only: true": "mcp__tracker__tool_1"} {
		want(t, stepsOf(t, `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5}
project: {files: {a.go: x}, servers: [{name: tracker, tools: 1`+mark+`}]}
script:
  main: {user: Go.}
  answers: [{agent: main, turns: [{tools: [{name: mcp__tracker__tool_1, input: {}}]}, {text: Done.}]}]
lab: {permissions: {mode: plan}}
`), result)
	}
}

// planSteps are what a run does, in order: agents that start, with their mode, plan mode
// that is entered and left, histories that become summaries, and tools, ! behind errors.
type planSteps struct{ list []string }

func (p *planSteps) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.AgentStart:
		if e.Agent > 0 {
			p.list = append(p.list, b.Lineage+"("+b.Type+","+b.RunMode+")")
		}
	case *transcript.Plan:
		p.list = append(p.list, b.Op+":"+b.To)
	case *transcript.Compact:
		p.list = append(p.list, "compact")
	case *transcript.ToolResult:
		word := b.Name
		if b.IsError {
			word += "!"
		}
		if e.Agent > 0 {
			word = "-" + word
		}
		p.list = append(p.list, word)
	}
}

// stepsOf runs a scenario's text.
func stepsOf(t *testing.T, text string) []string {
	t.Helper()
	f, err := scenarios.Parse("my.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out := &planSteps{}
	runOf(t, effective(t, f, f.VariantNames()[0]), out)
	return out.list
}

func want(t *testing.T, got []string, text string) {
	t.Helper()
	if !slices.Equal(got, strings.Fields(text)) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), text)
	}
}

func testPlans(t *testing.T) {
	want(t, stepsOf(t, planned), "enter:plan EnterPlanMode Glob main/3.1(Explore,plan) -Read Agent Glob Read Read Write leave:acceptEdits ExitPlanMode Edit Edit")
	inline := strings.Replace(strings.Replace(planned, "structure: subagent", "structure: inline", 1), ", agent: {type: Explore}", "", 1)
	want(t, stepsOf(t, inline), "enter:plan EnterPlanMode Glob Read Glob Read Read Write leave:acceptEdits ExitPlanMode Edit Edit")
	want(t, stepsOf(t, inline+"lab: {permissions: {mode: plan}}\n"), "Glob Read Glob Read Read Write leave:default ExitPlanMode Edit Edit")
}

func testRevises(t *testing.T) {
	inline := strings.Replace(strings.Replace(planned, "structure: subagent", "structure: inline", 1), ", agent: {type: Explore}", "", 1)
	want(t, stepsOf(t, inline+"lab: {permissions: {answers: [{rule: ExitPlanMode, nth: 1, reply: deny}, {rule: ExitPlanMode, nth: 2, reply: deny, feedback: No}]}}\n"),
		"enter:plan EnterPlanMode Glob Read Glob Read Read Write ExitPlanMode! Write ExitPlanMode! Write leave:acceptEdits ExitPlanMode Edit Edit")
	never := stepsOf(t, inline+"lab: {permissions: {answers: [{rule: ExitPlanMode, reply: deny}]}}\n")
	if n := strings.Count(strings.Join(never, " "), "ExitPlanMode!"); n != 6 || slices.Contains(never, "Edit") {
		t.Error("a plan that is never approved:", never)
	}
}

func testUnplanned(t *testing.T) {
	inline := strings.Replace(strings.Replace(planned, "structure: subagent", "structure: inline", 1), ", agent: {type: Explore}", "", 1)
	want(t, stepsOf(t, inline+"lab: {permissions: {answers: [{rule: EnterPlanMode, reply: deny}]}}\n"), "EnterPlanMode! Glob Read Glob Read Read Edit Edit")
	again := strings.Replace(inline, "{user: Change it.}", "{user: Change it., then: [{message: Well?}]}", 1)
	want(t, stepsOf(t, again+"lab: {permissions: {answers: [{rule: ExitPlanMode, nth: 1, reply: never}]}}\n"),
		"enter:plan EnterPlanMode Glob Read Glob Read Read Write ExitPlanMode! leave:acceptEdits ExitPlanMode Edit Edit")
}

// testSummedUp counts what is entered and left where histories become summaries.
func testSummedUp(t *testing.T) {
	inline := strings.Replace(strings.Replace(planned, "structure: subagent", "structure: inline", 1), ", agent: {type: Explore}", "", 1)
	for _, window := range []string{"8_000", "9_000", "9_500", "10_000"} {
		got := stepsOf(t, inline+"lab: {compaction: {window: "+window+", share: 90}}\n")
		modes := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.Contains(s, ":") })
		if !slices.Contains(got, "compact") || strings.Join(modes, " ") != "enter:plan leave:acceptEdits" || len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s != "Edit" })) != 2 {
			t.Errorf("window %s: %v", window, got)
		}
	}
}

func testNoPlanMode(t *testing.T) {
	const planSize, mode = "agents: {plan: 300}\nstructure: subagent\n", "lab: {permissions: {mode: plan}}\n"
	for _, c := range []struct{ old, new, want string }{
		{"structure: subagent", "structure: coordinator", "a coordinator has none of the tools of plan mode"},
		{"structure: subagent", "structure: subagent\nlab: {stack: minimal}", "stack minimal has no plan mode"},
		{"{user: Change it.}", "{user: Change it., tools: [Agent, Read, Edit, Write, EnterPlanMode]}", "a lead that plans needs the tool ExitPlanMode, which root main has not got"},
		{planSize, mode + "structure: subagent\n", "add agents: {plan: 500}, the length of the plan"},
		{planSize, mode + "structure: team\n", "whoever leads this work cannot leave plan mode"},
		{planSize, mode + "structure: coordinator\n", "whoever leads this work cannot leave plan mode"},
	} {
		f, err := scenarios.Parse("my.yaml", []byte(strings.Replace(planned, c.old, c.new, 1)))
		if err == nil {
			_, err = f.Effective(f.VariantNames()[0], nil)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.new, err)
		}
	}
}

// testWorkersPlans has workers plan as a policy's definition says.
func testWorkersPlans(t *testing.T) {
	want(t, stepsOf(t, `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5, latency: {profile: steady}}
project:
  files: {a.go: {tokens: 900, class: code}, b.go: {tokens: 900, class: code}, notes.md: {tokens: 300}}
  agents: {policy: {agents/worker.md: "---\nname: worker\ndescription: Works.\npermissionMode: plan\n---\nYou work.\n"}}
structure: coordinator
script: {main: {user: Change it.}}
work:
  - {id: look, kind: research, reads: [notes.md]}
  - {id: change, kind: implement, after: [look], edits: [{file: a.go, tokens: 20}]}
  - {id: more, kind: implement, after: [look], edits: [{file: b.go, tokens: 20}]}
lab: {permissions: {mode: default}}
`), "main/1.1(worker,plan) Agent -Glob -Read main/3.1(worker,plan) main/3.2(worker,plan) Agent Agent -Write -Write leave:acceptEdits SendMessage -ExitPlanMode -Glob leave:acceptEdits SendMessage -ExitPlanMode -Read -Glob -Read -Edit -Edit")
}
