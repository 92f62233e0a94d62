package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/sim"
	"agentsim/sim/kernel"
	"agentsim/sim/transcript"
)

func TestShell(t *testing.T) {
	t.Run("LOOP-03 DEF-11 scripts of a scenario call the tools that its roots name, and so do its sub-agents", shellInScenario)
	t.Run("WAN-04 what the shell does not carry out has its output and time drawn by item and command, and else what the shell assumes", drawnCommands)
	t.Run("KRN-06 an interrupt ends the command that is under way", shellInterrupted)
}

const shellText = `
agentsim: 1
name: shell
provider: {model: claude-sonnet-4-6, aliases: {haiku: claude-haiku-4-5-20251001}}
project: {files: {a.go: {text: "package a\n"}}}
script:
  main:
    user: Look around.
    tools: [Agent, Read, Bash, Write, NotebookEdit, TodoWrite]
  answers:
    - agent: main
      turns:
        - tools:
            - {name: Bash, input: {command: cat a.go}}
            - {name: Bash, input: {command: ls}}
            - {name: Write, input: {file_path: b.go, content: "package b\n"}}
            - {name: TodoWrite, input: {todos: [{content: Look, status: pending, activeForm: Looking}]}}
            - {name: Agent, input: {description: look here, prompt: Look., subagent_type: Explore}}
        - {text: Done.}
    - agent: main/1.5
      turns:
        - {tools: [{name: Bash, input: {command: echo module a > a.go}}]}
        - {text: Found.}
`

func shellInScenario(t *testing.T) {
	var got []string
	for _, l := range linesOf(t, specOf(t, shellText, "")) {
		f := strings.SplitN(l, " ", 6)
		if f[4] == "tool_result" || f[4] == "finding" || f[4] == "run_end" {
			got = append(got, f[4]+" "+f[5])
		}
	}
	t.Log(strings.Join(got, "\n"))
	if !slices.ContainsFunc(got, func(l string) bool { return strings.Contains(l, `rule=readonly_breach detail="Explore changed a.go"`) }) {
		t.Error("the explorer's change is no finding")
	}
	for _, l := range got {
		if strings.Contains(l, "error=true") {
			t.Error(l)
		}
	}
}

// shellInterrupted interrupts the run when the model has asked for a command: a
// command that ran to its end would have found that two others are not there.
func shellInterrupted(t *testing.T) {
	const text = `
agentsim: 1
name: shell
provider: {model: claude-sonnet-4-6}
script:
  main: {user: Go., tools: [Bash]}
  answers: [{agent: main, turns: [{tools: [{name: Bash, input: {command: "nosuch; nothat"}}]}, {text: Done.}]}]
`
	var k *kernel.Kernel
	var found []string
	res, err := sim.Run(specOf(t, text, ""), sim.Options{OnKernel: func(of *kernel.Kernel) { k = of }, Sinks: []transcript.Sink{sinkFunc(func(e *transcript.Event) {
		switch b := e.Body.(type) {
		case *transcript.ToolCall:
			k.Interrupt()
		case *transcript.Finding:
			found = append(found, b.Rule)
		}
	})}})
	if err != nil || res.Outcome != sim.Interrupted || slices.Contains(found, "command_not_found") {
		t.Errorf("the run is %v, found %v, error %v", res.Outcome, found, err)
	}
}

// sinkFunc is a function as a sink.
type sinkFunc func(*transcript.Event)

func (f sinkFunc) Emit(e *transcript.Event) { f(e) }

// outside runs commands that the shell does not carry out, and one that it does.
const outside = `agentsim: 1
name: outside
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: {text: "package a\n"}}, tests: [{command: go test ./a, files: "*.go", takes: 7s}]}
lab: {permissions: {mode: bypassPermissions}}
script:
  main: {user: Look around., tools: [Bash]}
  answers:
    - agent: main
      turns:
        - {run: "go build ./... # a"}
        - {run: "go build ./... # a"}
        - {run: "go build ./... # b"}
        - {run: git log --oneline -5}
        - {run: git diff HEAD~3 -- a.go}
        - {run: git show HEAD}
        - {run: go test ./a}
        - {run: git status}
        - {say: Done.}
`

func drawnCommands(t *testing.T) {
	results := func(text string) (out []string) {
		for _, l := range linesOf(t, specOf(t, text, "")) {
			if _, result, ok := strings.Cut(l, " name=Bash "); ok && strings.Contains(l, " tool_result ") {
				out = append(out, strings.TrimPrefix(result, "bytes="))
			}
		}
		return out
	}
	plain := []string{"11 took=4.022000000s", "11 took=4.022000000s", "11 took=4.022000000s", "49 took=0.022000000s", "11 took=0.022000000s", "", "7 took=7.022000000s", "53 took=0.022000000s"}
	got := results(outside)
	for i, want := range plain {
		if want != "" && got[i] != want {
			t.Errorf("%d: %s, want what the shell assumes, %s", i, got[i], want)
		}
	}
	if !strings.Contains(got[5], "error=true") {
		t.Error("git show has something to show:", got[5])
	}
	drawn := results(outside + "agents: {tools: {commands: {takes: {uniform: [1s, 90s]}, output: {uniform: [50, 900]}}}}\n")
	if drawn[0] != drawn[1] || drawn[0] == drawn[2] || slices.Contains(plain[:6], drawn[2]) {
		t.Errorf("one item's command gives %s and %s, another's %s", drawn[0], drawn[1], drawn[2])
	}
	for i, l := range drawn[:6] {
		if l == got[i] || strings.Contains(l, "error=true") {
			t.Errorf("%d is not drawn: %s", i, l)
		}
	}
	if drawn[6] != plain[6] || drawn[7] != plain[7] {
		t.Errorf("what is carried out is drawn: %v", drawn[6:])
	}
}
