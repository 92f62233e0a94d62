package sim_test

import (
	"regexp"
	"strings"
	"testing"

	"agentsim/sim/llm"
	"agentsim/sim/transcript"
)

// reports collects what forks said last.
type reports struct{ texts []string }

func (r *reports) Emit(e *transcript.Event) {
	if b, ok := e.Body.(*transcript.Response); ok && e.Agent > 0 {
		for i := range b.Resp.Blocks {
			if x := &b.Resp.Blocks[i]; x.Kind == llm.Text && strings.HasPrefix(x.Content.Raw(), "Scope:") {
				r.texts = append(r.texts, x.Content.Raw())
			}
		}
	}
}

// TestCommits runs forks that change a file each.
func TestCommits(t *testing.T) {
	const text = `
agentsim: 1
name: commits
provider: {model: claude-sonnet-4-6}
project: {files: {a.go: "one of a\ntwo of a\n", b.go: "one of b\ntwo of b\n"}}
structure: fork
work:
  - {id: look, kind: research, found_in: [a.go], knows: [summaries]}
  - {id: a, kind: implement, after: [look], edits: [{file: a.go, tokens: 10}]}
  - {id: b, kind: implement, after: [look], edits: [{file: b.go, tokens: 10}]}
script:
  main: {user: Go on.}
variants:
  shell: {set: {main.tools: [Agent, Read, Glob, Grep, Edit, Bash]}}
  none: {set: {main.tools: [Agent, Read, Glob, Grep, Edit]}}
  refused: {set: {main.tools: [Agent, Read, Glob, Grep, Edit, Bash], permissions.deny: ["Bash(git commit:*)"]}}
`
	hash := regexp.MustCompile(`\nFiles changed: .*, commit ([0-9a-f]{7})(\n|$)`)
	for _, c := range []struct {
		variant, says string
		findings      int
	}{
		{"shell", "", 0},
		{"none", ". Nothing was committed: there is no shell.", 2},
		{"refused", ". Nothing was committed: the command did not succeed.", 2},
	} {
		t.Run("FRK-08 a fork that changed files commits them and names the commit, or says that nothing was committed, which is a finding: "+c.variant, func(t *testing.T) {
			var r reports
			var log strings.Builder
			runOf(t, specOf(t, text, c.variant), &r, transcript.NewText(&log))
			if n := strings.Count(log.String(), "finding rule=fork-uncommitted"); n != c.findings {
				t.Errorf("%d findings", n)
			}
			commits := map[string]bool{}
			for _, report := range r.texts {
				m := hash.FindStringSubmatch(report)
				if m != nil {
					commits[m[1]] = true
				}
				if changed := strings.Contains(report, "\nFiles changed:"); changed != (m != nil || c.says != "" && strings.Contains(report, c.says)) {
					t.Errorf("%s", report)
				}
			}
			if want := 2 - c.findings; len(r.texts) != 3 || len(commits) != want {
				t.Errorf("%d reports name %d commits", len(r.texts), len(commits))
			}
		})
	}
}
