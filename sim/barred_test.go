package sim_test

import (
	"slices"
	"strings"
	"testing"

	"agentsim/scenarios"
	"agentsim/sim/transcript"
)

// barred is a scenario whose verifier, in the background, is not allowed to run tests.
const barred = `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5}
project: {files: {a.go: {tokens: 400, class: code}}, agents: {built_ins: [verification]}}
work:
  - {id: change, kind: implement, edits: [{file: a.go, tokens: 20}]}
  - {id: check, kind: verify, after: [change], runs: [go test ./...], agent: {type: verification}}
script: {main: {user: Change it., tools: [Agent, Read, Glob, Grep, Edit, Bash]}}
structure: subagent
`

// verdictSink keeps what became of the check, and the report of who made it.
type verdictSink struct {
	missing []string
	report  string
}

func (v *verdictSink) Emit(e *transcript.Event) {
	switch b := e.Body.(type) {
	case *transcript.Item:
		if b.Item == "check" {
			v.missing = slices.Clone(b.Missing)
		}
	case *transcript.Response:
		for i := range b.Resp.Blocks {
			if text := b.Resp.Blocks[i].Content.Raw(); strings.Contains(text, "VERDICT: ") {
				v.report = text
			}
		}
	}
}

func TestBarred(t *testing.T) {
	t.Run("VER-01 a verifier that is not allowed to run its command says PARTIAL and why", func(t *testing.T) {
		f, err := scenarios.Parse("my.yaml", []byte(barred))
		if err != nil {
			t.Fatal(err)
		}
		v := &verdictSink{}
		runOf(t, effective(t, f, ""), v)
		if !slices.Equal(v.missing, []string{"barred"}) || !strings.Contains(v.report, "go test ./..., which was not allowed to run.\n\nVERDICT: PARTIAL") {
			t.Errorf("%q, %s", v.missing, v.report)
		}
	})
}

func TestLinked(t *testing.T) {
	t.Run("WKT-03 a worktree shares node_modules unless linked says that none is", func(t *testing.T) {
		for linked, result := range map[string]string{"": "Bash", ", linked: []": "Bash!"} {
			got := stepsOf(t, `agentsim: 1
name: my
provider: {model: claude-sonnet-5-5}
project: {files: {a.go: x, node_modules/x.js: y}`+linked+`, git_status: {tokens: 9}}
agents: {isolation: offered}
script:
  main: {user: Go., tools: [Agent, Bash]}
  answers:
    - {agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: a, isolation: worktree}}]}, {run: grep z node_modules/x.js}, {say: w}]}
    - {agent: main/*, turns: [{run: echo z > node_modules/x.js}, {say: ok}]}
`)
			if !slices.Contains(got, result) {
				t.Errorf("%q: %q", linked, got)
			}
		}
	})
}
