package sim_test

import (
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// lastWords keeps the last text that each agent said.
type lastWords map[int32]string

func (l lastWords) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.Response); ok {
		for i := range b.Resp.Blocks {
			if x := &b.Resp.Blocks[i]; x.Kind == llm.Text {
				l[e.Agent] = x.Content.Raw()
			}
		}
	}
}

// TestPlanReports runs agents of type Plan over as many files as a case has.
func TestPlanReports(t *testing.T) {
	const text = `
agentsim: 1
name: plans
provider: {model: claude-sonnet-4-6}
project:
  agents: {built_ins: [Plan]}
  files: {a.go: "one\n", b.go: "one\n", c.go: "one\n", d.go: "one\n", e.go: "one\n", f.go: "one\n"}
script:
  main: {user: Plan it.}
structure: subagent
agents:
  type: Plan
`
	const six = `work: [{id: shape, kind: research, found_in: [f.go, b.go, a.go, c.go, d.go, e.go], knows: [summaries]}]`
	for _, c := range []struct {
		name, rest, ends string
		findings         int
	}{
		{"six files read: the first five that the item reads", six,
			"\n\n### Critical Files for Implementation\n- f.go - read to research shape\n- b.go - read to research shape\n- a.go - read to research shape\n- c.go - read to research shape\n- d.go - read to research shape", 0},
		{"two files read: no more can be named", `work: [{id: shape, kind: research, found_in: [a.go, b.go], knows: [summaries]}]`,
			"\n\n### Critical Files for Implementation\n- a.go - read to research shape\n- b.go - read to research shape", 1},
		{"a script that forgets them", six + "\nscript:\n  answers: [{agent: main/*, turns: [{text: \"The plan: a.go.\"}]}]", "The plan: a.go.", 1},
		{"a script with six", six + "\nscript:\n  answers: [{agent: main/*, turns: [{text: \"Plan.\\n### Critical Files for Implementation\\n- a\\n- b\\n- c\\n- d\\n- e\\n- f\"}]}]", "- f", 1},
		{"a script with something behind them", six + "\nscript:\n  answers: [{agent: main/*, turns: [{text: \"### Critical Files for Implementation\\n- a\\n- b\\n- c\\nThat is all.\"}]}]", "all.", 1},
		{"a script with three", six + "\nscript:\n  answers: [{agent: main/*, turns: [{text: \"### Critical Files for Implementation\\n- a\\n- b\\n- c\\n\"}]}]", "- c\n", 0},
	} {
		t.Run("DEF-07 a Plan agent's report ends with the critical files, and one that does not is a finding: "+c.name, func(t *testing.T) {
			said := lastWords{}
			var log strings.Builder
			runOf(t, specOf(t, text+c.rest+"\n", ""), said, transcript.NewText(&log))
			if !strings.HasSuffix(said[1], c.ends) {
				t.Errorf("the report ends %q", said[1][max(0, len(said[1])-300):])
			}
			if n := strings.Count(log.String(), "finding rule=plan-report"); n != c.findings {
				t.Errorf("%d findings", n)
			}
		})
	}
}
