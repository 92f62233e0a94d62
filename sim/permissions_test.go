package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim"
	"agentsim/sim/transcript"
)

func TestPermissions(t *testing.T) {
	t.Run("PRM-01 PRM-03 PRM-04 what a scenario says of permissions is what its agents are decided by", permissionKeys)
	t.Run("PRM-04 an answer may be to the nth of the prompts that fit, and say what is allowed from then on", nthPrompt)
	t.Run("SUB-10 who confirms the edits of children is assumed where it decides about one, in either reading", editsOfChildren)
	t.Run("PRM-05 a step of a scenario's user may wait for an event, and press Ctrl+B", stepKeys)
	t.Run("CON-18 SUB-14 PRM-05 the library's aborts, moves and prompts end well under every schedule", librarySchedules)
}

const permitted = `
agentsim: 1
name: permitted
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: "one\n"}}
script:
  main: {user: Hello., tools: [Agent, Bash]}
  answers:
    - agent: main
      turns:
        - {tools: [{name: Bash, input: {command: rm a.go}}, {name: Bash, input: {command: cp a.go b.go}}, {name: Bash, input: {command: touch c.go}}, {name: Bash, input: {command: mv c.go d.go}}, {name: Bash, input: {command: ln a.go e.go}}]}
        - {tools: [{name: Bash, input: {command: ls | tee f.go}}, {name: Bash, input: {command: chmod +x a.go}}, {name: Bash, input: {command: chmod +x a.go}}, {name: Bash, input: {command: mkdir x}}]}
        - tools: [{name: Agent, input: {description: d, prompt: p}}]
        - text: Done.
    - agent: main/*
      turns:
        - {tools: [{name: Bash, input: {command: touch c.go}}, {name: Bash, input: {command: mv d.go c.go}}, {name: Bash, input: {command: mkdir y}}]}
        - text: Done.
lab:
  permissions:
    mode: auto
    deny: ["Bash(rm:*)"]
    ask: ["Bash(cp:*)"]
    allow: ["Bash(touch:*)"]
    cli_allow: ["Bash(mv:*)"]
    allowed_tools: {general-purpose: ["Bash(mkdir:*)"]}
    classifier: [{rule: "Bash(ln:*)", verdict: deny}, {rule: "Bash(tee:*)", verdict: allow}]
    answers:
      - {agent: main/*, reply: never}
      - {rule: "Bash(cp a.go b.go)", after: 3s, reply: edit, edit: {name: Bash, input: {command: pwd}}}
      - {rule: "Bash(chmod:*)", after: 2s, reply: always}
      - {reply: deny, feedback: no}
    timeout: 90s
`

func editsOfChildren(t *testing.T) {
	const script = `
agentsim: 1
name: edits
provider: {model: claude-sonnet-4-6}
script:
  main: {user: Hello.}
  answers: [{agent: main, turns: [{tools: [{name: Agent, input: {description: d, prompt: p}}]}, {text: Done.}]}, {agent: main/*, turns: [{text: Done.}]}]
`
	for _, c := range []struct{ mode, want string }{
		{"{mode: default}", "edits of children decided by their parent's mode default"},
		{"{mode: auto, children: acceptEdits}", "edits of children accepted, whatever their parent's mode auto"},
		{"{mode: plan}", ""},
		{"{}", ""},
	} {
		got := ""
		for _, s := range runOf(t, specOf(t, script+"lab:\n  permissions: "+c.mode+"\n", "")).Assumed {
			if strings.Contains(s, "of children") {
				got = s
			}
		}
		if got != c.want {
			t.Errorf("%s: %q", c.mode, got)
		}
	}
}

