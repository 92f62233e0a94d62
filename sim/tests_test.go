package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/shell"
	"agentsim/sim/transcript"
	"agentsim/sim/vtime"
)

// erring is work that a pitfall and a misleading fact make wrong.
const erring = `agentsim: 1
name: erring
provider: {model: claude-sonnet-4-5-20250929}
project:
  files:
    a.go: {text: "package a\n\nvar A = 1\n\nvar B = 2\n"}
    b.go: {text: "package b\n\nvar A = 1\n\nvar B = 2\n"}
    notes.md: {text: "first\nsecond\nthird\n"}
  tests: [{command: go test ./..., files: "*.go", takes: 8s}]
  facts:
    - {name: trap, file: notes.md, line: 2}
    - {name: theory, file: b.go, line: 3}
script:
  main: {user: Do it., tools: [Read, Grep, Glob, Edit, Agent, Bash]}
structure: inline
work:
  - {id: fix-a, kind: implement, edits: [{file: a.go, tokens: 9}], pitfalls: [trap], runs: [go test ./...]}
  - {id: fix-b, kind: implement, after: [fix-a], edits: [{file: b.go, tokens: 9}], misled_by: [theory]}
  - {id: check, kind: verify, after: [fix-b]}
lab:
  interactive: true
  permissions: {mode: bypassPermissions}
`

// patient is a project whose tests take seven minutes.
const patient = `agentsim: 1
name: patient
provider: {model: claude-sonnet-4-5-20250929}
project: {files: {a.go: "package a"}, tests: [{command: go test ./..., files: "*.go", takes: 7m}]}
lab:
  permissions: {mode: bypassPermissions}
`

