package sim_test

import (
	"errors"
	"strings"
	"testing"

	"agentsim/sim"
)

// TestThoughts runs scripts that think.
func TestThoughts(t *testing.T) {
	const text = `
agentsim: 1
name: thoughts
provider: {model: claude-sonnet-4-6}
agents:
  settings: {thinking: adaptive}
script:
  main: {user: Go on.}
  answers:
    - agent: "**"
      turns: [{thinking: Hm., tools: [{name: Agent, input: {description: d, prompt: p}}]}, {thinking: Hm., text: "Scope: all"}, {text: Done.}]
lab:
  interactive: true
variants:
  forks: {lab: {gates: {FORK_SUBAGENT: true}}}
  sub-agents: {}
`
	t.Run("ISO-09 a fork may think as its parent does", func(t *testing.T) {
		if res := runOf(t, specOf(t, text, "forks")); res.Agents != 2 {
			t.Errorf("%d agents", res.Agents)
		}
	})
	t.Run("ISO-09 a script that makes a sub-agent think ends the run with the place of the thinking", func(t *testing.T) {
		_, err := sim.Run(specOf(t, text, "sub-agents"), sim.Options{})
		var at *sim.ScenarioError
		if !errors.As(err, &at) || at.Path != "answers[0].turns[0].thinking" || !strings.Contains(err.Error(), "thinking of main/1.1 is disabled") {
			t.Errorf("%v", err)
		}
	})
}
