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