func permissionKeys(t *testing.T) {
	var got []string
	for _, line := range linesOf(t, specOf(t, permitted, "")) {
		f := strings.Fields(line)
		if len(f) > 6 && f[4] == "permission" && f[6] == "tool=Bash" {
			_, rest, _ := strings.Cut(line, "decision=")
			got = append(got, rest)
		}
	}
	want := []string{
		`deny why="deny rule Bash(rm:*)"`,
		`ask why="ask rule Bash(cp:*)" terminal=main`, `edit why=user terminal=main input=5173463785fb911f1cc1ae983283caf9`,
		`allow why="allow rule Bash(touch:*)"`, `allow why="allow rule Bash(mv:*)"`,
		`deny why=classifier`, `allow why=classifier`,
		`ask why=classifier terminal=main`, `allow why=user terminal=main`, `allow why="allow rule Bash(chmod +x a.go)"`,
		`ask why=classifier terminal=main`, `deny why=user terminal=main`,
		`ask why=classifier terminal=main`, `deny why=time-out terminal=main`,
		`allow why="allow rule Bash(mv:*)"`, `allow why="allow rule Bash(mkdir:*)"`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// nthPrompt has the second of the prompts that fit answered otherwise, also where a line
// before fits them all but that one, and others never asked for what an answer allows.
func nthPrompt(t *testing.T) {
	const text = `
agentsim: 1
name: nth
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: "one\n"}}
script:
  main: {user: Hello., tools: [Bash]}
  answers: [{agent: main, turns: [{run: chmod +x a.go}, {run: mkdir x}, {run: mkdir y}, {run: mkdir z}, {text: Done.}]}]
lab: {permissions: {mode: default, answers: [{nth: 1, reply: allow}, {nth: 3, reply: always, rules: [Bash]}, {rule: "Bash(mkdir:*)", nth: 1, reply: deny}]}}
`
	var got []string
	for _, line := range linesOf(t, specOf(t, text, "")) {
		if _, rest, ok := strings.Cut(line, " decision="); ok && !strings.HasPrefix(rest, "ask") {
			got = append(got, rest)
		}
	}
	want := `allow why=user terminal=main, deny why=user terminal=main, allow why=user terminal=main, allow why="allow rule Bash"`
	if strings.Join(got, ", ") != want {
		t.Error(strings.Join(got, ", "))
	}
}

func stepKeys(t *testing.T) {
	text := `
agentsim: 1
name: steps
provider: {model: claude-sonnet-4-6}
script:
  main:
    user: Hello.
    then: [{on: {event: response, agent: main/1.1, nth: 2}, background: true}, {on: {event: task}, message: It moved.}]
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: d, prompt: p}}]}, {text: One.}, {text: Two.}, {text: Three.}]}
    - {agent: main/*, turns: [{tools: [{name: Glob, input: {pattern: "*"}}]}, {tools: [{name: Glob, input: {pattern: "*"}}]}, {text: Done.}]}
`
	all := strings.Join(linesOf(t, specOf(t, text, "")), "\n")
	second := strings.Index(all, " 1 response call=1")
	moved := strings.Index(all, "isBackgrounded effect=root why=user")
	if second < 0 || moved < second || strings.Count(all, "user_message bytes=") != 2 || strings.Contains(all, "dropped=true") {
		t.Error(all)
	}
}

// librarySchedules runs the scenarios with races under random schedules.
func librarySchedules(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 1
	}
	raced := []string{"abort-tree", "auto-background", "bubble-vs-denied", "permission-modes", "nested", "flipped-gate"}
	libraryRuns(t, func(entry string, spec *sim.Spec) {
		if name, _, _ := strings.Cut(entry, "/"); !slices.Contains(raced, name) {
			return
		}
		for seed := range seeds {
			spec.Policy, spec.Scenario.Seed = "random", seed
			if res := runOf(t, spec); res.Outcome != sim.Completed {
				t.Errorf("%s, seed %d: %s %s", entry, seed, res.Outcome, res.Detail)
			}
		}
	})
}

// ranHooks counts the runs of hooks.
type ranHooks int

func (n *ranHooks) Emit(e *transcript.Event) {
	if h, is := e.Body.(*transcript.Hook); is && h.Op == "run" {
		*n++
	}
}

func TestAskedAfterHooks(t *testing.T) {
	t.Run("DEF-06 PRM-01 a hook hears once of a lone call that the user is then asked about", func(t *testing.T) {
		var n ranHooks
		runOf(t, specOf(t, `agentsim: 1
name: asked
provider: {model: claude-sonnet-5-5}
project:
  files:
    a.go: "package a\n"
    .claude/agents/own.md: "---\nname: own\ndescription: d\nhooks:\n  PreToolUse:\n    - matcher: Read\n      hooks: [{type: command, command: ./look.sh}]\n---\nYou.\n"
script:
  main: {user: Go.}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: d, prompt: p, subagent_type: own}}]}, {say: Done.}]}
    - {agent: main/*, turns: [{read: a.go}, {say: Done.}]}
lab: {permissions: {mode: default, ask: [Read]}}
`, ""), &n)
		if n != 1 {
			t.Errorf("hooks ran %d times", n)
		}
	})
}