func TestTests(t *testing.T) {
	told := func(t *testing.T, text string) string {
		t.Helper()
		o := &outcomes{lineage: map[int32]string{}}
		runOf(t, specOf(t, text, ""), o)
		slices.Sort(o.told)
		return strings.ReplaceAll(strings.Join(o.told, ", "), "main ", "")
	}
	t.Run("LLM-04 what its own tests made an agent correct is rework, and what stands wrong at the end though it was reported done is wrong", func(t *testing.T) {
		if got, want := told(t, erring), "check done, fix-a rework, fix-b done, fix-b wrong"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
	t.Run("LLM-04 a verification that runs the tests finds what is wrong, and what failed is not wrong", func(t *testing.T) {
		text := strings.Replace(erring, "after: [fix-b]}", "after: [fix-b], runs: [go test ./...]}", 1)
		if got, want := told(t, text), "check failed, fix-a rework, fix-b done, fix-b wrong"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
	t.Run("LLM-05 an item whose command was not run is not done, however it is reported, and its event says why", func(t *testing.T) {
		for permissions, want := range map[string]string{
			`{mode: bypassPermissions}`:               "look done",
			`{mode: bypassPermissions, deny: [Bash]}`: "look failed for want of unrun:go test ./...: no Bash among its tools",
			`{deny: ["Bash(go test:*)"]}`:             "look failed for want of unrun:go test ./...",
		} {
			text := strings.Replace(patient, "{mode: bypassPermissions}", permissions, 1) +
				"script:\n  main: {user: Go., tools: [Read, Bash]}\nstructure: inline\nwork: [{id: look, kind: implement, runs: [go test ./...]}]\n"
			if got := told(t, text); got != want {
				t.Errorf("%s: %s, want %s", permissions, got, want)
			}
		}
	})
	t.Run("LLM-05 a command that times out is not run, and every whole minute that a test may take fits", func(t *testing.T) {
		for _, took := range []string{"1m59s", "2m", "3m", "9m", "9m59s"} {
			text := strings.Replace(patient, "takes: 7m", "takes: "+took, 1) +
				"script:\n  main: {user: Go., tools: [Read, Bash]}\nstructure: inline\nwork: [{id: check, kind: implement, runs: [go test ./...]}]\n"
			if got, want := told(t, text), "check done"; got != want {
				t.Errorf("tests of %s: %s", took, got)
			}
		}
		for limit, want := range map[string]string{"1000": "other a failed for want of timeout:go test ./...", "10000": "other a done"} {
			got := observed(t, "script:\n  roots: [{name: main, user: Go., tools: [Bash]}, {name: other, user: Go., tools: [Bash]}]\nlab:\n  permissions: {mode: bypassPermissions}\n"+
				"work: [{id: a, kind: implement, runs: [go test ./...]}]\nstructure: inline\n",
				"script:\n  answers: [{agent: other, turns: [{tools: [{name: Bash, input: {command: go test ./..., timeout: "+limit+"}}]}, {text: \"«done a»\"}]}]\n")
			if !slices.Contains(got, want) {
				t.Errorf("%s: %v, want %s", limit, got, want)
			}
		}
	})
	t.Run("LOOP-03 a test of more than two minutes is called with the time that it takes, in either stack; a script that says nothing is stopped", func(t *testing.T) {
		for _, head := range []string{"script:\n  main: {user: Go., tools: [Read, Bash]}", "script:\n  main: {user: Go.}\nlab:\n  stack: minimal"} {
			spec := specOf(t, patient+head+"\nstructure: inline\nwork: [{id: check, kind: verify, runs: [go  test ./...]}]\n", "")
			if end := runOf(t, spec).End; end < vtime.Instant(7*vtime.Minute) || end > vtime.Instant(8*vtime.Minute) {
				t.Errorf("%s: tests of seven minutes end the run at %s", head, end)
			}
		}
		if scenarios.MaxTakes != shell.MaxTimeout || scenarios.UntimedTakes != shell.DefaultTimeout {
			t.Error("the scenario's limits of a command are not the shell's")
		}
		for input, want := range map[string]vtime.Duration{"command: go test ./...": 2 * vtime.Minute, "command: go test ./..., timeout: 600000": 7 * vtime.Minute} {
			script := patient + "script:\n  main: {user: Go., tools: [Bash]}\n  answers: [{agent: main, turns: [{tools: [{name: Bash, input: {" + input + "}}]}, {text: Done.}]}]\n"
			if end := runOf(t, specOf(t, script, "")).End; end < vtime.Instant(want) || end > vtime.Instant(want+vtime.Minute) {
				t.Errorf("%s: the run ends at %s", input, end)
			}
		}
	})
	t.Run("LLM-04 a test shows where a pitfall's fact stands, so nobody searches for it", func(t *testing.T) {
		o := &uses{}
		runOf(t, specOf(t, erring, ""), o)
		if slices.Contains(o.names, "Grep") || !slices.Contains(o.names, "Bash") {
			t.Errorf("%v", o.names)
		}
	})
	t.Run("LLM-04 an item does not fail by the defects of another", func(t *testing.T) {
		text := strings.Replace(erring, "{id: check, kind: verify, after: [fix-b]}", "{id: fix-c, kind: implement, after: [fix-b], edits: [{file: a.go, tokens: 5}], runs: [go test ./...]}", 1)
		if got, want := told(t, text), "fix-a rework, fix-b done, fix-b wrong, fix-c done"; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}

// TestPrograms holds the commands that a scenario may run against those that the
// shell knows.
func TestPrograms(t *testing.T) {
	t.Run("SCN-02 the commands that a scenario may name without declaring them are those of the shell", func(t *testing.T) {
		var known []string
		for _, p := range shell.Programs() {
			known = append(known, p.Words)
		}
		if !slices.Equal(known, scenarios.Programs) {
			t.Errorf("the shell knows %v, scenarios %v", known, scenarios.Programs)
		}
	})
}

// uses is a sink that keeps the names of tools used.
type uses struct{ names []string }

func (u *uses) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.ToolCall); ok {
		u.names = append(u.names, b.Name)
	}
}
