package scenarios

import (
	"strings"
	"testing"
)

// TestSilent reads settings that were accepted without effect, or refused though they
// had one.
func TestSilent(t *testing.T) {
	const head = "agentsim: 1\nname: my\nprovider: {model: claude-sonnet-5-5}\nproject: {files: {a.go: x}}\n"
	read := func(text, variant string) (*Scenario, string) {
		f, err := Parse("my.yaml", []byte(text))
		if err == nil {
			var s *Scenario
			if s, err = f.Effective(variant, nil); err == nil {
				return s, ""
			}
		}
		return nil, err.Error()
	}
	t.Run("WKT-01 a team has no worktrees to ask for", func(t *testing.T) {
		if _, got := read(head+"work: [{id: a, reads: [a.go]}]\nstructure: team\nagents: {isolation: worktree}\n", ""); !strings.Contains(got, "teammates of structure team work in their lead's directory") {
			t.Error(got)
		}
	})
	t.Run("WKT-03 an empty list of linked directories is none", func(t *testing.T) {
		s, bad := read(strings.Replace(head, "x}", "x}, linked: []", 1)+"agents: {isolation: offered}\nscript: {main: {user: Go.}, answers: [{agent: main, turns: [{spawn: {subagent: [a], prompt: Go.}}, {say: x}]}, {agent: main/*, turns: [{say: x}]}]}\n", "")
		if bad != "" || s.Project.Linked == nil || len(*s.Project.Linked) != 0 {
			t.Error(bad)
		}
	})
	t.Run("GATE-02 a variant turns a gate off that its file turns on", func(t *testing.T) {
		text := head + "lab: {interactive: true, gates: {FORK_SUBAGENT: true}}\nscript: {main: {user: Go.}, answers: [{agent: main, turns: [{tools: [{name: Agent, input: {description: a, prompt: Go.}}]}, {say: x}]}, {agent: main/*, turns: [{say: x}]}]}\nvariants: {on: {}, off: {lab: {gates: {FORK_SUBAGENT: false}}}}\n"
		if s, bad := read(text, "off"); bad != "" || s.Gate("FORK_SUBAGENT") != "false" {
			t.Error(bad)
		}
	})
}
